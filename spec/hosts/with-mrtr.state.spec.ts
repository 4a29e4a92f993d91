import { channel } from 'node:diagnostics_channel';
import type { Client } from '@modelcontextprotocol/client';
import { McpServer, ResourceTemplate } from '@modelcontextprotocol/server';
import { z } from 'zod';
import type { SdkMrtr } from '../../lib/hosts/sdk-mrtr.js';
import type { RefusedEvent, SdkContext } from '../../lib/sdk.js';
import { Clock } from '../support/clock.js';
import { OTHER_KEY } from '../support/http.js';
import { closeClients, connect, ERAS, serve, testMrtr } from '../support/sdk.js';

const MODERN = ERAS[0][1];
const YES = { action: 'accept', content: { confirm: true } };

let runs = 0;
const refused: RefusedEvent[] = [];
const listen = (event: unknown): void => void refused.push(event as RefusedEvent);

beforeEach(() => {
  runs = 0;
  refused.length = 0;
  channel('mrtr:refused').subscribe(listen);
});
afterEach(() => channel('mrtr:refused').unsubscribe(listen));
afterAll(closeClients);

async function ask({ confirm }: SdkContext): Promise<boolean> {
  runs += 1;
  return confirm('Sure?', { key: 'sure' });
}

function serverOf({ attach, withMrtr }: SdkMrtr): McpServer {
  const server = attach(new McpServer({ name: 'test', version: '1.0.0' }));
  const inputSchema = z.object({ id: z.string().optional() });
  const act = withMrtr(async ({ id }: { id?: string | undefined }, ctx: SdkContext) =>
    (await ask(ctx)) ? `done ${id}` : 'kept',
  );
  server.registerTool('delete', { inputSchema }, act);
  server.registerTool('archive', { inputSchema }, act);
  server.registerPrompt(
    'delete',
    {},
    withMrtr(async (ctx) => ((await ask(ctx)) ? 'Dear' : 'Hi')),
  );
  server.registerResource(
    'vault',
    new ResourceTemplate('test://{id}', { list: undefined }),
    {},
    withMrtr(async (_uri, _variables, ctx) => ((await ask(ctx)) ? 'gold' : 'shut')),
  );
  return server;
}

type Params = Record<string, unknown>;
type Call = (method: 'tools/call' | 'prompts/get' | 'resources/read', params: Params) => Promise<Params>;

async function caller(mrtr: SdkMrtr, user?: string): Promise<Call> {
  const url = await serve(() => serverOf(mrtr));
  const { client } = await connect(url, MODERN, undefined, {
    ...(user !== undefined && { user }),
    inputRequired: { autoFulfill: false },
  });
  return callerOf(client);
}

function callerOf(client: Client): Call {
  return (method, params) => client.request({ method, params } as never, { allowInputRequired: true } as never);
}

const FIRST = { name: 'delete', arguments: { id: 'a' } };
const answered = (first: Params, params: Params = FIRST): Params => ({
  ...params,
  inputResponses: { sure: YES },
  requestState: first['requestState'],
});

const INVALID = { code: -32602, message: 'Invalid or expired requestState', data: { reason: 'invalid_request_state' } };

