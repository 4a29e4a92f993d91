import { createRequire } from 'node:module';
import { cpSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { build } from 'esbuild';
import ts from 'typescript';
import { Consumers, node, ROOT, type Ran } from './consumers.js';

jest.setTimeout(300_000);

const EXPRESSES = ['express4', 'express5'] as const;
const consumers = new Consumers(EXPRESSES);
if (!consumers.installed)
  process.stderr.write('The npm registry cannot be reached: what needs an installed package is skipped.\n');
const describeInstalled = consumers.installed ? describe : describe.skip;

const bin = (path: string): string => join(ROOT, 'node_modules', path);
const inside = (...path: string[]): string => join(consumers.folder, ...path);
const OK: Ran = { status: 0, output: 'OK\n' };

afterAll(() => consumers.remove());

describe('the packed package', () => {
  it('holds the build, its declarations and the documents, and nothing else', () => {
    const others = consumers.files.filter((file) => !/^dist\/(esm|cjs)\/[\w/-]+(\.d)?\.(js|ts)$/.test(file));
    expect(others.sort()).toEqual([
      'CHANGELOG.md',
      'LICENSE',
      'README.md',
      'SECURITY.md',
      'dist/cjs/package.json',
      'dist/esm/package.json',
      'package.json',
    ]);
    expect(consumers.files.filter((file) => /^dist\/\w+\/cli\./.test(file))).toEqual(['dist/esm/cli.js']);
  });

  it('is clean for publint', () => {
    const { status, output } = node(ROOT, [bin('publint/src/cli.js'), consumers.tarball, '--strict']);
    expect(output).toContain('All good!');
    expect(status).toBe(0);
  });

  it('C124 has the right types under every way to resolve them', () => {
    const args = ['--format', 'json', '--profile', 'strict', consumers.tarball];
    const { status, output } = node(ROOT, [bin('@arethetypeswrong/cli/dist/index.js'), ...args]);
    const { problems } = JSON.parse(output) as { problems: Record<string, unknown> };
    expect(problems).toEqual({});
    expect(status).toBe(0);
  });
});

describeInstalled.each(EXPRESSES)('beside %s', (name) => {
  const folder = inside(name);
  const version = name === 'express4' ? '4.22.3' : '5.3.0';

  it.each(['app.cjs', 'app.mjs'])('C124 serves two rounds in %s', (file) => {
    expect(node(folder, [file])).toEqual({ status: 0, output: `OK on Express ${version}\n` });
  });

  it('installs a command that makes keys', () => {
    const { status, output } = node(folder, [join('node_modules', '.bin', 'express-mrtr'), 'keygen']);
    expect(output).toMatch(/^mrtrk_[\w-]{43}\n$/);
    expect(status).toBe(0);
  });

  it.each([
    ['without those of Passport', 'types/without-passport.ts'],
    ['with those of Passport and a user of its own', 'types/with-passport.ts'],
  ])("C125 has types for Express's own, %s, also where libraries are checked", (_kind, file) => {
    expect(compile(folder, [file], { skipLibCheck: true })).toEqual([]);
    expect(compile(folder, [file], { exactOptionalPropertyTypes: true, skipLibCheck: false })).toEqual([]);
  });
});

describeInstalled('C123 two copies of the package in one process', () => {
  const folder = inside('express5');

  it('ask, and know the errors of each other, when one is imported and one required', () => {
    expect(node(folder, ['copies/app.mjs'])).toEqual(OK);
  });

  it('do so with a handler compiled to ES5', () => {
    cpSync(join(folder, 'copies'), join(folder, 'copies-es5'), { recursive: true });
    const handler = join(folder, 'copies-es5', 'handler.cjs');
    const options = { target: ts.ScriptTarget.ES5, module: ts.ModuleKind.CommonJS, ignoreDeprecations: '6.0' };
    const { outputText } = ts.transpileModule(readFileSync(handler, 'utf8'), { compilerOptions: options });
    expect(outputText).toContain('__generator');
    writeFileSync(handler, outputText);
    expect(node(folder, ['copies-es5/app.mjs'])).toEqual(OK);
  });

  it('do so in one minified bundle', async () => {
    await build({
      absWorkingDir: folder,
      entryPoints: ['copies/app.mjs'],
      outfile: join(folder, 'bundle.mjs'),
      bundle: true,
      minify: true,
      platform: 'node',
      format: 'esm',
      banner: { js: "import { createRequire } from 'node:module'; const require = createRequire(import.meta.url);" },
      logLevel: 'silent',
    });
    expect(node(folder, ['bundle.mjs'])).toEqual(OK);
  });
});

describeInstalled('C124 every way to load the package', () => {
  const folder = inside('express5');
  const jestRun = (nodeOptions: readonly string[], testMatch: string): Ran =>
    node(
      folder,
      [...nodeOptions, bin('jest/bin/jest.js'), '--config', 'jest/jest.config.cjs', '--testMatch', testMatch],
      {
        EXPRESS_MRTR_TS_JEST: bin('ts-jest'),
      },
    );

  it('gives the same names to require and import, none of them a default', () => {
    const script = `
      const required = require('express-mrtr');
      import('express-mrtr').then((imported) => {
        const names = (from) => Object.keys(from).filter((name) => name !== 'module.exports').sort().join();
        if (required.default !== undefined || 'default' in imported) throw new Error('a default export');
        if (names(required) !== names(imported)) throw new Error(names(required) + ' / ' + names(imported));
        console.log('OK');
      });`;
    expect(node(folder, ['--eval', script])).toEqual(OK);
  });

  it('runs from .mts', () => {
    expect(node(folder, ['--import', pathToFileURL(require.resolve('tsx')).href, 'app.mts'])).toEqual(OK);
  });

  it('runs under jest with its defaults, after resetModules, and under ts-jest', () => {
    const { status, output } = jestRun([], '**/*.test.{js,ts}');
    expect(output).toMatch(/Tests: +3 passed, 3 total/);
    expect(status).toBe(0);
  });

  it('runs under jest with --experimental-vm-modules', () => {
    const { status, output } = jestRun(['--experimental-vm-modules'], '**/*.test.mjs');
    expect(output).toMatch(/Tests: +1 passed, 1 total/);
    expect(status).toBe(0);
  });

  it.each<[string, ts.CompilerOptions]>([
    [
      'node10',
      {
        module: ts.ModuleKind.CommonJS,
        moduleResolution: ts.ModuleResolutionKind.Node10,
        ignoreDeprecations: '6.0',
        esModuleInterop: true,
      },
    ],
    ['node16', { module: ts.ModuleKind.Node16, moduleResolution: ts.ModuleResolutionKind.Node16 }],
    ['bundler', { module: ts.ModuleKind.ESNext, moduleResolution: ts.ModuleResolutionKind.Bundler }],
  ])('compiles under moduleResolution %s', (_name, options) => {
    const files = ['types/with-passport.ts', ...(options.module === ts.ModuleKind.CommonJS ? [] : ['app.mts'])];
    expect(compile(folder, files, { ...options, skipLibCheck: true })).toEqual([]);
  });
});

describeInstalled('C126 the types', () => {
  const folder = inside('express5');
  const load = createRequire(join(folder, 'package.json'));

  it.each([
    ['5.6, the oldest', () => load('typescript-5.6') as typeof ts],
    ['5.9', () => load('typescript-5.9') as typeof ts],
    [`${ts.versionMajorMinor}, the newest that ts-jest takes`, () => ts],
  ])(
    'infer arguments and answers, and refuse what is wrong where it is wrong, under TypeScript %s',
    (version, compiler) => {
      expect(version.startsWith(compiler().versionMajorMinor)).toBe(true);
      const options = { exactOptionalPropertyTypes: true, noImplicitReturns: true, skipLibCheck: true };
      for (const file of ['types/inference.ts', 'types/with-passport.ts', 'types/without-passport.ts']) {
        expect(compile(folder, [file], options, compiler())).toEqual([]);
      }
    },
  );
});

/** What tsc complains about. */
function compile(
  folder: string,
  files: readonly string[],
  options: ts.CompilerOptions,
  compiler: typeof ts = ts,
): string[] {
  const program = compiler.createProgram(
    files.map((file) => join(folder, file)),
    {
      target: ts.ScriptTarget.ES2022,
      lib: ['lib.es2022.d.ts'],
      module: ts.ModuleKind.NodeNext,
      strict: true,
      allowJs: true,
      noEmit: true,
      types: ['node'],
      typeRoots: [join(folder, 'node_modules', '@types')],
      ...options,
    },
  );
  return compiler
    .getPreEmitDiagnostics(program)
    .map(
      ({ file, messageText }) => `${file?.fileName ?? ''}: ${compiler.flattenDiagnosticMessageText(messageText, ' ')}`,
    );
}
