import { createSecretKey } from 'node:crypto';
import { join } from 'node:path';
import jwt from 'jsonwebtoken';
import ts from 'typescript';
import { generateKey, mrtr, type MrtrOptions } from '../../lib/index.js';
import { resolveOptions } from '../../lib/options.js';
import { call, type Reply } from '../examples/client.js';
import { freePort, start, stop, type Running } from '../examples/process.js';
import { blocks, comparable, documents, exampleFiles, read, type Block } from './markdown.js';

const PLACEHOLDER = 'mrtr1.…';
const sources = exampleFiles().map((file) => ({ file, text: comparable(read(file)) }));
const snippets = documents()
  .flatMap(blocks)
  .filter(({ language }) => language === 'ts');

describe('the TypeScript in the documents', () => {
  it('is there', () => {
    expect(snippets.length).toBeGreaterThan(10);
  });

  it.each(snippets.map((snippet) => [snippet.where, snippet] as const))(
    '%s stands in an example',
    (_where, { text }) => {
      expect(sources.filter((source) => source.text.includes(comparable(text)))).not.toEqual([]);
    },
  );

  it('is found only where whole lines are equal', () => {
    expect(comparable('  const a = 1;\n')).toContain(comparable('const a = 1;'));
    expect(comparable('const a = 10;')).not.toContain(comparable('const a = 1'));
    expect(comparable('// #region a\nf();\n// #endregion')).toBe('\nf();\n');
  });

  it('typechecks', () => {
    const root = join(__dirname, '../..');
    const config = ts.readConfigFile(join(root, 'tsconfig.json'), (path) => ts.sys.readFile(path));
    const { options, fileNames } = ts.parseJsonConfigFileContent(config.config, ts.sys, root);
    const examples = exampleFiles().map((file) => join(root, file));
    expect(fileNames).toEqual(expect.arrayContaining(examples));
    const program = ts.createProgram(examples, options);
    const problems = examples.flatMap((file) => {
      const source = program.getSourceFile(file);
      return [...program.getSyntacticDiagnostics(source), ...program.getSemanticDiagnostics(source)];
    });
    expect(problems.map(({ file, messageText }) => `${file?.fileName ?? ''}: ${JSON.stringify(messageText)}`)).toEqual(
      [],
    );
  }, 60_000);
});

describe('the shortest working server', () => {
  const secret = 'a secret of this test, long enough for HS256';
  const token = jwt.sign({}, createSecretKey(secret, 'utf8'), { subject: 'ann' });
  let server: Running;
  let url: string;

  beforeAll(async () => {
    const port = await freePort();
    url = `http://127.0.0.1:${port}`;
    const env = { PORT: String(port), JWT_SECRET: secret, MRTR_KEYS: generateKey() };
    server = await start('examples/readme/server.ts', env, () => fetch(url).then(Boolean, () => false));
  });
  afterAll(() => stop(server));

  it('lets nobody in without a token', async () => {
    expect((await call(url, 'tools/call', { name: 'refund', arguments: { orderId: 'A-1' } })).status).toBe(401);
  });

  it('answers what the README shows, and takes the answer that the README shows', async () => {
    const [ask, retry] = json('README.md') as [Reply, { id: number; method: string; params: Record<string, unknown> }];
    const { inputResponses: _answers, requestState, ...params } = retry.params;
    const { body: asked } = (await call(url, retry.method, params, { token })) as { body: Reply };
    expect(masked(asked)).toEqual(ask);
    expect(requestState).toBe(PLACEHOLDER);
    expect(read('README.md')).toContain(`with \`${JSON.stringify(params['arguments'])}\``);

    const answered = { ...retry, params: { ...retry.params, requestState: asked.result.requestState } };
    const done = await call(url, retry.method, {}, { token }).send(answered).set('mcp-name', String(params['name']));
    expect(done.body).toMatchObject({ id: retry.id, result: { resultType: 'complete' } });
    const text = (done.body as Reply).result.content[0]?.text;
    expect(read('README.md')).toContain(`this one answers \`${String(text)}\``);
  });

  it('refuses a state as docs/security.md shows', async () => {
    const refused = await call(url, 'tools/call', { name: 'refund', requestState: 'mrtr1.AAAAAA.AAAA' }, { token });
    expect(refused.status).toBe(200);
    expect(json('docs/security.md')).toEqual([refused.body]);
  });

  it('does not start without a secret', async () => {
    await expect(start('examples/readme/server.ts', { JWT_SECRET: '', PORT: '0' }, () => false)).rejects.toThrow(
      'Set JWT_SECRET.',
    );
  });

  it('does not start without keys in production', async () => {
    const env = { JWT_SECRET: secret, PORT: '0', NODE_ENV: 'production' };
    await expect(start('examples/readme/server.ts', env, () => false)).rejects.toThrow('npx express-mrtr keygen');
  });
});