describe('a state of withMrtr', () => {
  it('is sealed, and takes the flow on', async () => {
    const call = await caller(testMrtr());
    const first = await call('tools/call', FIRST);
    expect(first).toMatchObject({
      resultType: 'input_required',
      inputRequests: { sure: { params: { mode: 'form' } } },
    });
    expect(first['requestState']).toMatch(/^mrtr1\./);
    expect(await call('tools/call', answered(first))).toMatchObject({ content: [{ text: 'done a' }] });
    expect(runs).toBe(2);
  });

  it('goes on at another server with the same key, and with absent arguments for empty ones', async () => {
    const first = await (await caller(testMrtr()))('tools/call', { name: 'delete', arguments: {} });
    const there = await caller(testMrtr());
    expect(await there('tools/call', answered(first, { name: 'delete' }))).toMatchObject({
      content: [{ text: 'done undefined' }],
    });
  });

  const elsewhere: readonly (readonly [string, Parameters<Call>[0], Params, string])[] = [
    ['of other arguments', 'tools/call', { name: 'delete', arguments: { id: 'b' } }, 'ERR_MRTR_STATE_PARAMS'],
    ['of another tool', 'tools/call', { name: 'archive', arguments: { id: 'a' } }, 'ERR_MRTR_STATE_UNVERIFIED'],
    ['of a prompt of the same name', 'prompts/get', { name: 'delete' }, 'ERR_MRTR_STATE_UNVERIFIED'],
    ['of a resource', 'resources/read', { uri: 'test://delete' }, 'ERR_MRTR_STATE_UNVERIFIED'],
  ];
  it.each(elsewhere)('is refused in a call %s', async (_what, method, params, reason) => {
    const call = await caller(testMrtr());
    const first = await call('tools/call', FIRST);
    await expect(call(method, answered(first, params))).rejects.toMatchObject(INVALID);
    expect([runs, refused.map((event) => event.reason)]).toEqual([1, [reason]]);
  });

  it('of one URI of a template is refused in a call of another, and its event does not name the URI', async () => {
    const call = await caller(testMrtr());
    const first = await call('resources/read', { uri: 'test://mine' });
    await expect(call('resources/read', answered(first, { uri: 'test://yours' }))).rejects.toMatchObject(INVALID);
    expect(refused).toEqual([{ method: 'resources/read', target: '', reason: 'ERR_MRTR_STATE_UNVERIFIED' }]);
    expect(runs).toBe(1);
  });

  it('is refused from another user, who is served in a flow of her own', async () => {
    const mrtr = testMrtr();
    const first = await (await caller(mrtr, 'ann'))('tools/call', FIRST);
    const bob = await caller(mrtr, 'bob');
    await expect(bob('tools/call', answered(first))).rejects.toMatchObject(INVALID);
    expect([runs, refused.map((event) => event.reason)]).toEqual([1, ['ERR_MRTR_STATE_UNVERIFIED']]);
    expect(await bob('tools/call', FIRST)).toMatchObject({ resultType: 'input_required' });
  });

  const spoiled: readonly (readonly [string, (state: string) => unknown, string])[] = [
    ['altered', (state) => state.slice(0, -3) + (state.at(-3) === 'A' ? 'B' : 'A') + state.slice(-2), 'UNVERIFIED'],
    ['cut short', (state) => state.slice(0, 20), 'MALFORMED'],
    ['empty', () => '', 'MALFORMED'],
    ['too long', (state) => state.padEnd(50_000, 'A'), 'MALFORMED'],
  ];
  it.each(spoiled)('is refused when %s', async (_what, spoil, reason) => {
    const call = await caller(testMrtr());
    const first = await call('tools/call', FIRST);
    const params = { ...answered(first), requestState: spoil(first['requestState'] as string) };
    await expect(call('tools/call', params)).rejects.toMatchObject(INVALID);
    expect([runs, refused.map((event) => event.reason)]).toEqual([1, [`ERR_MRTR_STATE_${reason}`]]);
  });

  it.each([
    ['audience', { audience: 'other' }, 'UNVERIFIED'],
    ['key', { keys: OTHER_KEY }, 'UNKNOWN_KEY'],
  ])('is refused by a service with another %s', async (_what, options, reason) => {
    const first = await (await caller(testMrtr()))('tools/call', FIRST);
    const there = await caller(testMrtr(options));
    await expect(there('tools/call', answered(first))).rejects.toMatchObject(INVALID);
    expect([runs, refused.map((event) => event.reason)]).toEqual([1, [`ERR_MRTR_STATE_${reason}`]]);
  });

  it('is refused once it has expired', async () => {
    const clock = new Clock();
    const call = await caller(testMrtr({ ttlSeconds: 60 }, clock.now));
    const first = await call('tools/call', FIRST);
    clock.advance(59_999);
    expect(await call('tools/call', answered(first))).toMatchObject({ content: [{ text: 'done a' }] });
    clock.advance(1);
    await expect(call('tools/call', answered(first))).rejects.toMatchObject(INVALID);
    expect([runs, refused.map((event) => event.reason)]).toEqual([2, ['ERR_MRTR_STATE_EXPIRED']]);
  });
});
