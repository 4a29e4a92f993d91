import { channel } from 'node:diagnostics_channel';
import { toNodeHandler } from '@modelcontextprotocol/node';
import { createMcpHandler, InMemoryTransport, McpServer, type ServerOptions } from '@modelcontextprotocol/server';
import express from 'express';
import { z } from 'zod';
import type { SdkMrtr } from '../../lib/hosts/sdk-mrtr.js';
import { sdkMrtr, ToolError, type ErrorInfo, type SdkContext, type SdkMrtrOptions } from '../../lib/sdk.js';
import { KEY, listen } from '../support/http.js';
import { closeClients, connect, createClient, ERAS, serve, testMrtr } from '../support/sdk.js';

const MODERN = ERAS[0][1];
const INTERNAL = 'Internal error. The operator of this server can see the reason in its events.';

afterAll(closeClients);

/** A server with one handler as a tool, a prompt and a resource, and what `onError` was told. */
function rig(
  handler: (ctx: SdkContext) => unknown,
  options: Partial<SdkMrtrOptions> = {},
  serverOptions: ServerOptions = {},
): { createServer: () => McpServer; reports: [unknown, ErrorInfo][] } {
  const reports: [unknown, ErrorInfo][] = [];
  const mrtr = testMrtr({ onError: (error, info) => void reports.push([error, info]), ...options });
  return { createServer: () => serverOf(mrtr, mrtr.attach, handler, serverOptions), reports };
}

function serverOf(
  { withMrtr }: SdkMrtr,
  attach: SdkMrtr['attach'],
  handler: (ctx: SdkContext) => unknown,
  options: ServerOptions = {},
): McpServer {
  const server = attach(new McpServer({ name: 'test', version: '1.0.0' }, options));
  const callback = withMrtr(handler as () => never);
  server.registerTool('it', {}, callback);
  server.registerPrompt('it', {}, callback);
  server.registerResource(
    'it',
    'test://it',
    {},
    withMrtr((_uri, ctx) => handler(ctx) as never),
  );
  return server;
}

