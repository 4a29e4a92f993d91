import { McpServer, ResourceTemplate } from '@modelcontextprotocol/server';
import { field, form, sdkMrtr, ToolError, type SdkMrtrOptions } from 'express-mrtr/sdk';
import * as z from 'zod';

/** A shop that asks before it acts, as a factory of the SDK's servers: one for each request or connection. */
export function shop(options: Omit<SdkMrtrOptions, 'audience'> = {}): () => McpServer {
  const { attach, withMrtr } = sdkMrtr({ audience: 'shop', ...options });

  function createServer(): McpServer {
    const server = attach(new McpServer({ name: 'shop', version: '1.0.0' }));
    server.registerTool(
      'refund',
      { description: 'Refund an order', inputSchema: z.object({ orderId: z.string() }) },
      withMrtr(async ({ orderId }, ctx) => {
        const order = await ctx.step('load', () => loadOrder(orderId));
        const answer = await ctx.elicit({
          key: 'confirm',
          message: `Refund ${order.total} EUR for ${orderId}?`,
          form: form({ reason: field.string({ maxLength: 200 }) }),
        });
        if (answer.action !== 'accept') return 'Nothing was refunded.';
        pay(orderId, order.total, ctx.idempotencyKey('refund'));
        return `Refunded ${order.total} EUR: ${answer.content.reason}.`;
      }),
    );
    return server;
  }

  return () => withMore(createServer(), withMrtr);
}

function withMore(server: McpServer, withMrtr: ReturnType<typeof sdkMrtr>['withMrtr']): McpServer {
  server.registerTool(
    'checkout',
    { description: 'Order a shirt' },
    withMrtr(async ({ elicit, confirm, elicitUrl, round }) => {
      const [size, gift] = await Promise.all([
        elicit({ key: 'size', message: 'Which size?', form: form({ size: field.choice(['S', 'M', 'L']) }) }),
        confirm('Is it a gift?', { key: 'gift' }),
      ]);
      if (size.action !== 'accept') return 'Nothing was ordered.';
      const paid = await elicitUrl({ key: 'pay', message: 'Pay for the shirt', url: 'https://pay.example/shirt' });
      if (paid.action !== 'accept') throw new ToolError('The shirt was not paid for.');
      return `Ordered: ${size.content.size}${gift ? ', as a gift' : ''}, after ${round} rounds.`;
    }),
  );
  server.registerPrompt(
    'letter',
    { argsSchema: z.object({ to: z.string() }) },
    withMrtr(async ({ to }, ctx) => ((await ctx.confirm('Formal?')) ? `Dear ${to},` : `Hi ${to},`)),
  );
  server.registerResource(
    'invoice',
    new ResourceTemplate('shop://invoices/{id}', { list: undefined }),
    { mimeType: 'text/plain' },
    withMrtr(async (_uri, { id }, ctx) => {
      if (!(await ctx.confirm('Show the prices?'))) return 'An invoice.';
      return `Invoice ${String(id)}: 20 EUR.`;
    }),
  );
  return server;
}

let loads = 0;
const payments = new Map<string, string>();

function loadOrder(orderId: string): { total: number } {
  loads += 1;
  // Standard output is the protocol's over stdio.
  console.error(`loaded ${orderId} (${loads})`);
  return { total: orderId.length * 10 };
}

/** Pays once for a key, however often it is called. */
function pay(orderId: string, total: number, idempotencyKey: string): void {
  if (!payments.has(idempotencyKey)) console.error(`paid ${total} EUR for ${orderId}`);
  payments.set(idempotencyKey, orderId);
}
