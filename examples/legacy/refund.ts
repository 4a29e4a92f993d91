import { ElicitationTimeoutError, field, form, tool } from 'express-mrtr';
import { z } from 'zod';

const REASON = form({ reason: field.string({ maxLength: 200 }) });

/** The same handler for every era: where it waits for its answer, nobody may come. */
// #region refund
export const refund = tool('refund', { inputSchema: z.object({ orderId: z.string() }) }, async ({ orderId }, ctx) => {
  try {
    const answer = await ctx.elicit({ key: 'reason', message: `Refund ${orderId}: why?`, form: REASON });
    if (answer.action !== 'accept') return 'Nothing was refunded.';
    const reference = ctx.idempotencyKey('refund').slice(0, 8);
    return `Refunded ${orderId} (${answer.content.reason}), reference ${reference}.`;
  } catch (error) {
    if (error instanceof ElicitationTimeoutError) return 'Nobody answered in time, so nothing was refunded.';
    throw error;
  }
});
// #endregion