describe.each(ERAS)('what goes to a client of %s when things fail', (_version, mode) => {
  async function calls(createServer: () => McpServer, user?: string) {
    const { client } = await connect(await serve(createServer), mode, undefined, {
      capabilities: {},
      ...(user !== undefined && { user }),
    });
    return [
      () => client.callTool({ name: 'it' }),
      () => client.getPrompt({ name: 'it' }),
      () => client.readResource({ uri: 'test://it' }),
    ] as const;
  }

  it('is a generic text of a tool and -32603 of the others when a handler throws; onError gets the error', async () => {
    const error = new Error('secret of the handler');
    const { createServer, reports } = rig(() => Promise.reject(error));
    const [tool, prompt, resource] = await calls(createServer);
    expect(await tool()).toMatchObject({ isError: true, content: [{ text: 'The tool failed.' }] });
    await expect(prompt()).rejects.toMatchObject({ code: -32603, message: INTERNAL });
    await expect(resource()).rejects.toMatchObject({ code: -32603, message: INTERNAL });
    expect(reports).toEqual([
      [error, expect.objectContaining({ code: 'ERR_MRTR_HANDLER', method: 'tools/call', target: 'it' })],
      [error, expect.objectContaining({ code: 'ERR_MRTR_HANDLER', method: 'prompts/get', target: 'it' })],
      [error, expect.objectContaining({ code: 'ERR_MRTR_HANDLER', method: 'resources/read', target: 'test://it' })],
    ]);
  });

  it('is -32603 with the same text, of a tool, too, when a result is none of its method', async () => {
    const { createServer, reports } = rig(() => ({ content: 'no blocks' }));
    for (const call of await calls(createServer)) {
      await expect(call()).rejects.toMatchObject({ code: -32603, message: INTERNAL });
    }
    expect(reports.map(([, { code }]) => code)).toEqual(['ERR_MRTR_RESULT', 'ERR_MRTR_RESULT', 'ERR_MRTR_RESULT']);
  });

  it('is -32603 when a result holds what JSON cannot carry', async () => {
    const { createServer } = rig(() => ({ content: [], structuredContent: { n: 1n } }));
    const [tool] = await calls(createServer);
    await expect(tool()).rejects.toMatchObject({ code: -32603, message: INTERNAL });
  });

  it('is -32603 when a handler returns an ask that was made by hand', async () => {
    const { createServer } = rig(() => ({ resultType: 'input_required', requestState: 'mine' }));
    for (const call of await calls(createServer)) {
      await expect(call()).rejects.toMatchObject({ code: -32603, message: INTERNAL });
    }
  });

  it('is the message under exposeErrors', async () => {
    const { createServer } = rig(() => Promise.reject(new TypeError('no table')), { exposeErrors: true });
    const [tool, prompt] = await calls(createServer);
    expect(await tool()).toMatchObject({ isError: true, content: [{ text: 'TypeError: no table' }] });
    await expect(prompt()).rejects.toMatchObject({ code: -32603, message: 'TypeError: no table' });
  });

  it('is a missing capability, even where the handler catches what the question throws', async () => {
    const { createServer } = rig(({ confirm }) => confirm('Sure?').then(String, () => 'went on'));
    const [tool, prompt, resource] = await calls(createServer);
    if (mode === 'legacy') {
      const text = expect.stringContaining('cannot be asked for') as string;
      expect(await tool()).toMatchObject({ isError: true, content: [{ text }] });
      for (const call of [prompt, resource]) {
        await expect(call()).rejects.toMatchObject({ code: -32600, message: text });
      }
    } else {
      const data = { requiredCapabilities: { elicitation: { form: {} } } };
      for (const call of [tool, prompt, resource]) await expect(call()).rejects.toMatchObject({ code: -32021, data });
    }
  });

  it('is -32600 to nobody, and anonymous lets nobody in', async () => {
    let runs = 0;
    const handler = (): string => String((runs += 1));
    const nobody = { principal: () => null };
    for (const call of await calls(rig(handler, nobody).createServer)) {
      await expect(call()).rejects.toMatchObject({ code: -32600, message: 'Authentication is required.' });
    }
    expect(runs).toBe(0);
    const [tool] = await calls(rig(handler, { ...nobody, anonymous: true }).createServer);
    expect(await tool()).toMatchObject({ content: [{ text: '1' }] });
  });

  it.each([
    ['throws', () => Promise.reject(new Error('secret of the directory'))],
    ['names nobody', () => ({}) as never],
  ])('is -32603 when the principal option %s, and the handler does not run', async (_what, principal) => {
    let runs = 0;
    const { createServer, reports } = rig(() => String((runs += 1)), { principal });
    for (const call of await calls(createServer)) {
      await expect(call()).rejects.toMatchObject({ code: -32603, message: INTERNAL });
    }
    expect([runs, reports.map(([, { code }]) => code)]).toEqual([0, Array(3).fill('ERR_MRTR_PRINCIPAL')]);
  });

  it('says how to prepare a server that attach did not, and the handler does not run', async () => {
    let runs = 0;
    const other = testMrtr();
    const mrtr = testMrtr();
    const handler = (): string => String((runs += 1));
    const fix = expect.stringContaining('write attach(new McpServer(…))') as string;
    for (const attach of [(<S>(server: S) => server) as SdkMrtr['attach'], other.attach]) {
      const [tool, prompt] = await calls(() => serverOf(mrtr, attach, handler));
      expect(await tool()).toMatchObject({ isError: true, content: [{ text: fix }] });
      await expect(prompt()).rejects.toMatchObject({ code: -32603, message: fix });
    }
    expect(runs).toBe(0);
  });
});

