/** One node of a service of several. It tells its parent what happens, and takes orders from it, over the IPC channel. */
import { subscribe } from 'node:diagnostics_channel';
import type { AddressInfo } from 'node:net';
import express from 'express';
import { field, form, mrtr, RedisReplayStore, tool, type ReplayOptions, type ReplayStore } from 'express-mrtr';
import { createClient } from 'redis';
import type { Message, Order } from './messages.js';

const { NODE_NAME = '', REDIS_URL, REPLAY = '{}' } = process.env;
const redis = REDIS_URL === undefined ? undefined : createClient({ url: REDIS_URL, socket: { reconnectStrategy: 50 } });

const tell = (message: Message): void => void process.send?.(message);
const gates = new Map<string, () => void>();

/** What a handler does to the world, so that a test can count it. Stays in the handler until it is told to go on. */
async function act(flow: string, hold: boolean): Promise<void> {
  await redis?.incr(`effects:${flow}`);
  if (!hold) return;
  const opened = new Promise<void>((resolve) => gates.set(flow, resolve));
  tell({ kind: 'entered', flow });
  await opened;
}

const FLOW = { type: 'string' };
const number = form({ value: field.integer() });

const sum = tool(
  'sum',
  { inputSchema: { type: 'object', properties: { flow: FLOW }, required: ['flow'] } },
  async (args, ctx) => {
    const { flow } = args as { flow: string };
    const numbers: number[] = [];
    for (const which of ['First', 'Second', 'Third']) {
      const answer = await ctx.elicit({ message: `${which} number?`, form: number });
      if (answer.action !== 'accept') return 'No sum.';
      numbers.push(answer.content.value);
    }
    await act(flow, false);
    return `${flow}: ${numbers.join(' + ')} = ${numbers.reduce((a, b) => a + b)}`;
  },
);

const pay = tool(
  'pay',
  {
    inputSchema: {
      type: 'object',
      properties: { flow: FLOW, hold: { type: 'boolean' } },
      required: ['flow', 'hold'],
    },
  },
  async (args, ctx) => {
    const { flow, hold } = args as { flow: string; hold: boolean };
    if (!(await ctx.confirm('Pay?'))) return 'Nothing was paid.';
    await act(flow, hold);
    return `${NODE_NAME} paid ${flow}`;
  },
);

/** Single use over Redis, with every claim told. */
function replay(): { replay?: ReplayOptions } {
  if (redis === undefined) return {};
  const store = new RedisReplayStore({ sendCommand: (args) => redis.sendCommand([...args]) });
  const told: ReplayStore = {
    claim: async (...args) => {
      const claim = await store.claim(...args);
      tell({ kind: 'claim', claim: claim.kind });
      return claim;
    },
    settle: (id, reply) => store.settle(id, reply),
    release: (id) => store.release(id),
  };
  return { replay: { store: told, ...(JSON.parse(REPLAY) as object) } };
}

async function main(): Promise<void> {
  // Redis going away is what is tested; without a listener it would end the process.
  redis?.on('error', () => undefined);
  await redis?.connect();
  subscribe('mrtr:refused', (event) => tell({ kind: 'refused', reason: (event as { reason: string }).reason }));
  subscribe('mrtr:error', (event) => tell({ kind: 'error', code: (event as { code: string }).code }));
  const mcp = mrtr({ server: { name: 'cluster', version: '1.0.0' }, tools: [sum, pay], anonymous: true, ...replay() });
  const app = express().use((_req, res, next) => {
    res.set('x-node', NODE_NAME);
    next();
  });
  const server = app.use('/mcp', mcp).listen(0, '127.0.0.1', (error) => {
    if (error !== undefined) throw error;
    tell({ kind: 'ready', port: (server.address() as AddressInfo).port });
  });
  process.on('message', ({ open }: Order) => gates.get(open)?.());
  process.once('SIGTERM', () => {
    server.close(() => process.exit());
    // A connection that becomes idle from here on would stay open until its time is up.
    setInterval(() => server.closeIdleConnections(), 20);
  });
  process.once('disconnect', () => process.exit());
}

void main();
