import {
  Client,
  isInputRequiredResult,
  StreamableHTTPClientTransport,
  type ClientOptions,
} from '@modelcontextprotocol/client';
import { z } from 'zod';
import { field, form, prompt, resource, tool } from '../../lib/index.js';
import { closeAll, EXPRESSES, rig } from '../support/http.js';

interface Asked {
  readonly mode?: string;
  readonly message: string;
  readonly url?: string;
}
type Answer =
  | { action: 'accept'; content?: Record<string, string | number | boolean | string[]> }
  | { action: 'decline' | 'cancel' };

const definitions = {
  tools: [
    tool('refund', { inputSchema: z.object({ orderId: z.string() }) }, async ({ orderId }, ctx) => {
      const answer = await ctx.elicit({
        key: 'confirm',
        message: `Refund ${orderId}?`,
        form: form({ reason: field.string({ maxLength: 200 }), full: field.boolean({ default: true }) }),
      });
      return answer.action === 'accept'
        ? `refunded ${orderId}: ${answer.content.reason}, ${answer.content.full}`
        : answer.action;
    }),
    tool('checkout', {}, async (_args, ctx) => {
      const [size, gift] = await Promise.all([
        ctx.elicit({ message: 'Size?', form: form({ size: field.choice(['S', 'M']) }) }),
        ctx.confirm('A gift?'),
      ]);
      const paid = await ctx.elicitUrl({ message: 'Pay', url: 'https://pay.example/1' });
      return JSON.stringify([size, gift, paid, ctx.round]);
    }),
    tool('sum', { outputSchema: z.object({ sum: z.number() }) }, async (_args, ctx) => {
      let sum = 0;
      for (let i = 0; i < 4; i += 1) {
        const answer = await ctx.elicit({ message: 'A number?', form: form({ n: field.integer() }) });
        if (answer.action === 'accept') sum += answer.content.n;
      }
      return { content: [{ type: 'text', text: String(sum) }], structuredContent: { sum } };
    }),
  ],
  prompts: [
    prompt('letter', { argsSchema: z.object({ to: z.string() }) }, async ({ to }, ctx) =>
      (await ctx.confirm('Formal?')) ? `Dear ${to}` : `Hi ${to}`,
    ),
  ],
  resources: [
    resource('vault', 'test://vault', { mimeType: 'text/plain' }, async (_uri, ctx) =>
      (await ctx.confirm('Open the vault?')) ? 'gold' : 'shut',
    ),
  ],
};

const open: Client[] = [];

afterAll(async () => {
  await Promise.all(open.map((client) => client.close()));
  await closeAll();
});