describe('who the principal is by default', () => {
  const principal = ({ principal: own }: SdkContext): string => JSON.stringify(own);

  it('is nobody over HTTP without authInfo, whether the client is of this revision or an earlier one', async () => {
    const { createServer } = rig(principal);
    const node = toNodeHandler(createMcpHandler(createServer));
    const app = express().all('/mcp', (req, res) => void node(req, res));
    const url = await listen(app);
    for (const [, mode] of ERAS) {
      const { client } = await connect(url, mode, undefined);
      const refused = { code: -32600, message: 'Authentication is required.' };
      await expect(client.callTool({ name: 'it' })).rejects.toMatchObject(refused);
    }
  });

  it('is an error of the set-up when authInfo names a client alone', async () => {
    const { createServer, reports } = rig(principal);
    const node = toNodeHandler(createMcpHandler(createServer));
    const auth = { token: 't', clientId: 'cli', scopes: [] };
    const url = await listen(express().all('/mcp', (req, res) => void node(Object.assign(req, { auth }), res)));
    const { client } = await connect(url, MODERN, undefined);
    await expect(client.callTool({ name: 'it' })).rejects.toMatchObject({ code: -32603, message: INTERNAL });
    expect(String(reports[0]?.[0])).toContain('extra.sub is missing');
  });

  it('is the one user of the process without HTTP', async () => {
    const { createServer } = rig(principal);
    const [here, there] = InMemoryTransport.createLinkedPair();
    await createServer().connect(there);
    const { client } = createClient('legacy', undefined);
    await client.connect(here);
    const text = '{"issuer":"urn:express-mrtr:stdio","subject":"local"}';
    expect(await client.callTool({ name: 'it' })).toMatchObject({ content: [{ text }] });
  });
});

describe('a handler under sdkMrtr', () => {
  it('ends at handlerTimeoutSeconds, and its signal aborts', async () => {
    let signal: AbortSignal | undefined;
    const { createServer, reports } = rig(
      (ctx) => {
        signal = ctx.signal;
        return new Promise(() => undefined);
      },
      { handlerTimeoutSeconds: 0.05 },
    );
    const { client } = await connect(await serve(createServer), MODERN, undefined);
    await expect(client.callTool({ name: 'it' })).rejects.toMatchObject({ code: -32603, message: INTERNAL });
    expect([signal?.aborted, reports[0]?.[1].code]).toEqual([true, 'ERR_MRTR_HANDLER_TIMEOUT']);
  });

  it('cannot ask a client of an earlier revision on a connection without session', async () => {
    let runs = 0;
    const { createServer } = rig(({ confirm }) => confirm(`Sure ${(runs += 1)}?`).then(String));
    const node = toNodeHandler(createMcpHandler(createServer));
    const auth = { token: 't', clientId: '', scopes: [], extra: { sub: 'ann' } };
    const url = await listen(express().all('/mcp', (req, res) => void node(Object.assign(req, { auth }), res)));
    const { client, asked } = await connect(url, 'legacy', () => ({ action: 'decline' }));
    const text = expect.stringContaining('no session through which to ask') as string;
    expect(await client.callTool({ name: 'it' })).toMatchObject({ isError: true, content: [{ text }] });
    expect([runs, asked]).toEqual([1, []]);
  });

  it('ends a flow at maxRounds', async () => {
    const { createServer } = rig(
      async ({ confirm }) => {
        for (;;) await confirm('Again?');
      },
      { maxRounds: 2 },
    );
    const { client, asked } = await connect(await serve(createServer), MODERN, () => ({
      action: 'accept',
      content: { confirm: true },
    }));
    await expect(client.callTool({ name: 'it' })).rejects.toMatchObject({ code: -32602 });
    expect(asked).toHaveLength(2);
  });

  it('leaves handlers beside it as they are, the ask made by hand included', async () => {
    const { createServer } = rig(() => 'unused');
    const url = await serve(() => {
      const server = createServer();
      server.registerTool('own', { inputSchema: z.object({}) }, (_args, ctx) => {
        const state = ctx.mcpReq.requestState<string>();
        if (state !== undefined) return { content: [{ type: 'text', text: state }] };
        return { resultType: 'input_required', requestState: 'its own' } as never;
      });
      server.registerTool('throws', {}, () => {
        throw new ToolError('as the SDK sends it');
      });
      return server;
    });
    const { client } = await connect(url, MODERN, undefined);
    expect(await client.callTool({ name: 'own' })).toMatchObject({ content: [{ text: 'its own' }] });
    expect(await client.callTool({ name: 'throws' })).toMatchObject({ content: [{ text: 'as the SDK sends it' }] });
  });

  it('fails closed under a requestState hook of the server: its states are not the hook’s', async () => {
    let runs = 0;
    const handler = async ({ confirm }: SdkContext): Promise<string> => {
      runs += 1;
      return String(await confirm('Sure?'));
    };
    const { createServer, reports } = rig(handler, {}, { requestState: { verify: () => ({ decoded: true }) } });
    const answer = () => ({ action: 'accept' as const, content: { confirm: true } });
    const { client } = await connect(await serve(createServer), MODERN, answer);
    await expect(client.callTool({ name: 'it' })).rejects.toMatchObject({ code: -32603, message: INTERNAL });
    expect([runs, String(reports[0]?.[0])]).toEqual([1, expect.stringContaining('Leave the requestState option out')]);
  });

  it('publishes its rounds', async () => {
    const events: object[] = [];
    const hear = (event: unknown): void => void events.push(event as object);
    channel('mrtr:round').subscribe(hear);
    try {
      const { createServer } = rig(({ confirm }) => confirm('Sure?').then(String));
      const answer = () => ({ action: 'accept' as const, content: { confirm: true } });
      const { client } = await connect(await serve(createServer), MODERN, answer);
      await client.callTool({ name: 'it' });
    } finally {
      channel('mrtr:round').unsubscribe(hear);
    }
    const shared = { method: 'tools/call', target: 'it', flowId: expect.any(String) as string };
    expect(events).toMatchObject([
      { ...shared, round: 1, outcome: 'input_required', answered: 0, questions: [{ key: 'elicit-1', kind: 'elicit' }] },
      { ...shared, round: 2, outcome: 'complete', answered: 1, questions: [] },
    ]);
  });
});

