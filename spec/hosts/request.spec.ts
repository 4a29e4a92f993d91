import http from 'node:http';
import { gzipSync } from 'node:zlib';
import type express from 'express';
import request from 'supertest';
import { z } from 'zod';
import { field, form, mrtrErrors, prompt, resource, tool } from '../../lib/index.js';
import {
  askOf,
  closeAll,
  EXPRESSES,
  headersOf,
  listen,
  metaOf,
  rig,
  textOf,
  YES,
  type Rig,
  type RigOptions,
} from '../support/http.js';

const CONFIRM = form({ confirm: field.boolean() });

afterAll(closeAll);

describe.each(EXPRESSES)('the request on %s', (_name, make) => {
  let runs = 0;
  const pay = tool(
    'pay',
    { inputSchema: z.object({ amount: z.number().default(1), note: z.string().optional() }) },
    async (args, ctx) => {
      runs += 1;
      const answer = await ctx.elicit({ message: `Transfer ${args.amount}?`, form: CONFIRM });
      return answer.action === 'accept' ? `paid ${args.amount}` : 'kept';
    },
  );
  const plain = (name: string) =>
    tool(name, {}, () => {
      runs += 1;
      return `ran ${name}`;
    });
  const tools = [pay, plain('größe'), plain('a'), plain('echo')];

  async function served(options: RigOptions = {}): Promise<Rig> {
    runs = 0;
    return rig({ express: make, tools, ...options });
  }

  const body = (id: unknown = 1): string =>
    JSON.stringify({ jsonrpc: '2.0', id, method: 'tools/call', params: { name: 'echo', _meta: metaOf() } });
  const H = headersOf('tools/call', 'echo');

  describe('C66 whatever stands in front', () => {
    const fronts: [string, express.RequestHandler[]][] = [
      ['no parser', []],
      ['express.json()', [make.json()]],
      ['express.raw()', [make.raw({ type: '*/*' })]],
      ['express.text()', [make.text({ type: '*/*' })]],
      ['express.json() twice', [make.json(), make.json()]],
    ];
    it.each(fronts)('%s: a whole flow works', async (_front, before) => {
      const { tool: call } = await served({ before });
      const { state, keys } = askOf(await call('pay', { amount: 3 }));
      const answer = { requestState: state, inputResponses: { [keys[0] ?? '']: YES } };
      expect(textOf(await call('pay', { amount: 3 }, answer))).toBe('paid 3');
      expect(runs).toBe(2);
    });

    it('bytes and text that are no JSON are a parse error', async () => {
      for (const front of [make.raw({ type: '*/*' }), make.text({ type: '*/*' })]) {
        const { post } = await served({ before: [front] });
        const reply = await post('{"jsonrpc":', H);
        expect([reply.status, reply.body]).toEqual([
          400,
          { jsonrpc: '2.0', error: { code: -32700, message: 'The body is not valid JSON.' } },
        ]);
      }
    });
  });

  describe('C67 no usable body', () => {
    it.each(['text/plain', 'application/vnd.api+json', 'text/plain; a=application/json', 'application/jsonx', ''])(
      'content type %j is refused with 415',
      async (type) => {
        for (const before of [[], [make.json()]]) {
          const { url } = await served({ before });
          const sent = await raw(url, { ...H, 'content-type': type }, body());
          expect([sent.status, JSON.parse(sent.text)]).toEqual([
            415,
            {
              jsonrpc: '2.0',
              error: { code: -32600, message: 'The content type must be application/json, in UTF-8.' },
            },
          ]);
        }
        expect(runs).toBe(0);
      },
    );

    it('a missing content type is refused with 415', async () => {
      const { url } = await served();
      const { 'content-type': _type, ...rest } = H;
      expect((await raw(url, rest, body())).status).toBe(415);
    });

    it.each(['application/json; charset=utf-8', 'Application/JSON', 'APPLICATION/JSON;CHARSET="UTF-8"'])(
      'content type %j is taken',
      async (type) => {
        const { url } = await served();
        expect(JSON.parse((await raw(url, { ...H, 'content-type': type }, body())).text)).toMatchObject({ result: {} });
      },
    );

    it('a charset other than UTF-8 is refused with 415', async () => {
      const { url } = await served();
      const sent = await raw(url, { ...H, 'content-type': 'application/json; charset=latin-1' }, body());
      expect([sent.status, (JSON.parse(sent.text) as { error: { code: number } }).error.code]).toEqual([415, -32600]);
    });

    it.each(['', '"str"', '7', 'null', '{}', '[]', '[1]'])('body %j is refused with 400 and JSON-RPC', async (text) => {
      for (const before of [[], [make.json({ strict: false })]]) {
        const { url } = await served({ before });
        const sent = await raw(url, H, text);
        expect(sent.status).toBe(400);
        expect([-32700, -32600]).toContain((JSON.parse(sent.text) as { error: { code: number } }).error.code);
      }
    });
  });

  describe('C68 malformed JSON', () => {
    it('is a parse error without id and without stack', async () => {
      const { post } = await served();
      const reply = await post('{"jsonrpc":', H);
      expect([reply.status, reply.body]).toEqual([
        400,
        { jsonrpc: '2.0', error: { code: -32700, message: 'The body is not valid JSON.' } },
      ]);
      expect(reply.type).toBe('application/json');
    });

    it('is the same behind express.json() with mrtrErrors()', async () => {
      for (const mount of [
        (app: express.Express) => app.use(mrtrErrors()),
        (app: express.Express) => app.use('/mcp', mrtrErrors()),
      ]) {
        const { post } = await served({ before: [make.json()], after: mount });
        const reply = await post('{"jsonrpc":', H);
        expect([reply.status, reply.body]).toEqual([
          400,
          { jsonrpc: '2.0', error: { code: -32700, message: 'The body is not valid JSON.' } },
        ]);
        const large = await post(body().replace('"echo"', `"${'e'.repeat(200_000)}"`), H);
        expect([large.status, large.body]).toEqual([
          413,
          { jsonrpc: '2.0', error: { code: -32600, message: 'The body is larger than this server takes.' } },
        ]);
      }
    });

    it('mrtrErrors() leaves the errors of other routes and other errors alone', async () => {
      const seen: unknown[] = [];
      const { url } = await served({
        before: [make.json()],
        after: (app) => {
          app.get('/boom', () => {
            throw Object.assign(new Error('boom'), { type: 'entity.parse.failed.not' });
          });
          app.use(mrtrErrors());
          app.use(((error: Error, _req, res, _next) => {
            seen.push(error.message);
            res.status(418).end();
          }) as express.ErrorRequestHandler);
        },
      });
      expect((await request(url).post('/form').type('json').send('{"a":')).status).toBe(418);
      expect((await request(url).get('/boom')).status).toBe(418);
      expect(seen).toHaveLength(2);
    });
  });

  describe('C69 over the limit', () => {
    const long = body().replace('"echo"', `"echo","arguments":{"note":"${'n'.repeat(110_000)}"}`);
    const tooLarge = { jsonrpc: '2.0', error: { code: -32600, message: 'The body is larger than this server takes.' } };

    it('is 413 with JSON-RPC; the default limit takes it', async () => {
      const small = await served({ bodyLimit: '100kb', maxStateBytes: 1024 });
      const reply = await small.post(long, H);
      expect([reply.status, reply.body]).toEqual([413, tooLarge]);
      const { post } = await served();
      expect((await post(long, H)).body).toMatchObject({ result: { resultType: 'complete' } });
    });

    it('holds for chunked and for inflated bodies', async () => {
      const { url } = await served({ bodyLimit: '100kb', maxStateBytes: 1024 });
      const chunked = await raw(url, { ...H, 'transfer-encoding': 'chunked' }, long);
      expect([chunked.status, JSON.parse(chunked.text)]).toEqual([413, tooLarge]);
      const zipped = await raw(url, { ...H, 'content-encoding': 'gzip' }, gzipSync(long));
      expect([zipped.status, JSON.parse(zipped.text)]).toEqual([413, tooLarge]);
      const good = await raw(url, { ...H, 'content-encoding': 'gzip' }, gzipSync(body()));
      expect(good.status).toBe(200);
    });
  });

  it('C70 a batch is refused and runs nothing', async () => {
    const { post } = await served();
    const one: unknown = JSON.parse(body());
    for (const batch of [[one, one], [], [one]]) {
      const reply = await post(batch, H);
      expect([reply.status, (reply.body as { error: { code: number } }).error.code]).toEqual([400, -32600]);
    }
    expect(runs).toBe(0);
  });

  it('C71 a call sent as a notification runs nothing', async () => {
    const { post, tool: call } = await served();
    const { state } = askOf(await call('pay', { amount: 1 }));
    runs = 0;
    const params = {
      name: 'pay',
      arguments: { amount: 1 },
      _meta: metaOf(),
      requestState: state,
      inputResponses: { 'elicit-1': YES },
    };
    const reply = await post({ jsonrpc: '2.0', method: 'tools/call', params }, headersOf('tools/call', 'pay'));
    expect(reply.status).toBe(400);
    expect(reply.body).not.toHaveProperty('result');
    expect(runs).toBe(0);
  });

  it('C72 ids are echoed exactly or refused', async () => {
    const { post } = await served();
    for (const id of [0, '', 'x', -7, 9007199254740991]) {
      expect((await post(body(id), H)).body).toMatchObject({ id, result: { resultType: 'complete' } });
    }
    runs = 0;
    for (const id of ['null', '1.5', '{}', 'true', '[]', '9007199254740993', '1e400']) {
      const reply = await post(body('ID').replace('"ID"', id), H);
      expect([id, reply.status, (reply.body as { error: { code: number } }).error.code]).toEqual([id, 400, -32600]);
    }
    expect(runs).toBe(0);
    for (let time = 0; time < 2; time += 1) expect((await post(body(5), H)).body).toMatchObject({ id: 5, result: {} });
  });

  it('C73 a missing or contradicting standard header is refused before the handler', async () => {
    const { call } = await served();
    const cases = ['mcp-protocol-version', 'mcp-method', 'mcp-name'].flatMap((name) => [
      { [name]: undefined },
      { [name]: name === 'mcp-protocol-version' ? '2025-11-25' : 'something/else' },
    ]);
    for (const headers of [
      ...cases,
      { 'mcp-protocol-version': '2025-11-25', 'mcp-method': 'prompts/get', 'mcp-name': 'b' },
    ]) {
      const reply = await call('tools/call', { name: 'echo' }, { headers, id: 'h' });
      expect([headers, reply.status, reply.body]).toEqual([headers, 400, expect.objectContaining({ id: 'h' })]);
      expect((reply.body as { error: { code: number } }).error.code).toBe(-32020);
    }
    expect(runs).toBe(0);
  });

  it('C74 Mcp-Name: encoded names, broken encodings, doubled headers, white space', async () => {
    const { url, call } = await served();
    const named = (name: string, header: string) => call('tools/call', { name }, { headers: { 'mcp-name': header } });
    expect(textOf(await named('größe', '=?base64?Z3LDtsOfZQ==?='))).toBe('ran größe');
    runs = 0;
    const wrong = ['=?base64??=', '=?base64?=', '=?base64?%%%?=', '=?BASE64?Z3LDtsOfZQ==?=', '=?base64?Z3LDtsOfZQ?='];
    for (const header of wrong) {
      const reply = await named('größe', header);
      expect([header, reply.status, (reply.body as { error: { code: number } }).error.code]).toEqual([
        header,
        400,
        -32020,
      ]);
    }
    const single = body().replace('"echo"', '"a"');
    const doubled = await raw(url, { ...H, 'mcp-name': ['a', 'a'] }, single);
    expect([doubled.status, (JSON.parse(doubled.text) as { error: { code: number } }).error.code]).toEqual([
      400, -32020,
    ]);
    const nbsp = await raw(url, { ...H, 'mcp-name': '\u00a0a\u00a0' }, single);
    expect([nbsp.status, (JSON.parse(nbsp.text) as { error: { code: number } }).error.code]).toEqual([400, -32020]);
    expect(runs).toBe(0);
    const padded = await raw(url, { ...H, 'mcp-name': ' \ta ' }, single);
    expect(JSON.parse(padded.text)).toMatchObject({ result: { content: [{ text: 'ran a' }] } });
  });

  it('refuses a version it does not speak, and a request without the fields of _meta', async () => {
    const { call } = await served();
    const future = '2099-01-01';
    const version = await call(
      'tools/call',
      { name: 'echo' },
      {
        headers: { 'mcp-protocol-version': future },
        meta: { 'io.modelcontextprotocol/protocolVersion': future },
        id: 1,
      },
    );
    expect([version.status, version.body]).toMatchObject([
      400,
      { id: 1, error: { code: -32022, data: { supported: ['2026-07-28'], requested: future } } },
    ]);
    for (const meta of [
      { 'io.modelcontextprotocol/clientCapabilities': undefined },
      { 'io.modelcontextprotocol/protocolVersion': undefined },
      { 'io.modelcontextprotocol/clientCapabilities': null },
      { 'io.modelcontextprotocol/logLevel': 'loud' },
    ]) {
      const reply = await call('tools/call', { name: 'echo' }, { meta });
      expect([meta, reply.status, (reply.body as { error: { code: number } }).error.code]).toEqual([meta, 400, -32602]);
    }
    expect(runs).toBe(0);
  });

  it.each([[[1]], ['x'], [7], [null]])('arguments %j are refused', async (args) => {
    const { tool: call } = await served();
    const reply = await call('echo', args);
    expect([reply.status, (reply.body as { error: { code: number } }).error.code]).toEqual([200, -32602]);
    expect(runs).toBe(0);
  });

  it('arguments that nest without end or hold what JSON cannot carry are refused', async () => {
    const { tool: call } = await served();
    const deep = `${'['.repeat(100_000)}${']'.repeat(100_000)}`;
    for (const value of [deep, '1e999']) {
      const reply = await call('echo', { v: 'V' }, {}, { raw: (text) => text.replace('"V"', value) });
      expect([reply.status, (reply.body as { error: { code: number } }).error.code]).toEqual([200, -32602]);
    }
    const answers = await call(
      'pay',
      {},
      { inputResponses: { k: { v: 'V' } } },
      { raw: (text) => text.replace('"V"', deep) },
    );
    expect([answers.status, (answers.body as { error: { code: number } }).error.code]).toEqual([200, -32602]);
    expect(runs).toBe(0);
  });

  it('stray session and event ids are ignored', async () => {
    const { call } = await served();
    const headers = { 'mcp-session-id': 'stray', 'last-event-id': '7' };
    expect(textOf(await call('tools/call', { name: 'echo' }, { headers }))).toBe('ran echo');
  });

  it.each(['get', 'delete', 'put', 'patch'] as const)('C129 %s is 405 with a message', async (method) => {
    const { url } = await served();
    const reply = await request(url)[method]('/mcp');
    expect([reply.status, reply.headers['allow'], reply.body]).toEqual([
      405,
      'POST',
      { jsonrpc: '2.0', error: { code: -32600, message: 'Send MCP messages by POST.' } },
    ]);
  });

  describe('Host and Origin', () => {
    it('a foreign host on a loopback address is refused, naming the option', async () => {
      const { call } = await served();
      const reply = await call('tools/call', { name: 'echo' }, { headers: { host: 'evil.example' } });
      expect([reply.status, reply.body]).toMatchObject([
        403,
        { error: { code: -32600, message: expect.stringContaining('allowedHosts') } },
      ]);
      expect(reply.body).not.toHaveProperty('id');
      expect(runs).toBe(0);
    });

    it('allowedHosts and allowedOrigins decide', async () => {
      const { call } = await served({ allowedHosts: ['mcp.example'], allowedOrigins: ['https://app.example'] });
      const send = (headers: Record<string, string>) => call('tools/call', { name: 'echo' }, { headers });
      expect((await send({ host: 'mcp.example:8443' })).status).toBe(200);
      expect((await send({ host: '127.0.0.1' })).status).toBe(403);
      expect((await send({ host: 'mcp.example', origin: 'https://app.example' })).status).toBe(200);
      for (const origin of ['https://evil.example', 'null', 'http://app.example', 'https://app.example.evil.example']) {
        expect([origin, (await send({ host: 'mcp.example', origin })).status]).toEqual([origin, 403]);
      }
    });
  });

  it('path is relative to the mount point', async () => {
    const app = make();
    const { mrtr } = await import('../../lib/index.js');
    app.use((req, _res, next) => {
      Object.assign(req, { user: 'ann' });
      next();
    });
    app.use(mrtr({ server: { name: 's', version: '1' }, tools, path: '/deep/mcp', keys: rigKey() }));
    app.use((_req, res) => void res.status(404).send('not ours'));
    const url = await (await import('../support/http.js')).listen(app);
    for (const path of ['/deep/mcp', '/deep/mcp/']) {
      expect((await request(url).post(path).set(H).send(body())).body).toMatchObject({ result: {} });
    }
    for (const path of ['/', '/deep', '/deep/mcp/x', '/deep/mcpx']) {
      expect((await request(url).post(path).set(H).send(body())).text).toBe('not ours');
    }
  });

  it('a route that has chosen the path serves, too', async () => {
    const app = make();
    const authenticate: express.RequestHandler = (req, _res, next) => {
      Object.assign(req, { user: 'ann' });
      next();
    };
    const { mrtr } = await import('../../lib/index.js');
    const mcp = mrtr({ server: { name: 's', version: '1' }, tools, keys: rigKey() });
    app.post('/one', authenticate, mcp);
    app.all('/two', authenticate, mcp);
    const url = await listen(app);
    for (const path of ['/one', '/two']) {
      expect((await request(url).post(path).set(H).send(body())).body).toMatchObject({ result: {} });
    }
    expect((await request(url).get('/two')).status).toBe(405);
  });

  it.each([[[]], [[make.raw({ type: '*/*' })]], [[make.json()]]])(
    'C67 a charset that is not UTF-8 is refused, whatever stands in front: %#',
    async (before) => {
      const { url } = await served({ before });
      const sent = await raw(
        url,
        { ...H, 'content-type': 'application/json; charset=utf-16' },
        Buffer.from(body(), 'utf16le'),
      );
      expect([sent.status, runs]).toEqual([sent.status === 400 ? 400 : 415, 0]);
    },
  );

  it('C77 reading the body is no disconnect', async () => {
    const aborted: boolean[] = [];
    const slow = tool('slow', {}, async (_args, ctx) => {
      const { signal } = ctx;
      await new Promise((resolve) => setTimeout(resolve, 60));
      aborted.push(signal.aborted);
      return 'slow';
    });
    const agent = new http.Agent({ keepAlive: true });
    for (const before of [[], [make.json()]]) {
      const { url } = await served({ tools: [slow], before });
      const text = body().replace('"echo"', '"slow"');
      for (const extra of [{}, { expect: '100-continue' }, {}]) {
        const sent = await raw(url, { ...H, 'mcp-name': 'slow', ...extra }, text, agent);
        expect(JSON.parse(sent.text)).toMatchObject({ result: { content: [{ text: 'slow' }] } });
      }
    }
    agent.destroy();
    expect(aborted).toEqual([false, false, false, false, false, false]);
  });

  it('a client that goes away aborts the signal; nothing is written after it and asking rejects quietly', async () => {
    let seen: unknown;
    let started: () => void = () => undefined;
    const begun = new Promise<void>((resolve) => (started = resolve));
    const done = new Promise<void>((resolve) => {
      const wait = tool('wait', {}, async (_args, ctx) => {
        started();
        await new Promise<void>((aborted) => ctx.signal.addEventListener('abort', () => aborted()));
        try {
          await ctx.elicit({ message: 'Still there?', form: CONFIRM });
        } catch (error) {
          seen = (error as { code?: string }).code;
        }
        resolve();
        return 'too late';
      });
      void served({ tools: [wait] }).then(({ url }) => {
        const req = http.request(`${url}/mcp`, { method: 'POST', headers: { ...H, 'mcp-name': 'wait' } });
        req.on('error', () => undefined);
        req.end(body().replace('"echo"', '"wait"'));
        void begun.then(() => req.destroy());
      });
    });
    await done;
    expect(seen).toBe('ERR_MRTR_ROUND_OVER');
  });

  it('C82 settings of the app that rewrite JSON never touch the wire', async () => {
    const meta = tool('meta', {}, () => ({ content: [], structuredContent: { a: null, b: '<&>' }, _meta: { x: 1 } }));
    const { call, tool: callTool } = await served({
      tools: [meta, pay],
      before: [
        (req, _res, next) => {
          req.app.set('json replacer', (key: string, value: unknown) =>
            key.startsWith('_') || value === null ? undefined : value,
          );
          req.app.set('json spaces', 4);
          req.app.set('json escape', true);
          next();
        },
      ],
    });
    const reply = await call('tools/call', { name: 'meta' });
    expect(reply.body).toMatchObject({ result: { structuredContent: { a: null, b: '<&>' }, _meta: { x: 1 } } });
    expect(reply.text).not.toContain('\n');
    const { state } = askOf(await callTool('pay'));
    expect(textOf(await callTool('pay', {}, { requestState: state, inputResponses: { 'elicit-1': YES } }))).toBe(
      'paid 1',
    );
  });

  it('prompts and resources ask as tools do', async () => {
    const ask = prompt('ask', { argsSchema: z.object({ topic: z.string() }) }, async ({ topic }, ctx) =>
      (await ctx.confirm(`About ${topic}?`)) ? `Write about ${topic}` : 'Write nothing',
    );
    const secret = resource('secret', 'test://secret', {}, async (_uri, ctx) =>
      (await ctx.confirm('Really?')) ? 'open' : 'shut',
    );
    const { call } = await served({ prompts: [ask], resources: [secret] });
    const first = askOf(await call('prompts/get', { name: 'ask', arguments: { topic: 'tea' } }));
    const answer = { inputResponses: { [first.keys[0] ?? '']: YES } };
    const done = await call('prompts/get', {
      name: 'ask',
      arguments: { topic: 'tea' },
      requestState: first.state,
      ...answer,
    });
    expect(done.body).toMatchObject({
      result: { resultType: 'complete', messages: [{ role: 'user', content: { text: 'Write about tea' } }] },
    });
    const bad = await call('prompts/get', { name: 'ask', arguments: {} });
    expect([bad.status, bad.body]).toMatchObject([
      200,
      { error: { code: -32602, message: expect.stringContaining('topic') } },
    ]);
    const read = askOf(await call('resources/read', { uri: 'test://secret' }));
    const open = await call('resources/read', { uri: 'test://secret', requestState: read.state, ...answer });
    expect(open.body).toMatchObject({
      result: { contents: [{ uri: 'test://secret', text: 'open' }], ttlMs: 0, cacheScope: 'private' },
    });
  });
});

function rigKey(): string {
  return `mrtrk_${Buffer.from(Array.from({ length: 32 }, (_value, index) => index + 1)).toString('base64url')}`;
}

/** A request in every detail as given, which supertest would tidy up. */
function raw(
  url: string,
  headers: http.OutgoingHttpHeaders,
  body: string | Buffer,
  agent?: http.Agent,
): Promise<{ status: number; text: string }> {
  return new Promise((resolve, reject) => {
    const length = headers['transfer-encoding'] === undefined ? { 'content-length': Buffer.byteLength(body) } : {};
    const req = http.request(
      `${url}/mcp`,
      { method: 'POST', headers: { ...headers, ...length }, ...(agent && { agent }) },
      (res) => {
        let text = '';
        res.setEncoding('utf8');
        res.on('data', (chunk: string) => (text += chunk));
        res.on('end', () => resolve({ status: res.statusCode ?? 0, text }));
      },
    );
    req.on('error', reject);
    req.end(body);
  });
}
