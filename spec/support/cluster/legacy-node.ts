/** One node of a service of several for clients of earlier revisions. It tells its parent what happens over the IPC channel. */
import { subscribe } from 'node:diagnostics_channel';
import type { AddressInfo } from 'node:net';
import express from 'express';
import { field, form, mrtr, RedisMailbox, tool, type Context } from 'express-mrtr';
import { createClient } from 'redis';
import { z } from 'zod';
import type { Message } from './messages.js';

const { NODE_NAME = '', REDIS_URL = '' } = process.env;
const redis = createClient({ url: REDIS_URL, socket: { reconnectStrategy: 50 } });
const subscriber = redis.duplicate();

const tell = (message: Message): void => void process.send?.(message);
const NUMBER = form({ value: field.integer() });

async function numberOf(ctx: Context, index: number): Promise<number> {
  const answer = await ctx.elicit({ message: `Number ${index}?`, form: NUMBER });
  if (answer.action !== 'accept') throw new Error('No number.');
  return answer.content.value;
}

/** Asks for one number, then for the others at once. How often it begins and ends is counted outside. */
const sum = tool(
  'sum',
  { inputSchema: z.object({ flow: z.string(), count: z.int() }) },
  async ({ flow, count }, ctx) => {
    await redis.incr(`begun:${flow}`);
    const first = await numberOf(ctx, 0);
    const others = await Promise.all(Array.from({ length: count - 1 }, (_none, i) => numberOf(ctx, i + 1)));
    await redis.incr(`ended:${flow}`);
    const numbers = [first, ...others];
    return `${flow}: ${numbers.join(' + ')} = ${numbers.reduce((a, b) => a + b)}`;
  },
);

const mailbox = new RedisMailbox({
  sendCommand: (args) => redis.sendCommand([...args]),
  subscribe: async (channel, listener) => {
    await subscriber.subscribe(channel, listener);
    return () => subscriber.unsubscribe(channel, listener);
  },
});

async function main(): Promise<void> {
  for (const client of [redis, subscriber]) {
    client.on('error', () => undefined);
    await client.connect();
  }
  subscribe('mrtr:refused', (event) => tell({ kind: 'refused', reason: (event as { reason: string }).reason }));
  subscribe('mrtr:error', (event) => tell({ kind: 'error', code: (event as { code: string }).code }));
  const mcp = mrtr({
    server: { name: 'cluster', version: '1.0.0' },
    tools: [sum],
    anonymous: true,
    legacy: { mailbox },
  });
  const app = express().use((_req, res, next) => {
    res.set('x-node', NODE_NAME);
    next();
  });
  app.get('/parked', (_req, res) => void res.json(mailbox.parked));
  const server = app.use('/mcp', mcp).listen(0, '127.0.0.1', (error) => {
    if (error !== undefined) throw error;
    tell({ kind: 'ready', port: (server.address() as AddressInfo).port });
  });
  process.once('disconnect', () => process.exit());
}

void main();
