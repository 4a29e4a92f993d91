import { field, form, tool, type ToolDefinition } from 'express-mrtr';
import type { Redis } from 'ioredis';
import * as z from 'zod';

const details = form({ amount: field.integer({ minimum: 1 }), reference: field.string({ maxLength: 40 }) });

/** Asks twice, then pays: the payment is counted in Redis, where the example reads how often it was made. */
export function payTool(redis: Redis): ToolDefinition {
  return tool(
    'pay',
    { description: 'Pay somebody', inputSchema: z.object({ payee: z.string().max(40) }) },
    async ({ payee }, ctx) => {
      const answer = await ctx.elicit({ key: 'details', message: `What does ${payee} get?`, form: details });
      if (answer.action !== 'accept') return 'Nothing was paid.';
      const { amount, reference } = answer.content;
      if (!(await ctx.confirm(`Pay ${amount} € to ${payee}?`, { key: 'sure' }))) return 'Nothing was paid.';
      const times = await redis.incr(`bank:paid:${payee}`);
      return `Paid ${amount} € to ${payee} for ${reference}${times === 1 ? '' : ` (${times} times)`}.`;
    },
  );
}
