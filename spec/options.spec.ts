import express from 'express';
import request from 'supertest';
import { z } from 'zod';
import { MemoryReplayStore, mrtr, prompt, resource, resourceTemplate, tool, type MrtrOptions } from '../lib/index.js';
import { resolveOptions } from '../lib/options.js';
import { closeAll, KEY, listen } from './support/http.js';

const server = { name: 's', version: '1' };
const base: MrtrOptions = { server, keys: KEY };

function refusal(make: () => unknown): { name: string; code?: string; message: string } {
  try {
    make();
  } catch (error) {
    return error as { name: string; code?: string; message: string };
  }
  throw new Error('nothing was thrown');
}

const withOption = (name: string, value: unknown) => refusal(() => mrtr({ ...base, [name]: value }));

afterAll(closeAll);

describe('options', () => {
  it('have the documented defaults, frozen', () => {
    const resolved = resolveOptions(base);
    expect(resolved).toMatchObject({
      audience: 's',
      anonymous: false,
      ttlMs: 300_000,
      maxFlowMs: 3_600_000,
      clockSkewMs: 60_000,
      maxRounds: 16,
      maxAttempts: 5,
      handlerTimeoutMs: 0,
      maxStateBytes: 49_152,
      onLedgerMismatch: 'reask',
      path: '/',
      fallthrough: false,
      bodyLimit: 1024 ** 2,
      legacy: {
        ownMailbox: true,
        elicitationTimeoutMs: 300_000,
        samplingTimeoutMs: 600_000,
        sessionTtlMs: 86_400_000,
        maxParked: 1000,
      },
      exposeErrors: false,
    });
    expect(Object.isFrozen(resolved)).toBe(true);
  });

  it.each([NaN, Infinity, -Infinity, 0, -5, '5m', null, true])('C10 ttlSeconds %j throws', (value) => {
    const { code, message } = withOption('ttlSeconds', value);
    expect(code).toBe('ERR_MRTR_OPTION');
    expect(message).toMatch(/^mrtr: option "ttlSeconds" must be a .*number of seconds.*; got /);
  });

  it('C10 a fraction of a second is honoured', () => {
    expect(resolveOptions({ ...base, ttlSeconds: 0.2 }).ttlMs).toBe(200);
  });

  it.each([
    ['maxFlowSeconds', 0],
    ['clockSkewSeconds', -1],
    ['handlerTimeoutSeconds', NaN],
    ['maxRounds', 0],
    ['maxRounds', 1.5],
    ['maxAttempts', '5'],
    ['maxStateBytes', 10],
    ['anonymous', 'yes'],
    ['fallthrough', 1],
    ['exposeErrors', 'true'],
    ['legacy', 'on'],
    ['legacy', null],
    ['legacy', []],
    ['legacy', 1n],
    ['legacy.timeout', { timeout: 5 }],
    ['legacy.mailbox', { mailbox: {} }],
    ['legacy.mailbox', { mailbox: { park: () => undefined } }],
    ['legacy.elicitationTimeoutSeconds', { elicitationTimeoutSeconds: 0 }],
    ['legacy.samplingTimeoutSeconds', { samplingTimeoutSeconds: '600' }],
    ['legacy.sessionTtlSeconds', { sessionTtlSeconds: Infinity }],
    ['legacy.maxParked', { maxParked: 0 }],
    ['onLedgerMismatch', 'ignore'],
    ['principal', 'ann'],
    ['onError', {}],
    ['audience', ''],
    ['path', 'mcp'],
    ['bodyLimit', 'lots'],
    ['bodyLimit', 0],
    ['bodyLimit', '10kb'],
    ['codec', {}],
    ['allowedHosts', []],
    ['allowedHosts', 'example.com'],
    ['allowedHosts', ['https://example.com']],
    ['allowedHosts', ['example.com:3000']],
    ['allowedOrigins', ['null']],
    ['tools', {}],
    ['tools', [{}]],
    ['tools', [prompt('p', {}, () => 'x')]],
    ['prompts', [tool('t', {}, () => 'x')]],
    ['resources', [tool('t', {}, () => 'x')]],
    ['server', undefined],
    ['server', { name: 's' }],
    ['server', { name: '', version: '1' }],
  ])('%s: %j throws and names the option', (name, value) => {
    const { code, message } = withOption(name.replace(/\..*/, ''), value);
    expect(code).toBe('ERR_MRTR_OPTION');
    expect(message).toContain(`option "${name}"`);
  });

  it('a codec of its own needs no keys, and gives no sessions to clients of earlier revisions without them', () => {
    const codec = { seal: () => 'x', unseal: () => undefined };
    expect(resolveOptions({ server, codec }).legacy).toMatchObject({ sealing: undefined });
    expect(resolveOptions({ server, codec, keys: KEY }).legacy?.sealing).toBeDefined();
    expect(resolveOptions({ server, codec, legacy: false }).legacy).toBeUndefined();
    expect(refusal(() => mrtr({ server, codec, legacy: {}, keys: undefined as never })).message).toContain('"keys"');
  });

  it('an unknown option throws and lists the known ones', () => {
    const { code, message } = withOption('ttl', 5);
    expect(code).toBe('ERR_MRTR_OPTION');
    expect(message).toMatch(/^mrtr: option "ttl" is not an option of mrtr\(\); it takes server, tools, .*onError\.$/);
  });

  it('a body limit that a permitted state could not pass is refused', () => {
    expect(withOption('bodyLimit', '90kb').message).toContain('at least twice maxStateBytes');
    expect(resolveOptions({ ...base, bodyLimit: '90kb', maxStateBytes: 40_000 }).bodyLimit).toBe(92_160);
    expect(resolveOptions({ ...base, bodyLimit: 200_000 }).bodyLimit).toBe(200_000);
    expect(resolveOptions({ ...base, bodyLimit: '1.5MB' }).bodyLimit).toBe(1_572_864);
  });

  it('C129 mrtr without options, and app.use(mrtr) without the call, say what to write', async () => {
    expect(refusal(() => mrtr(undefined as never)).message).toContain(
      'mrtr({ server: { name: "shop", version: "1.0.0" }',
    );
    expect(refusal(() => mrtr(null as never)).message).toContain('option "server" is required');
    expect(refusal(() => mrtr({} as never)).message).toContain('option "server"');
    const app = express();
    app.use(mrtr as never);
    app.use(
      ((error: Error, _req, res, _next) => void res.status(500).send(error.message)) as express.ErrorRequestHandler,
    );
    const reply = await request(await listen(app)).get('/');
    expect(reply.text).toContain('app.use(mrtr(options))');
  });

  it('definitions that cannot be served throw', () => {
    const twice = [tool('t', {}, () => 'x'), tool('t', {}, () => 'y')];
    expect(withOption('tools', twice).message).toContain('"t" is defined twice');
    const uris = [resource('a', 'test://x', {}, () => 'x'), resource('b', 'test://x', {}, () => 'y')];
    expect(withOption('resources', uris).message).toContain('"test://x" is defined twice');
    const number = tool('n', { inputSchema: z.string() as never }, () => 'x');
    expect(withOption('tools', [number])).toMatchObject({
      code: 'ERR_MRTR_DEFINITION',
      message: expect.stringContaining('must describe an object'),
    });
    const reference = tool(
      'r',
      { inputSchema: { type: 'object', properties: { a: { $ref: 'http://127.0.0.1:1/x.json' } } } },
      () => 'x',
    );
    expect(withOption('tools', [reference])).toMatchObject({
      code: 'ERR_MRTR_DEFINITION',
      message: expect.stringContaining('tool("r"): inputSchema'),
    });
    const header = tool(
      'h',
      { inputSchema: { type: 'object', properties: { a: { type: 'number', 'x-mcp-header': 'A' } } } },
      () => 'x',
    );
    expect(withOption('tools', [header])).toMatchObject({
      code: 'ERR_MRTR_DEFINITION',
      message: expect.stringContaining('x-mcp-header'),
    });
  });
});

