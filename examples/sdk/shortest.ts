import { McpServer } from '@modelcontextprotocol/server';
import { serveStdio } from '@modelcontextprotocol/server/stdio';
import { field, form, sdkMrtr } from 'express-mrtr/sdk';
import * as z from 'zod';

const { attach, withMrtr } = sdkMrtr({ audience: 'shop' });

serveStdio(() => {
  const server = attach(new McpServer({ name: 'shop', version: '1.0.0' }));
  server.registerTool(
    'refund',
    { description: 'Refund an order', inputSchema: z.object({ orderId: z.string() }) },
    withMrtr(async ({ orderId }, ctx) => {
      const answer = await ctx.elicit({
        message: `Refund ${orderId}?`,
        form: form({ reason: field.string({ maxLength: 200 }) }),
      });
      return answer.action === 'accept' ? `Refunded ${orderId}: ${answer.content.reason}` : 'Nothing was refunded.';
    }),
  );
  return server;
});
