import { McpServer } from '@modelcontextprotocol/server';
import { z } from 'zod';
import { shop } from '../../examples/sdk/tools.js';
import { field, form } from '../../lib/sdk.js';
import { KEY } from '../support/http.js';
import { closeClients, connect, ERAS, serve, testMrtr, textOf, type Answer, type Asked } from '../support/sdk.js';

const accept = (content: Record<string, string | boolean>): Answer => ({ action: 'accept', content });
const shopper = ({ mode, message }: Asked): Answer => {
  if (mode === 'url') return { action: 'accept' };
  return accept(message === 'Which size?' ? { size: 'M' } : { confirm: true });
};

beforeAll(() => void jest.spyOn(console, 'error').mockReturnValue());
afterAll(closeClients);

describe.each(ERAS)('the official client of %s, over HTTP', (version, mode) => {
  it('is asked a form, and the handler goes on with the answer', async () => {
    const url = await serve(shop({ keys: KEY }));
    const { client, asked } = await connect(url, mode, () => accept({ reason: 'broken' }));
    const { content, _meta, ...rest } = await client.callTool({ name: 'refund', arguments: { orderId: 'o12' } });
    expect([content, rest]).toEqual([[{ type: 'text', text: 'Refunded 30 EUR: broken.' }], {}]);
    const serverInfo = { 'io.modelcontextprotocol/serverInfo': { name: 'shop', version: '1.0.0' } };
    expect(_meta).toEqual(mode === 'legacy' ? undefined : serverInfo);
    expect(asked).toMatchObject([{ mode: 'form', message: 'Refund 30 EUR for o12?' }]);
  });

  it.each(['decline', 'cancel'] as const)('lets %s reach the handler', async (action) => {
    const { client } = await connect(await serve(shop({ keys: KEY })), mode, () => ({ action }));
    expect(textOf(await client.callTool({ name: 'refund', arguments: { orderId: 'o1' } }))).toBe(
      'Nothing was refunded.',
    );
  });

  it('is asked several questions at once, then to open a page', async () => {
    const { client, asked } = await connect(await serve(shop({ keys: KEY })), mode, shopper);
    expect(textOf(await client.callTool({ name: 'checkout' }))).toBe('Ordered: M, as a gift, after 3 rounds.');
    expect(asked.map(({ message }) => message).sort()).toEqual(['Is it a gift?', 'Pay for the shirt', 'Which size?']);
    expect(asked.find((question) => question.mode === 'url')?.url).toBe('https://pay.example/shirt');
  });

  it('reads what a ToolError says', async () => {
    const answer = (asked: Asked): Answer => (asked.mode === 'url' ? { action: 'decline' } : shopper(asked));
    const { client } = await connect(await serve(shop({ keys: KEY })), mode, answer);
    expect(await client.callTool({ name: 'checkout' })).toMatchObject({
      content: [{ type: 'text', text: 'The shirt was not paid for.' }],
      isError: true,
    });
  });

  it('is asked by prompts and resources', async () => {
    const { client, asked } = await connect(await serve(shop({ keys: KEY })), mode, shopper);
    expect((await client.getPrompt({ name: 'letter', arguments: { to: 'Ann' } })).messages).toEqual([
      { role: 'user', content: { type: 'text', text: 'Dear Ann,' } },
    ]);
    const { contents, _meta, ...hints } = await client.readResource({ uri: 'shop://invoices/7' });
    expect(contents).toEqual([{ uri: 'shop://invoices/7', text: 'Invoice 7: 20 EUR.' }]);
    expect(hints).toEqual(mode === 'legacy' ? {} : { ttlMs: 0, cacheScope: 'private' });
    expect(asked.map(({ message }) => message)).toEqual(['Formal?', 'Show the prices?']);
  });

  it('is asked again with the reason when its answer does not fit the form', async () => {
    const answers = [accept({ size: 'XXL' }), accept({ size: 'S' })];
    const { attach, withMrtr } = testMrtr();
    const url = await serve(() => {
      const server = attach(new McpServer({ name: 'test', version: '1.0.0' }));
      const size = form({ size: field.choice(['S', 'M']) });
      const ask = withMrtr(async (ctx) => JSON.stringify(await ctx.elicit({ message: 'Size?', form: size })));
      server.registerTool('size', {}, ask);
      return server;
    });
    const { client, asked } = await connect(url, mode, () => answers.shift() ?? { action: 'cancel' });
    const result = textOf(await client.callTool({ name: 'size' }));
    expect(JSON.parse(result)).toEqual({ action: 'accept', content: { size: 'S' } });
    expect(asked[1]?.message).toMatch(/^Size\?\n\n./);
  });

  it('runs a step once and gives one idempotency key, over all rounds of a flow', async () => {
    let steps = 0;
    const keys = new Set<string>();
    const rounds: number[] = [];
    const { attach, withMrtr } = testMrtr();
    const url = await serve(() => {
      const server = attach(new McpServer({ name: 'test', version: '1.0.0' }));
      server.registerTool(
        'pay',
        { inputSchema: z.object({ n: z.number() }) },
        withMrtr(async ({ n }, { step, confirm, idempotencyKey, round, flowId }) => {
          const total = await step('total', () => (steps += 1) + n);
          keys.add(`${flowId} ${idempotencyKey('pay')}`);
          rounds.push(round);
          const sure = [await confirm('Sure?'), await confirm('Really?')];
          return `${total} ${sure.join()}`;
        }),
      );
      return server;
    });
    const { client } = await connect(url, mode, () => accept({ confirm: true }));
    expect(textOf(await client.callTool({ name: 'pay', arguments: { n: 7 } }))).toBe('8 true,true');
    expect([steps, keys.size, rounds]).toEqual([1, 1, [1, 2, 3]]);
    await client.callTool({ name: 'pay', arguments: { n: 7 } });
    expect([steps, keys.size]).toEqual([2, 2]);
  });

  it('is what the handler sees: principal, client, revision, the context of the SDK', async () => {
    const seen: unknown[] = [];
    const { attach, withMrtr } = testMrtr();
    const url = await serve(() => {
      const server = attach(new McpServer({ name: 'test', version: '1.0.0' }));
      const tell = withMrtr((ctx) => {
        const { principal, client, protocolVersion, sdk, signal } = ctx;
        seen.push(principal, client.info?.name, client.supports('elicitation.url'), protocolVersion);
        seen.push(sdk.http?.authInfo?.extra, signal.aborted, 'req' in ctx, 'user' in ctx);
        return 'seen';
      });
      server.registerTool('tell', {}, tell);
      return server;
    });
    const { client } = await connect(url, mode, shopper, { user: 'bob' });
    expect(textOf(await client.callTool({ name: 'tell' }))).toBe('seen');
    expect(seen).toEqual([{ subject: 'bob' }, 'client', true, version, { sub: 'bob' }, false, false, false]);
  });

  it('gets progress and log messages', async () => {
    const { attach, withMrtr } = testMrtr();
    const url = await serve(() => {
      const server = attach(new McpServer({ name: 'test', version: '1.0.0' }, { capabilities: { logging: {} } }));
      const work = withMrtr((ctx) => {
        ctx.progress(1, 2, 'half');
        ctx.log('warning', { low: 'paper' });
        return 'done';
      });
      server.registerTool('work', {}, work);
      return server;
    });
    const { client } = await connect(url, mode, shopper);
    const logs: unknown[] = [];
    client.setNotificationHandler('notifications/message', ({ params }) => void logs.push(params));
    const progress: unknown[] = [];
    const meta = mode === 'legacy' ? {} : { _meta: { 'io.modelcontextprotocol/logLevel': 'info' } };
    await client.callTool({ name: 'work', ...meta }, { onprogress: (value) => void progress.push(value) });
    expect(progress).toEqual([{ progress: 1, total: 2, message: 'half' }]);
    expect(logs).toEqual([{ level: 'warning', logger: 'test', data: { low: 'paper' } }]);
  });
});