describe('definitions', () => {
  it.each([
    [() => tool('', {}, () => 'x'), 'needs a name'],
    [() => tool('t', null as never, () => 'x'), 'needs an object of options'],
    [() => tool('t', {}, 'x' as never), 'needs a handler function'],
    [() => tool('t', { outputschema: {} } as never, () => 'x'), 'knows no option "outputschema"'],
    [() => tool('t', { requires: ['elicitation.fax'] as never }, () => 'x'), 'requires ["elicitation.fax"]'],
    [() => prompt('p', { inputSchema: {} } as never, () => 'x'), 'knows no option "inputSchema"'],
    [() => resource('r', 'no uri', {}, () => 'x'), 'needs an absolute URI'],
    [() => resource('r', 'test://r', { ttlMs: -1 }, () => 'x'), 'ttlMs -1'],
    [() => resource('r', 'test://r', { cacheScope: 'all' as never }, () => 'x'), 'cacheScope "all"'],
    [() => resourceTemplate('r', 'test://r', {}, () => 'x'), 'needs a URI template'],
  ])('C129 %# throws at once', (make, text) => {
    const { code, message } = refusal(make);
    expect(code).toBe('ERR_MRTR_DEFINITION');
    expect(message).toContain(text);
  });
});

describe('schemas that would refuse or let through every call', () => {
  it('an object of schemas is no schema: the message says to wrap it', () => {
    const shape = tool('shape', { inputSchema: { x: z.string() } as never }, () => 'x');
    expect(withOption('tools', [shape])).toMatchObject({
      code: 'ERR_MRTR_DEFINITION',
      message: expect.stringContaining('wrap it, as in z.object({ … })'),
    });
  });

  it('a name without control characters', () => {
    expect(refusal(() => tool('a\nb', {}, () => 'x')).message).toContain('control character');
  });

  it('a lease that a permitted handler could outlive is refused', () => {
    const store = new MemoryReplayStore();
    const make = (handlerTimeoutSeconds: number) => mrtr({ ...base, replay: { store }, handlerTimeoutSeconds });
    expect(refusal(() => make(60)).message).toContain(
      'replay.leaseSeconds" is 60, no more than handlerTimeoutSeconds (60)',
    );
    make(59);
  });
});

