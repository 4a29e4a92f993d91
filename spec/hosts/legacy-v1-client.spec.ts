import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js';
import {
  CreateMessageRequestSchema,
  ElicitRequestSchema,
  ListRootsRequestSchema,
  type ClientCapabilities,
  type ElicitResult,
} from '@modelcontextprotocol/sdk/types.js';
import { setTimeout as delay } from 'node:timers/promises';
import { ElicitationTimeoutError, field, form, MemoryMailbox, prompt, resource, tool } from '../../lib/index.js';
import { closeAll, EXPRESSES, rig, type RigOptions } from '../support/http.js';
import { ManualClock } from '../support/mailbox.js';
import { WireRecord } from '../support/wire-record.js';

interface Asked {
  readonly message: string;
  readonly mode?: string | undefined;
  readonly elicitationId?: string;
  readonly signal: AbortSignal;
}
type Answering = (asked: Asked) => ElicitResult | Promise<ElicitResult>;

const EVERYTHING: ClientCapabilities = { elicitation: { form: {}, url: {} }, sampling: {}, roots: {} };

/** Runs of the handlers, and the signals that they saw. */
let runs = 0;
let signals: AbortSignal[] = [];

const definitions = {
  tools: [
    tool('order', { title: 'Order' }, async (_args, ctx) => {
      runs += 1;
      signals.push(ctx.signal);
      ctx.progress(1, 2, 'asking');
      const [size, gift] = await Promise.all([
        ctx.elicit({ message: 'Size?', form: form({ size: field.choice(['S', 'M']) }) }),
        ctx.confirm('A gift?'),
      ]);
      ctx.progress(2, 2);
      return `${size.action === 'accept' ? size.content.size : size.action} ${gift}`;
    }),
    tool('ship', {}, async (_args, ctx) => {
      runs += 1;
      signals.push(ctx.signal);
      try {
        return String(await ctx.confirm('Ship?'));
      } catch (error) {
        if (error instanceof ElicitationTimeoutError) return `late: ${error.code}`;
        throw error;
      }
    }),
    tool('pay', {}, async (_args, ctx) => (await ctx.elicitUrl({ message: 'Pay', url: 'https://pay.example' })).action),
    tool('model', {}, async (_args, ctx) => {
      const [root] = await ctx.listRoots();
      const content = { type: 'text', text: root?.uri ?? '' };
      const said = await ctx.sample({ messages: [{ role: 'user', content }], maxTokens: 9 });
      return `${said.model}: ${JSON.stringify(said.content)}`;
    }),
  ],
  prompts: [prompt('letter', {}, async (_args, ctx) => ((await ctx.confirm('Formal?')) ? 'Dear' : 'Hi'))],
  resources: [
    resource('vault', 'test://vault', { ttlMs: 5, cacheScope: 'public' }, async (_uri, ctx) =>
      (await ctx.confirm('Open?')) ? 'gold' : 'shut',
    ),
  ],
};

const open: Client[] = [];
let records: WireRecord[] = [];

beforeEach(() => {
  runs = 0;
  signals = [];
  records = [];
});

afterEach(() => {
  expect(records.length).toBeGreaterThan(0);
  for (const record of records) {
    expect(record.messages.length).toBeGreaterThan(0);
    expect(record.modernMembers).toEqual([]);
  }
});

afterAll(async () => {
  await Promise.all(open.map((client) => client.close()));
  await closeAll();
});

const fill: Answering = ({ message }) => ({
  action: 'accept',
  content: message.startsWith('Size?') ? { size: 'M' } : { confirm: true },
});

/** A client that was made, connected or not, and what it has been asked. */
function clientOf(answer: Answering, capabilities: ClientCapabilities): { client: Client; asked: Asked[] } {
  const client = new Client({ name: 'v1', version: '1.0.0' }, { capabilities });
  open.push(client);
  const asked: Asked[] = [];
  if (capabilities.elicitation !== undefined) {
    client.setRequestHandler(ElicitRequestSchema, ({ params }, { signal }) => {
      const question = { ...params, signal };
      asked.push(question);
      return answer(question);
    });
  }
  if (capabilities.sampling !== undefined) {
    client.setRequestHandler(CreateMessageRequestSchema, ({ params }) => ({
      role: 'assistant',
      model: 'm1',
      content: { type: 'text', text: JSON.stringify(params.messages[0]?.content) },
    }));
  }
  if (capabilities.roots !== undefined) {
    client.setRequestHandler(ListRootsRequestSchema, () => ({ roots: [{ uri: 'file:///work' }] }));
  }
  return { client, asked };
}

interface Connected {
  readonly client: Client;
  readonly asked: Asked[];
  readonly transport: StreamableHTTPClientTransport;
}

