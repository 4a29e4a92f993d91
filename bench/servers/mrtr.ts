import type { RequestHandler } from 'express';
import { z } from 'zod';
import type * as Package from '../../lib/index.js';
import { questionFor, resultFor, SERVER, TOOL, TTL_SECONDS } from '../wire.js';

export const KEY = `mrtrk_${Buffer.alloc(32, 7).fill(9, 16).toString('base64url')}`;

/**
 * This package: a tool with one confirmation.
 *
 * @param authenticated - whether the user comes from Passport; otherwise everybody is the same one.
 */
export function mrtrHandler({ field, form, mrtr, tool }: typeof Package, authenticated: boolean): RequestHandler {
  const confirmation = form({ reason: field.string({ maxLength: 200 }), full: field.boolean({ default: true }) });
  const refund = tool(TOOL, { inputSchema: z.object({ orderId: z.string() }) }, async ({ orderId }, ctx) => {
    const answer = await ctx.elicit({ key: 'confirm', message: questionFor(orderId), form: confirmation });
    return answer.action === 'accept' ? resultFor(orderId, answer.content.reason) : answer.action;
  });
  return mrtr({
    server: SERVER,
    tools: [refund],
    keys: KEY,
    ttlSeconds: TTL_SECONDS,
    ...(!authenticated && { principal: () => 'ann' }),
  });
}
