/** Builds `dist`: the same code as ES modules and as CommonJS, each with the declarations that its entries reach. */
import { spawnSync } from 'node:child_process';
import { existsSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';

const root = fileURLToPath(new URL('..', import.meta.url));
const dist = join(root, 'dist');
const { exports } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'));
const tsc = createRequire(import.meta.url).resolve('typescript/bin/tsc');

rmSync(dist, { recursive: true, force: true });
for (const [format, type, condition] of [
  ['esm', 'module', 'import'],
  ['cjs', 'commonjs', 'require'],
]) {
  const { status } = spawnSync(process.execPath, [tsc, '-p', `tsconfig.${format}.json`], {
    cwd: root,
    stdio: 'inherit',
  });
  if (status !== 0) process.exit(status ?? 1);
  writeFileSync(join(dist, format, 'package.json'), `${JSON.stringify({ type })}\n`);
  keepDeclarations(
    join(dist, format),
    Object.values(exports).flatMap((entry) => entry[condition]?.types ?? []),
  );
}

function keepDeclarations(folder, entries) {
  const reached = new Set();
  for (const entry of entries) visit(join(root, entry), reached);
  for (const name of readdirSync(folder, { recursive: true })) {
    if (name.endsWith('.d.ts') && !reached.has(join(folder, name))) rmSync(join(folder, name));
  }
}

function visit(file, reached) {
  if (reached.has(file)) return;
  if (!existsSync(file)) throw new Error(`A declaration names ${file}, which was not built.`);
  reached.add(file);
  for (const [, specifier] of readFileSync(file, 'utf8').matchAll(/(?:from |import\()['"](\.[^'"]+)\.js['"]/g)) {
    visit(resolve(dirname(file), `${specifier}.d.ts`), reached);
  }
}