async function connectTo(
  url: string,
  answer: Answering = fill,
  capabilities: ClientCapabilities = EVERYTHING,
  sessionId?: string,
): Promise<Connected> {
  const made = clientOf(answer, capabilities);
  const session = sessionId === undefined ? {} : { sessionId };
  const transport = new StreamableHTTPClientTransport(new URL(`${url}/mcp`), session);
  await made.client.connect(transport);
  return { ...made, transport };
}

const textOf = (result: object): string => (result as { content: { text: string }[] }).content[0]?.text ?? '';
const ORDER = { name: 'order', arguments: {} };
const SHIP = { name: 'ship', arguments: {} };

/** Until what a test waits for is so; its own time-out is the test's. */
async function until(holds: () => boolean): Promise<void> {
  while (!holds()) await delay(1);
}

describe.each(EXPRESSES)('the official client of version 1 on %s', (_name, express) => {
  async function serve(options: RigOptions = {}): Promise<{ url: string; mailbox: MemoryMailbox }> {
    const record = new WireRecord();
    records.push(record);
    const mailbox = new MemoryMailbox();
    const service = await rig({
      express,
      ...definitions,
      legacy: { mailbox },
      ...options,
      before: [record.middleware],
    });
    return { url: service.url, mailbox };
  }

  async function connect(
    answer?: Answering,
    capabilities?: ClientCapabilities,
  ): Promise<Connected & { mailbox: MemoryMailbox }> {
    const { url, mailbox } = await serve();
    return { ...(await connectTo(url, answer, capabilities)), mailbox };
  }

  it('initializes with a session, and lists what there is', async () => {
    const { client, transport } = await connect();
    expect(client.getServerVersion()).toMatchObject({ name: 'test', version: '1.0.0' });
    expect(transport.protocolVersion).toBe('2025-11-25');
    expect(transport.sessionId).toMatch(/^mrtr1\./);
    const { tools } = await client.listTools();
    expect(tools.map(({ name }) => name)).toEqual(['order', 'ship', 'pay', 'model']);
    expect((await client.listPrompts()).prompts.map(({ name }) => name)).toEqual(['letter']);
    expect((await client.listResources()).resources.map(({ uri }) => uri)).toEqual(['test://vault']);
    expect(await client.ping()).toEqual({});
  });

  it('is asked several questions of one turn, and sees progress', async () => {
    const { client, asked, mailbox } = await connect();
    const progress: unknown[] = [];
    const result = await client.callTool(ORDER, undefined, { onprogress: (step) => progress.push(step) });
    expect(textOf(result)).toBe('M true');
    expect(asked.map(({ message }) => message).sort()).toEqual(['A gift?', 'Size?']);
    expect(progress).toEqual([
      { progress: 1, total: 2, message: 'asking' },
      { progress: 2, total: 2 },
    ]);
    expect([runs, mailbox.parked]).toEqual([1, 0]);
  });

  it('is asked all questions of a turn before it has answered any', async () => {
    let waiting = 0;
    const { client } = await connect(async (question) => {
      waiting += 1;
      await until(() => waiting === 2);
      return fill(question);
    });
    expect(textOf(await client.callTool(ORDER))).toBe('M true');
  });

  it.each(['decline', 'cancel'] as const)('%s reaches the handler', async (action) => {
    const { client } = await connect(() => ({ action }));
    expect(textOf(await client.callTool(ORDER))).toBe(`${action} false`);
    expect(runs).toBe(1);
  });

  it('is asked again with the reason after an answer that the form refuses', async () => {
    let tries = 0;
    const { client, asked } = await connect((question) =>
      question.message === 'Size?' && tries++ === 0 ? { action: 'accept', content: { size: 'XL' } } : fill(question),
    );
    expect(textOf(await client.callTool(ORDER))).toBe('M true');
    expect(asked.filter(({ message }) => /^Size\?\n\n.+/.test(message))).toHaveLength(1);
    expect([asked.length, runs]).toEqual([3, 1]);
  });

  it('that answers with an error gets a failed tool', async () => {
    const { client, mailbox } = await connect(() => Promise.reject(new Error('no screen')));
    const result = await client.callTool(ORDER);
    expect(result.isError).toBe(true);
    expect(textOf(result)).not.toContain('no screen');
    expect(mailbox.parked).toBe(0);
  });

  it('fulfils roots and sampling', async () => {
    const { client } = await connect();
    expect(textOf(await client.callTool({ name: 'model', arguments: {} }))).toBe(
      `m1: ${JSON.stringify({ type: 'text', text: JSON.stringify({ type: 'text', text: 'file:///work' }) })}`,
    );
  });

  it('consents to a link, which has an id of its own', async () => {
    const { client, asked } = await connect(() => ({ action: 'accept' }));
    expect(textOf(await client.callTool({ name: 'pay', arguments: {} }))).toBe('accept');
    expect(asked).toMatchObject([{ mode: 'url', url: 'https://pay.example/', elicitationId: expect.any(String) }]);
  });

  it('fulfils prompts and resources', async () => {
    const { client } = await connect();
    const { messages } = await client.getPrompt({ name: 'letter' });
    expect(messages).toEqual([{ role: 'user', content: { type: 'text', text: 'Dear' } }]);
    expect((await client.readResource({ uri: 'test://vault' })).contents).toEqual([
      { uri: 'test://vault', text: 'gold' },
    ]);
  });

  it('that declared nothing gets a tool error at once, and errors of prompts and resources', async () => {
    const { client, mailbox } = await connect(fill, {});
    const result = await client.callTool(ORDER);
    expect([result.isError, textOf(result)]).toEqual([true, expect.stringContaining('elicitation.form')]);
    const error = { code: -32600, message: expect.stringContaining('elicitation.form') as unknown };
    await expect(client.getPrompt({ name: 'letter' })).rejects.toMatchObject(error);
    await expect(client.readResource({ uri: 'test://vault' })).rejects.toMatchObject(error);
    expect(mailbox.parked).toBe(0);
  });

  it('that takes too long is told, and its handler goes on', async () => {
    const clock = new ManualClock();
    const mailbox = new MemoryMailbox({ clock });
    const { url } = await serve({ legacy: { mailbox, elicitationTimeoutSeconds: 30 } });
    let answer: (result: ElicitResult) => void = () => undefined;
    const { client, asked } = await connectTo(url, () => new Promise((resolve) => (answer = resolve)));
    const called = client.callTool(SHIP);
    await until(() => asked.length === 1);
    await clock.advance(29_999);
    expect(mailbox.parked).toBe(1);
    await clock.advance(1);
    expect(textOf(await called)).toBe('late: ERR_MRTR_ELICITATION_TIMEOUT');
    await until(() => asked[0]?.signal.aborted === true);
    const next = client.callTool(SHIP);
    await until(() => asked.length === 2);
    answer({ action: 'accept', content: { confirm: false } });
    expect(textOf(await next)).toBe('false');
    expect([runs, mailbox.parked]).toEqual([2, 0]);
  });

  it('cancels a call while it is asked: the signal aborts, nothing waits, the session goes on', async () => {
    const abort = new AbortController();
    let first = true;
    const { client, asked, mailbox } = await connect((question) => {
      if (!first) return fill(question);
      first = false;
      return new Promise(() => abort.abort());
    });
    await expect(client.callTool(SHIP, undefined, { signal: abort.signal })).rejects.toThrow();
    await until(() => signals[0]?.aborted === true && mailbox.parked === 0);
    await until(() => asked[0]?.signal.aborted === true);
    expect(textOf(await client.callTool(SHIP))).toBe('true');
    expect(runs).toBe(2);
  });

  it('gives up by its own time-out, which cancels the call', async () => {
    const { client, mailbox } = await connect(() => new Promise(() => undefined));
    await expect(client.callTool(SHIP, undefined, { timeout: 50 })).rejects.toMatchObject({ code: -32001 });
    await until(() => signals[0]?.aborted === true && mailbox.parked === 0);
    expect(runs).toBe(1);
  });

  it('goes away while it is asked and comes again: the old call is over, a new one is served', async () => {
    const { url, mailbox } = await serve();
    const gone = await connectTo(url, () => new Promise(() => undefined));
    const lost = gone.client.callTool(SHIP).catch(() => 'lost');
    await until(() => gone.asked.length === 1);
    await gone.client.close();
    expect(await lost).toBe('lost');
    await until(() => signals[0]?.aborted === true && mailbox.parked === 0);
    const anew = await connectTo(url);
    expect(anew.transport.sessionId).not.toBe(gone.transport.sessionId);
    expect(textOf(await anew.client.callTool(SHIP))).toBe('true');
    const resumed = await connectTo(url, fill, EVERYTHING, gone.transport.sessionId);
    expect(textOf(await resumed.client.callTool(SHIP))).toBe('true');
    expect(runs).toBe(3);
  });

  it('keeps its session over a restart at another address, and is asked there', async () => {
    const before = await connect();
    expect(textOf(await before.client.callTool(SHIP))).toBe('true');
    const session = before.transport.sessionId;
    await before.client.close();
    await closeAll();
    const { url } = await serve();
    const after = await connectTo(url, fill, EVERYTHING, session);
    expect(textOf(await after.client.callTool(ORDER))).toBe('M true');
    expect(after.transport.sessionId).toBe(session);
  });

  it('is refused with 404 when the keys are others, and begins anew', async () => {
    const { transport } = await connect();
    const { url } = await serve({ keys: `mrtrk_${Buffer.alloc(32, 1).fill(2, 16).toString('base64url')}` });
    const stale = await connectTo(url, fill, EVERYTHING, transport.sessionId);
    await expect(stale.client.callTool(SHIP)).rejects.toMatchObject({ code: 404 });
    const anew = await connectTo(url);
    expect(textOf(await anew.client.callTool(SHIP))).toBe('true');
  });
});