describe('keys', () => {
  const { MRTR_KEYS, NODE_ENV } = process.env;
  let warn: jest.SpyInstance;

  beforeEach(() => {
    delete process.env['MRTR_KEYS'];
    warn = jest.spyOn(process, 'emitWarning').mockReturnValue();
  });
  afterEach(() => {
    warn.mockRestore();
    if (MRTR_KEYS === undefined) delete process.env['MRTR_KEYS'];
    else process.env['MRTR_KEYS'] = MRTR_KEYS;
    process.env['NODE_ENV'] = NODE_ENV;
  });

  it('C114 without keys: one loud warning, and no start in production', () => {
    mrtr({ server });
    expect(warn.mock.calls).toEqual([
      [expect.stringMatching(/^No keys: .*keygen.*MRTR_KEYS/), { type: 'MrtrWarning', code: 'MRTR_EPHEMERAL_KEYS' }],
    ]);
    process.env['NODE_ENV'] = 'production';
    expect(refusal(() => mrtr({ server })).message).toContain('option "keys" is required in production');
  });

  it('come from MRTR_KEYS when the option is left out', () => {
    process.env['NODE_ENV'] = 'production';
    process.env['MRTR_KEYS'] = KEY;
    mrtr({ server });
    process.env['MRTR_KEYS'] = 'hunter2';
    const { message } = refusal(() => mrtr({ server }));
    expect(message).toContain('MRTR_KEYS');
    expect(message).not.toContain('hunter2');
    expect(warn).not.toHaveBeenCalled();
  });

  it('C116 present but undefined throws, as does every other trap', () => {
    expect(refusal(() => mrtr({ server, keys: undefined as never })).message).toContain('option "keys" is undefined');
    for (const keys of [
      '',
      [],
      32,
      Buffer.alloc(32),
      Buffer.alloc(31, 1),
      'a'.repeat(32),
      'ab'.repeat(32),
      `${KEY}\n`,
    ]) {
      const { message, code } = refusal(() => mrtr({ server, keys: keys as never }));
      expect([keys, code]).toEqual([keys, 'ERR_MRTR_OPTION']);
      expect(message).toContain('keygen');
      expect(message).not.toContain(KEY.slice(6));
    }
  });
});
