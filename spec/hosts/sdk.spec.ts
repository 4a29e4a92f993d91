import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { toNodeHandler } from '@modelcontextprotocol/node';
import { completable, createMcpHandler, McpServer } from '@modelcontextprotocol/server';
import type express from 'express';
import request from 'supertest';
import { z } from 'zod';
import { field, form, prompt, resource, resourceTemplate, tool } from '../../lib/index.js';
import {
  askOf,
  closeAll,
  eventsOf,
  EXPRESSES,
  headersOf,
  metaOf,
  rig,
  textOf,
  YES,
  type RigOptions,
} from '../support/http.js';

const SERVER_INFO = { 'io.modelcontextprotocol/serverInfo': { name: 'test', version: '1.0.0' } };
const LEGACY = { 'content-type': 'application/json', accept: 'application/json, text/event-stream' };

afterAll(closeAll);

describe.each(EXPRESSES)('the rest of MCP on %s', (_name, make) => {
  let runs = 0;
  const definitions = {
    tools: [
      tool(
        'ask',
        {
          title: 'Ask',
          description: 'Asks',
          inputSchema: z.object({ n: z.number() }),
          annotations: { readOnlyHint: true },
        },
        async (_args, ctx) => {
          runs += 1;
          return String(await ctx.confirm('Sure?'));
        },
      ),
      tool('plain', {}, (_args, ctx) => {
        runs += 1;
        return `plain for ${ctx.principal?.subject} by ${ctx.protocolVersion}`;
      }),
      tool('throws', {}, () => {
        throw new Error('SENTINEL');
      }),
    ],
    prompts: [
      prompt(
        'code',
        {
          argsSchema: z.object({
            language: completable(z.string(), (value) => ['typescript', 'tcl'].filter((one) => one.startsWith(value))),
          }),
        },
        ({ language }) => `Write ${language}`,
      ),
      prompt('asks', {}, async (_args, ctx) => String(await ctx.confirm('Sure?'))),
    ],
    resources: [
      resource('fixed', 'test://fixed', { mimeType: 'text/plain', ttlMs: 5, requires: [] }, () => 'fixed'),
      resourceTemplate(
        'order',
        'test://orders/{id}',
        {
          list: () => [{ uri: 'test://orders/1', name: 'first' }],
          complete: { id: (value) => ['1', '12', '2'].filter((id) => id.startsWith(value)) },
        },
        (uri) => uri.href,
      ),
    ],
  };
  const served = (options: RigOptions = {}) => {
    runs = 0;
    return rig({ express: make, ...definitions, ...options });
  };
  const fronts: [string, RigOptions][] = [
    ['no parser', {}],
    ['express.json()', { before: [make.json()] }],
  ];

  it.each(fronts)(
    'serves discovery, lists and completion from the same definitions with %s',
    async (_front, options) => {
      const { call } = await served(options);
      const result = async (method: string, params: Record<string, unknown> = {}) => {
        const reply = await call(method, params);
        expect(reply.status).toBe(200);
        const { result: found } = reply.body as { result: Record<string, unknown> };
        expect(found).toMatchObject({ resultType: 'complete', _meta: SERVER_INFO });
        return found;
      };
      expect(await result('server/discover')).toMatchObject({
        supportedVersions: ['2026-07-28'],
        capabilities: {
          logging: {},
          completions: {},
          tools: { listChanged: true },
          prompts: { listChanged: true },
          resources: { listChanged: true, subscribe: true },
        },
      });
      expect(await result('tools/list')).toMatchObject({
        tools: [
          {
            name: 'ask',
            title: 'Ask',
            description: 'Asks',
            annotations: { readOnlyHint: true },
            inputSchema: { type: 'object', properties: { n: { type: 'number' } }, required: ['n'] },
          },
          { name: 'plain', inputSchema: { type: 'object' } },
          { name: 'throws' },
        ],
      });
      expect(await result('prompts/list')).toMatchObject({
        prompts: [{ name: 'code', arguments: [{ name: 'language', required: true }] }, { name: 'asks' }],
      });
      expect(await result('resources/list')).toMatchObject({
        resources: [
          { uri: 'test://fixed', name: 'fixed', mimeType: 'text/plain' },
          { uri: 'test://orders/1', name: 'first' },
        ],
      });
      expect(JSON.stringify(await result('resources/list'))).not.toContain('requires');
      expect(await result('resources/templates/list')).toMatchObject({
        resourceTemplates: [{ name: 'order', uriTemplate: 'test://orders/{id}' }],
      });
      const complete = async (ref: object, name: string, value: string) =>
        (await result('completion/complete', { ref, argument: { name, value } }))['completion'];
      expect(await complete({ type: 'ref/prompt', name: 'code' }, 'language', 't')).toMatchObject({
        values: ['typescript', 'tcl'],
      });
      expect(await complete({ type: 'ref/resource', uri: 'test://orders/{id}' }, 'id', '1')).toMatchObject({
        values: ['1', '12'],
      });
      expect(runs).toBe(0);
    },
  );

  it('an unknown method is 404 and -32601', async () => {
    const { call } = await served();
    const reply = await call('tools/fly', {}, { id: 3 });
    expect([reply.status, reply.body]).toMatchObject([404, { id: 3, error: { code: -32601 } }]);
  });

  it.each(['initialize', 'logging/setLevel', 'resources/subscribe', 'ping'])(
    'a method of earlier revisions is unknown in this one: %s',
    async (method) => {
      const { call } = await served();
      const reply = await call(method, {}, { id: 3 });
      expect([reply.status, reply.body]).toMatchObject([404, { id: 3, error: { code: -32601 } }]);
    },
  );

  it('mcp.notify reaches open subscriptions, mcp.close ends them', async () => {
    const { url, mcp } = await served();
    const params = {
      _meta: metaOf(),
      notifications: {
        toolsListChanged: true,
        promptsListChanged: true,
        resourcesListChanged: true,
        resourceSubscriptions: ['test://fixed'],
      },
    };
    const response = await fetch(`${url}/mcp`, {
      method: 'POST',
      headers: headersOf('subscriptions/listen'),
      body: JSON.stringify({ jsonrpc: '2.0', id: 'sub', method: 'subscriptions/listen', params }),
    });
    expect(response.headers.get('content-type')).toContain('text/event-stream');
    const events = eventStream(response);
    expect(await events.next()).toMatchObject({ value: { method: 'notifications/subscriptions/acknowledged' } });
    mcp.notify.toolsChanged();
    mcp.notify.promptsChanged();
    mcp.notify.resourcesChanged();
    mcp.notify.resourceUpdated('test://fixed');
    mcp.notify.resourceUpdated('test://other');
    const methods: unknown[] = [];
    for (let i = 0; i < 4; i += 1) methods.push(((await events.next()).value as { method: string }).method);
    expect(methods).toEqual([
      'notifications/tools/list_changed',
      'notifications/prompts/list_changed',
      'notifications/resources/list_changed',
      'notifications/resources/updated',
    ]);
    await mcp.close();
    for await (const rest of events) expect(rest).toMatchObject({ result: {} });
  });

  describe('fallthrough: true', () => {
    const behind = (app: express.Express): void => {
      const other = createMcpHandler(() => {
        const server = new McpServer({ name: 'behind', version: '1' });
        server.registerTool('theirs', { inputSchema: z.object({ q: z.string() }) }, ({ q }) => ({
          content: [{ type: 'text', text: `theirs ${q}` }],
        }));
        return server;
      });
      const serve = toNodeHandler(other);
      app.use('/mcp', (req, res) => void serve(req as never, res as never, req.body));
    };

    it.each(fronts)('a real SDK server behind answers what is not ours, with %s', async (_front, options) => {
      const { call, tool: callTool, post } = await served({ ...options, fallthrough: true, after: behind });
      expect(textOf(await callTool('theirs', { q: 'x' }))).toBe('theirs x');
      expect((await call('tools/list', {})).body).toMatchObject({ result: { tools: [{ name: 'theirs' }] } });
      expect((await call('server/discover', {})).body).toMatchObject({
        result: { _meta: { 'io.modelcontextprotocol/serverInfo': { name: 'behind' } } },
      });
      const { state } = askOf(await callTool('ask', { n: 1 }));
      expect(
        textOf(await callTool('ask', { n: 1 }, { requestState: state, inputResponses: { 'elicit-1': YES } })),
      ).toBe('true');
      const initialize = {
        jsonrpc: '2.0',
        id: 1,
        method: 'initialize',
        params: { protocolVersion: '2025-11-25', capabilities: {}, clientInfo: { name: 'c', version: '1' } },
      };
      expect((await post(initialize, LEGACY)).text).toContain('"behind"');
    });

    it('only what goes on is exempt from the principal', async () => {
      const { call, tool: callTool } = await served({ fallthrough: true, after: behind, user: () => undefined });
      expect(textOf(await callTool('theirs', { q: 'x' }))).toBe('theirs x');
      expect((await callTool('ask', { n: 1 })).status).toBe(401);
      expect((await call('prompts/get', { name: 'asks' })).status).toBe(401);
      expect(runs).toBe(0);
    });

    it('GET, other content types and malformed calls of ours', async () => {
      const passed: string[] = [];
      const after = (app: express.Express): void =>
        void app.use((req, res) => {
          passed.push(`${req.method} ${JSON.stringify(req.body ?? null)}`);
          res.status(204).end();
        });
      const { url, call, post } = await served({ fallthrough: true, after });
      expect((await request(url).get('/mcp')).status).toBe(204);
      expect((await request(url).post('/mcp').type('text').send('hi')).status).toBe(204);
      const broken = await call(
        'tools/call',
        { name: 'ask' },
        { meta: { 'io.modelcontextprotocol/clientCapabilities': undefined } },
      );
      expect([broken.status, (broken.body as { error: { code: number } }).error.code]).toEqual([400, -32602]);
      const batch = await post(
        [{ jsonrpc: '2.0', id: 1, method: 'tools/call', params: { name: 'ask', _meta: metaOf() } }],
        LEGACY,
      );
      expect(batch.status).toBe(400);
      const foreign = await call(
        'tools/call',
        { name: 'theirs' },
        { meta: { 'io.modelcontextprotocol/clientCapabilities': undefined } },
      );
      expect(foreign.status).toBe(204);
      expect(passed).toHaveLength(3);
    });
  });

  describe('C110 clients of earlier revisions', () => {
    const headers = { ...LEGACY, 'mcp-protocol-version': '2025-06-18' };
    const legacyCall = (method: string, params: object) => ({ jsonrpc: '2.0', id: 1, method, params });
    const resultOf = (text: string): unknown => JSON.parse(/^data: (.*)$/m.exec(text)?.[1] ?? text);

    it.each(fronts)(
      'initialize works, a tool that asks nothing runs, one that asks is a clear tool error at once, with %s',
      async (_front, options) => {
        const { post } = await served(options);
        const hello = await post(
          legacyCall('initialize', {
            protocolVersion: '2025-11-25',
            capabilities: {},
            clientInfo: { name: 'c', version: '1' },
          }),
          LEGACY,
        );
        expect(resultOf(hello.text)).toMatchObject({
          result: { protocolVersion: '2025-11-25', serverInfo: { name: 'test' } },
        });
        const plain = await post(legacyCall('tools/call', { name: 'plain', arguments: {} }), headers);
        expect(resultOf(plain.text)).toMatchObject({ result: { content: [{ text: 'plain for ann by 2025-06-18' }] } });
        const asks = await post(legacyCall('tools/call', { name: 'ask', arguments: { n: 1 } }), headers);
        expect(resultOf(asks.text)).toMatchObject({
          result: { isError: true, content: [{ text: expect.stringContaining('2026-07-28') }] },
        });
        for (const reply of [plain, asks]) {
          expect(reply.text).not.toContain('input_required');
          expect(reply.text).not.toContain('resultType');
        }
        const promptReply = await post(legacyCall('prompts/get', { name: 'asks' }), headers);
        expect(resultOf(promptReply.text)).toMatchObject({ error: { message: expect.stringContaining('2026-07-28') } });
        const read = await post(legacyCall('resources/read', { uri: 'test://fixed' }), headers);
        expect(resultOf(read.text)).toMatchObject({ result: { contents: [{ text: 'fixed' }] } });
        expect(read.text).not.toContain('ttlMs');
      },
    );

    it('a session that this server did not give is not found, and nothing runs', async () => {
      const { post } = await served();
      const refused = await eventsOf('mrtr:refused', async () => {
        const body = legacyCall('tools/call', { name: 'plain', arguments: {} });
        const reply = await post(body, { ...headers, 'mcp-session-id': 'abc' });
        expect([reply.status, reply.body]).toMatchObject([404, { id: 1, error: { code: -32600 } }]);
      });
      expect(refused).toEqual([{ method: 'tools/call', target: 'plain', reason: 'ERR_MRTR_SESSION' }]);
      expect(runs).toBe(0);
    });

    it('what a handler throws stays inside there, too', async () => {
      const { post } = await served();
      const errors = await eventsOf<{ code: string }>('mrtr:error', async () => {
        const reply = await post(legacyCall('tools/call', { name: 'throws', arguments: {} }), headers);
        expect(resultOf(reply.text)).toMatchObject({
          result: { isError: true, content: [{ text: 'The tool failed.' }] },
        });
      });
      expect(errors).toMatchObject([{ code: 'ERR_MRTR_HANDLER', target: 'throws' }]);
    });

    it('legacy: false refuses them, naming the revision', async () => {
      const { post } = await served({ legacy: false });
      const reply = await post(
        legacyCall('initialize', {
          protocolVersion: '2025-11-25',
          capabilities: {},
          clientInfo: { name: 'c', version: '1' },
        }),
        LEGACY,
      );
      expect([reply.status, reply.body]).toMatchObject([
        400,
        { error: { code: -32022, data: { supported: ['2026-07-28'] } } },
      ]);
      await post(legacyCall('tools/call', { name: 'plain' }), headers);
      expect(runs).toBe(0);
    });
  });

  it('C101 C102 C103 capabilities gate every method, after work and inside a catch, and nothing is sealed', async () => {
    let sealed = 0;
    const codec = {
      seal: () => {
        sealed += 1;
        return 'x';
      },
      unseal: () => undefined,
    };
    const caught = tool('caught', {}, async (_args, ctx) => {
      await new Promise((resolve) => setTimeout(resolve, 5));
      try {
        await ctx.elicit({ message: 'Name?', form: form({ name: field.string() }) });
      } catch {
        return 'as if nothing had happened';
      }
      return 'asked';
    });
    const link = tool(
      'link',
      {},
      async (_args, ctx) => (await ctx.elicitUrl({ message: 'Open', url: 'https://x.example' })).action,
    );
    const prompts = [prompt('p', {}, async (_args, ctx) => String(await ctx.confirm('Sure?')))];
    const resources = [resource('r', 'test://r', {}, async (_uri, ctx) => String(await ctx.confirm('Sure?')))];
    const gated = tool('gated', { requires: ['elicitation.form', 'sampling'] }, () => {
      runs += 1;
      return 'ran';
    });
    const { call } = await served({ codec, tools: [caught, link, gated], prompts, resources });
    const form1 = { elicitation: { form: {} } };
    const cases: [string, Record<string, unknown>, unknown, object | undefined][] = [
      ['tools/call', { name: 'caught' }, {}, form1],
      ['tools/call', { name: 'caught' }, { elicitation: { url: {} } }, form1],
      ['tools/call', { name: 'caught' }, { elicitation: { someFuture: {} } }, form1],
      ['prompts/get', { name: 'p' }, {}, form1],
      ['resources/read', { uri: 'test://r' }, {}, form1],
      ['tools/call', { name: 'link' }, {}, { elicitation: { url: {} } }],
      ['tools/call', { name: 'link' }, { elicitation: {} }, { elicitation: { url: {} } }],
      ['tools/call', { name: 'gated' }, {}, { elicitation: { form: {} }, sampling: {} }],
      ['tools/call', { name: 'caught' }, { elicitation: {} }, undefined],
      ['tools/call', { name: 'caught' }, { elicitation: { form: {} } }, undefined],
      ['tools/call', { name: 'caught' }, { elicitation: { form: {}, url: {} } }, undefined],
      ['tools/call', { name: 'link' }, { elicitation: { url: {} } }, undefined],
    ];
    for (const [method, params, capabilities, requiredCapabilities] of cases) {
      sealed = 0;
      const reply = await call(method, params, { capabilities, id: 1 });
      if (requiredCapabilities === undefined) {
        askOf(reply);
        expect(sealed).toBe(1);
      } else {
        expect([reply.status, reply.body]).toMatchObject([
          400,
          { id: 1, error: { code: -32021, data: { requiredCapabilities } } },
        ]);
        expect(reply.text).not.toContain('inputRequests');
        expect(sealed).toBe(0);
      }
    }
    expect(runs).toBe(0);
  });

  it('C128 an unused middleware leaves nothing that keeps a process alive', async () => {
    const script = `
      import { mrtr, tool } from './lib/index.ts';
      mrtr({ server: { name: 's', version: '1' }, keys: 'mrtrk_${Buffer.from('a key of thirty-two bytes, or so').toString('base64url')}', tools: [tool('t', {}, () => 'x')] });
      console.log('made');
    `;
    const { stdout } = await promisify(execFile)(
      process.execPath,
      ['--import', 'tsx', '--input-type=module', '-e', script],
      { timeout: 20_000 },
    );
    expect(stdout.trim()).toBe('made');
  });
});

/** The JSON messages of an event stream. */
async function* eventStream(response: Response): AsyncGenerator<Record<string, unknown>> {
  const decoder = new TextDecoder();
  let text = '';
  if (response.body === null) return;
  for await (const chunk of response.body as unknown as AsyncIterable<Uint8Array>) {
    text += decoder.decode(chunk, { stream: true });
    const events = text.split('\n\n');
    text = events.pop() ?? '';
    for (const event of events) {
      const data = /^data: (.*)$/m.exec(event)?.[1];
      if (data !== undefined && data !== '') yield JSON.parse(data) as Record<string, unknown>;
    }
  }
}
