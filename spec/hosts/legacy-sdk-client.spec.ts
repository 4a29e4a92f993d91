import { Client, StreamableHTTPClientTransport, type ClientOptions } from '@modelcontextprotocol/client';
import { setTimeout as delay } from 'node:timers/promises';
import { field, form, MemoryMailbox, prompt, resource, tool } from '../../lib/index.js';
import { closeAll, EXPRESSES, rig } from '../support/http.js';

interface Asked {
  readonly mode?: string;
  readonly message: string;
}
type Answer = { action: 'accept'; content?: Record<string, string | boolean> } | { action: 'decline' | 'cancel' };

let runs = 0;
let aborted = false;

const definitions = {
  tools: [
    tool('order', {}, async (_args, ctx) => {
      runs += 1;
      ctx.signal.addEventListener('abort', () => (aborted = true));
      ctx.progress(1, 2, 'asking');
      const [size, gift] = await Promise.all([
        ctx.elicit({ message: 'Size?', form: form({ size: field.choice(['S', 'M']) }) }),
        ctx.confirm('A gift?'),
      ]);
      ctx.progress(2, 2);
      return `${size.action === 'accept' ? size.content.size : size.action} ${gift}`;
    }),
    tool('pay', {}, async (_args, ctx) => (await ctx.elicitUrl({ message: 'Pay', url: 'https://pay.example' })).action),
    tool('model', {}, async (_args, ctx) => {
      const [root] = await ctx.listRoots();
      const content = { type: 'text', text: root?.uri ?? '' };

      return (await ctx.sample({ messages: [{ role: 'user', content }], maxTokens: 9 })).model;
    }),
  ],
  prompts: [prompt('letter', {}, async (_args, ctx) => ((await ctx.confirm('Formal?')) ? 'Dear' : 'Hi'))],
  resources: [
    resource('vault', 'test://vault', {}, async (_uri, ctx) => ((await ctx.confirm('Open?')) ? 'gold' : 'shut')),
  ],
};

const open: Client[] = [];

beforeEach(() => {
  runs = 0;
  aborted = false;
});

afterAll(async () => {
  await Promise.all(open.map((client) => client.close()));
  await closeAll();
});

describe.each(EXPRESSES)('the official client as one of 2025-11-25 on %s', (_name, express) => {
  async function connect(
    answer: (asked: Asked) => Answer | Promise<Answer>,
    capabilities: NonNullable<ClientOptions['capabilities']> = {
      elicitation: { form: {}, url: {} },
      sampling: {},
      roots: {},
    },
  ): Promise<{ client: Client; asked: string[]; mailbox: MemoryMailbox }> {
    const mailbox = new MemoryMailbox();
    const { url } = await rig({ express, ...definitions, legacy: { mailbox } });
    const client = new Client(
      { name: 'client', version: '1.0.0' },
      { versionNegotiation: { mode: 'legacy' }, capabilities },
    );
    open.push(client);
    const asked: string[] = [];
    if (capabilities.elicitation !== undefined) {
      client.setRequestHandler('elicitation/create', (request) => {
        const params = request.params as Asked;
        asked.push(params.message);
        return answer(params);
      });
    }
    if (capabilities.sampling !== undefined) {
      client.setRequestHandler('sampling/createMessage', () => ({
        role: 'assistant' as const,
        model: 'm1',
        content: { type: 'text' as const, text: 'ok' },
      }));
    }
    if (capabilities.roots !== undefined) {
      client.setRequestHandler('roots/list', () => ({ roots: [{ uri: 'file:///work' }] }));
    }
    await client.connect(new StreamableHTTPClientTransport(new URL(`${url}/mcp`)));
    return { client, asked, mailbox };
  }
  const text = (result: { content?: unknown }): string => (result.content as { text: string }[])[0]?.text ?? '';
  const order = { name: 'order', arguments: {} };
  const fill = ({ message }: Asked): Answer => ({
    action: 'accept',
    content: message.startsWith('Size?') ? { size: 'M' } : { confirm: true },
  });

  it('speaks 2025-11-25, fulfils several questions of one turn, and sees progress', async () => {
    const { client, asked, mailbox } = await connect(fill);
    const progress: unknown[] = [];
    const result = await client.callTool(order, { onprogress: (step) => progress.push(step) });
    expect(text(result)).toBe('M true');
    expect(asked.sort()).toEqual(['A gift?', 'Size?']);
    expect(progress).toEqual([
      { progress: 1, total: 2, message: 'asking' },
      { progress: 2, total: 2 },
    ]);
    expect([client.getNegotiatedProtocolVersion(), runs, mailbox.parked]).toEqual(['2025-11-25', 1, 0]);
  });

  it.each(['decline', 'cancel'] as const)('%s reaches the handler', async (action) => {
    const { client } = await connect(() => ({ action }));
    expect(text(await client.callTool(order))).toBe(`${action} false`);
  });

  it('is asked again with the reason after an answer that the form refuses', async () => {
    let tries = 0;
    const { client, asked } = await connect((question) =>
      question.message === 'Size?' && tries++ === 0 ? { action: 'accept', content: { size: 'XL' } } : fill(question),
    );
    expect(text(await client.callTool(order))).toBe('M true');
    expect(asked.find((message) => message.startsWith('Size?\n\n'))).toBeDefined();
    expect([asked.length, runs]).toEqual([3, 1]);
  });

  it('fulfils links, roots and sampling', async () => {
    const { client } = await connect(() => ({ action: 'accept' }));
    expect(text(await client.callTool({ name: 'pay', arguments: {} }))).toBe('accept');
    expect(text(await client.callTool({ name: 'model', arguments: {} }))).toBe('m1');
  });

  it('fulfils prompts and resources', async () => {
    const { client } = await connect(fill);
    const { messages } = await client.getPrompt({ name: 'letter' });
    expect(messages).toEqual([{ role: 'user', content: { type: 'text', text: 'Dear' } }]);
    expect((await client.readResource({ uri: 'test://vault' })).contents).toEqual([
      { uri: 'test://vault', text: 'gold' },
    ]);
  });

  it('that declared nothing gets a tool error at once', async () => {
    const { client } = await connect(fill, {});
    const result = await client.callTool(order);
    expect([result.isError, text(result)]).toEqual([true, expect.stringContaining('elicitation.form')]);
  });

  it('cancels a call while it is asked: the signal aborts, nothing waits', async () => {
    const abort = new AbortController();
    const { client, mailbox } = await connect(async () => {
      abort.abort();
      await delay(50);
      return { action: 'decline' };
    });
    await expect(client.callTool(order, { signal: abort.signal })).rejects.toThrow();
    while (!aborted || mailbox.parked > 0) await delay(1);
    expect(runs).toBe(1);
  });

  it('that has dropped its session is told why it cannot be asked', async () => {
    const { client } = await connect(fill);
    await (client.transport as StreamableHTTPClientTransport).terminateSession();
    const result = await client.callTool(order);
    expect([result.isError, text(result)]).toEqual([true, expect.stringContaining('Mcp-Session-Id')]);
  });
});