describe('the tables of the documents', () => {
  it('show every option of mrtr(), and no other', () => {
    const listed = [...read('README.md').matchAll(/^\| `(\w+)`/gm)].map(([, name]) => name);
    expect(listed).toEqual(knownOptions());
  });

  it('show every code of a refused state', () => {
    const codes = [...read('lib/errors.ts').matchAll(/^ {2}\| '(ERR_MRTR_STATE_\w+)'/gm)].map(([, code]) => code);
    expect(codes.length).toBeGreaterThan(5);
    const document = read('docs/security.md');
    expect(codes.filter((code) => !document.includes(`\`${String(code)}\``))).toEqual([]);
  });

  it('name no error code that does not exist', () => {
    const codes = read('lib/errors.ts');
    const named = documents().flatMap((file) => read(file).match(/\bERR_MRTR_[A-Z_]+\b/g) ?? []);
    expect(named.filter((code) => !codes.includes(`'${code}'`))).toEqual([]);
  });

  it.each(['README.md', 'SECURITY.md', ...documents().slice(1)])('%s links to files that are there', (file) => {
    const links = [...read(file).matchAll(/\]\(([^)#:]+)\)/g)].map(([, link]) => join(file, '..', String(link)));
    expect(links.filter((link) => !ts.sys.fileExists(link) && !ts.sys.directoryExists(link))).toEqual([]);
  });
});

describe('the defaults that the README names', () => {
  const server = { name: 'shop', version: '1.0.0' };
  const resolved = resolveOptions({ server, keys: generateKey() });

  it.each([
    ['ttlSeconds', resolved.ttlMs / 1000],
    ['maxFlowSeconds', resolved.maxFlowMs / 1000],
    ['clockSkewSeconds', resolved.clockSkewMs / 1000],
    ['maxRounds', resolved.maxRounds],
    ['maxAttempts', resolved.maxAttempts],
    ['handlerTimeoutSeconds', resolved.handlerTimeoutMs / 1000],
    ['maxStateBytes', resolved.maxStateBytes],
    ['onLedgerMismatch', `'${resolved.onLedgerMismatch}'`],
    ['path', `'${resolved.path}'`],
    ['bodyLimit', `'${resolved.bodyLimit / 1024 ** 2}mb'`],
    ['anonymous', resolved.anonymous],
    ['fallthrough', resolved.fallthrough],
    ['legacy', resolved.legacy !== undefined],
    ['exposeErrors', resolved.exposeErrors],
  ])('hold for %s', (option, value) => {
    const row = new RegExp(`^\\| \`${option}\` +\\| \`([^\`]*)\``, 'm').exec(read('README.md'));
    expect(row?.[1]).toBe(String(value));
  });

  it('hold for audience', () => {
    expect(resolved.audience).toBe(server.name);
  });

  it('keep bodyLimit at twice maxStateBytes at least', () => {
    expect(() => mrtr({ server, keys: generateKey(), bodyLimit: 2 * resolved.maxStateBytes - 1 })).toThrow(
      '"bodyLimit"',
    );
    expect(() => mrtr({ server, keys: generateKey(), bodyLimit: 2 * resolved.maxStateBytes })).not.toThrow();
  });
});

function json(file: string): unknown[] {
  return blocks(file)
    .filter(({ language }: Block) => language === 'json')
    .map(({ text }) => JSON.parse(text) as unknown);
}

/** A reply with the placeholder for its state. */
function masked(reply: Reply): Reply {
  expect(reply.result.requestState).toMatch(/^mrtr1\.[\w-]{6}\.[\w-]+$/);
  return { ...reply, result: { ...reply.result, requestState: PLACEHOLDER } };
}

/** As the message lists them that an unknown option gets. */
function knownOptions(): string[] {
  try {
    mrtr({ nonsense: true } as unknown as MrtrOptions);
  } catch (error) {
    return (/it takes (.*)\.$/.exec((error as Error).message)?.[1] ?? '').split(', ');
  }
  return [];
}