describe('sdkMrtr()', () => {
  const wrong: readonly (readonly [string, unknown, string])[] = [
    ['no options', undefined, 'write sdkMrtr({ audience: "shop" })'],
    ['no audience', { keys: KEY }, 'option "audience" must be a text that names this service; got undefined'],
    ['an empty audience', { audience: '' }, 'option "audience" must be a text that names this service; got ""'],
    ['single use', { audience: 'a', replay: {} }, 'option "replay" is not an option of sdkMrtr(); it takes audience'],
    [
      'a principal of another type',
      { audience: 'a', keys: KEY, principal: {} },
      'option "principal" must be a function',
    ],
    ['an option out of range', { audience: 'a', keys: KEY, ttlSeconds: 0 }, 'option "ttlSeconds" must be a finite'],
    ['keys that are undefined', { audience: 'a', keys: undefined }, 'option "keys" is undefined'],
  ];
  it.each(wrong)('throws for %s', (_what, options, message) => {
    const make = (): unknown => sdkMrtr(options as SdkMrtrOptions);
    expect(make).toThrow(expect.objectContaining({ code: 'ERR_MRTR_OPTION' }) as Error);
    expect(make).toThrow(message);
  });

  it('attaches to a server before anything is registered, or throws', () => {
    const { attach, withMrtr } = testMrtr();
    const late = new McpServer({ name: 'test', version: '1.0.0' });
    late.registerTool(
      'it',
      {},
      withMrtr(() => 'text'),
    );
    const message = 'attach came too late: the server handles tools/call already. Write attach(new McpServer(…))';
    expect(() => attach(late)).toThrow(message);
    const declared = new McpServer({ name: 'test', version: '1.0.0' }, { capabilities: { prompts: {} } });
    expect(() => attach(declared)).toThrow('attach came too late: the server handles prompts/get already');
    const server = new McpServer({ name: 'test', version: '1.0.0' });
    expect(attach(server)).toBe(server);
  });

  it('refuses a handler that is none', () => {
    expect(() => testMrtr().withMrtr('text' as never)).toThrow('withMrtr needs a handler; got string.');
  });
});