describe.each(EXPRESSES)('the official client on %s', (_name, express) => {
  async function connect(
    options: ClientOptions = {},
    answer?: (asked: Asked) => Answer,
  ): Promise<{ client: Client; asked: Asked[] }> {
    const { url } = await rig({ express, ...definitions });
    const client = new Client(
      { name: 'client', version: '1.0.0' },
      { versionNegotiation: { mode: 'auto' }, capabilities: { elicitation: { form: {}, url: {} } }, ...options },
    );
    open.push(client);
    const asked: Asked[] = [];
    if (answer !== undefined) {
      client.setRequestHandler('elicitation/create', (request) => {
        asked.push(request.params as Asked);
        return answer(request.params as Asked);
      });
    }
    await client.connect(new StreamableHTTPClientTransport(new URL(`${url}/mcp`)));
    return { client, asked };
  }
  const text = (result: { content?: unknown }): string => (result.content as { text: string }[])[0]?.text ?? '';

  it('fulfils a form by itself, the default filled in', async () => {
    const { client, asked } = await connect({}, () => ({ action: 'accept', content: { reason: 'broken' } }));
    expect(text(await client.callTool({ name: 'refund', arguments: { orderId: 'o1' } }))).toBe(
      'refunded o1: broken, true',
    );
    expect(asked).toMatchObject([
      {
        mode: 'form',
        message: 'Refund o1?',
        requestedSchema: { type: 'object', properties: { reason: { type: 'string', maxLength: 200 } } },
      },
    ]);
  });

  it.each(['decline', 'cancel'] as const)('%s reaches the handler', async (action) => {
    const { client } = await connect({}, () => ({ action }));
    expect(text(await client.callTool({ name: 'refund', arguments: { orderId: 'o1' } }))).toBe(action);
  });

  it('fulfils several questions of one round, then a URL', async () => {
    const { client, asked } = await connect({}, ({ mode, message }) => {
      if (mode === 'url') return { action: 'accept' };
      return { action: 'accept', content: message === 'Size?' ? { size: 'M' } : { confirm: true } };
    });
    expect(JSON.parse(text(await client.callTool({ name: 'checkout', arguments: {} })))).toEqual([
      { action: 'accept', content: { size: 'M' } },
      true,
      { action: 'accept' },
      3,
    ]);
    expect(asked.map(({ message }) => message).sort()).toEqual(['A gift?', 'Pay', 'Size?']);
    expect(asked.find(({ mode }) => mode === 'url')?.url).toBe('https://pay.example/1');
  });

  it('fulfils four rounds of the same question, and gets structured output', async () => {
    let n = 0;
    const { client } = await connect({}, () => ({ action: 'accept', content: { n: ++n } }));
    expect((await client.callTool({ name: 'sum', arguments: {} })).structuredContent).toEqual({ sum: 10 });
    expect(n).toBe(4);
  });

  it('fulfils prompts and resources', async () => {
    const { client } = await connect({}, () => ({ action: 'accept', content: { confirm: true } }));
    expect((await client.getPrompt({ name: 'letter', arguments: { to: 'Ann' } })).messages).toEqual([
      { role: 'user', content: { type: 'text', text: 'Dear Ann' } },
    ]);
    expect((await client.readResource({ uri: 'test://vault' })).contents).toEqual([
      { uri: 'test://vault', mimeType: 'text/plain', text: 'gold' },
    ]);
    expect((await client.listTools()).tools.map(({ name }) => name)).toEqual(['refund', 'checkout', 'sum']);
  });

  it('manual: asks come back as they are, and an answer the form refuses is asked again with the reason', async () => {
    const { client } = await connect({ inputRequired: { autoFulfill: false } });
    const call = (extra: object) =>
      client.request(
        { method: 'tools/call', params: { name: 'refund', arguments: { orderId: 'o2' }, ...extra } },
        { allowInputRequired: true },
      ) as Promise<Record<string, unknown>>;
    const first = await call({});
    expect(isInputRequiredResult(first)).toBe(true);
    const again = await call({
      requestState: first['requestState'],
      inputResponses: { confirm: { action: 'accept', content: { reason: 7 } } },
    });
    expect(again).toMatchObject({
      inputRequests: { confirm: { params: { message: expect.stringMatching(/^Refund o2\?\n\n.*reason/s) } } },
    });
    const done = await call({
      requestState: again['requestState'],
      inputResponses: { confirm: { action: 'accept', content: { reason: 'late', full: false } } },
    });
    expect(text(done)).toBe('refunded o2: late, false');
  });

  it('manual: a refused state surfaces as the protocol error -32602', async () => {
    const { client } = await connect({ inputRequired: { autoFulfill: false } });
    const params = { name: 'refund', arguments: { orderId: 'o2' }, requestState: 'forged', inputResponses: {} };
    await expect(client.request({ method: 'tools/call', params }, { allowInputRequired: true })).rejects.toMatchObject({
      code: -32602,
      data: { reason: 'invalid_request_state' },
    });
  });

  it('a client that cannot be asked is told which capability is missing', async () => {
    const { client } = await connect({ capabilities: {} });
    await expect(client.callTool({ name: 'refund', arguments: { orderId: 'o1' } })).rejects.toMatchObject({
      code: -32021,
      data: { requiredCapabilities: { elicitation: { form: {} } } },
    });
  });

  it('a client of the 2025 era is asked while the call waits', async () => {
    const { client } = await connect({ versionNegotiation: { mode: 'legacy' } }, () => ({ action: 'decline' }));
    expect(text(await client.callTool({ name: 'refund', arguments: { orderId: 'o1' } }))).toBe('decline');
  });
});
