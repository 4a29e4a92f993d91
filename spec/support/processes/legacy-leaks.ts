/** Serves earlier clients, and measures over the IPC channel what it holds. Needs `--expose-gc`. */
import { createHook } from 'node:async_hooks';
import type { AddressInfo } from 'node:net';
import { setImmediate as turn } from 'node:timers/promises';
import express from 'express';
import { generateKey, MemoryMailbox, mrtr, SamplingTimeoutError, tool } from 'express-mrtr';
import { z } from 'zod';

/** What the process holds while it serves nobody. */
export interface Holding {
  readonly kind: 'holding';
  readonly parked: number;
  readonly waiting: number;
  readonly sockets: number;
  /** Timers that are set. */
  readonly timers: number;
  readonly resources: readonly string[];
  readonly heapBytes: number;
}

// Answers and cancellations for calls that are over are kept so long, in case that somebody comes to park.
const mailbox = new MemoryMailbox({ keepMs: 100 });

/** Those that keep no process alive included, which `getActiveResourcesInfo` leaves out. */
const timers = new Set<number>();
createHook({
  init: (id, type) => {
    if (type === 'Timeout') timers.add(id);
  },
  destroy: (id) => {
    timers.delete(id);
  },
}).enable();

/** The text makes each call so large that it shows in the heap if anything holds on to it. */
const ask = tool(
  'ask',
  { inputSchema: z.object({ text: z.string(), model: z.boolean() }) },
  async ({ text, model }, ctx) => {
    const heard: string[] = [];
    ctx.signal.addEventListener('abort', () => heard.push(text));
    const question = (message: string): Promise<unknown> =>
      model
        ? ctx.sample({ messages: [{ role: 'user', content: { type: 'text', text: message } }], maxTokens: 1 })
        : ctx.confirm(message);
    try {
      const answers = await Promise.all([question('First?'), question('Second?')]);
      return `${answers.join()} ${text.length}`;
    } catch (error) {
      if (error instanceof SamplingTimeoutError) return 'late';
      throw error;
    }
  },
);

const mcp = mrtr({
  server: { name: 'leaks', version: '1.0.0' },
  tools: [ask],
  keys: generateKey(),
  anonymous: true,
  // So long that a call waits for its cancellation as well.
  legacy: { mailbox, samplingTimeoutSeconds: 1.2 },
});
const server = express()
  .use('/mcp', mcp)
  .listen(0, '127.0.0.1', (error) => {
    if (error !== undefined) throw error;
    process.send?.({ kind: 'ready', url: `http://127.0.0.1:${(server.address() as AddressInfo).port}` });
  });

async function measure(): Promise<Holding> {
  server.closeIdleConnections();
  for (let turns = 0; turns < 10; turns += 1) {
    await turn();
    global.gc?.();
  }
  const sockets = await new Promise<number>((resolve, reject) => {
    server.getConnections((error, count) => {
      if (error === null) resolve(count);
      else reject(error);
    });
  });
  return {
    kind: 'holding',
    parked: mailbox.parked,
    waiting: mailbox.waiting,
    sockets,
    timers: timers.size,
    resources: process.getActiveResourcesInfo().sort(),
    heapBytes: process.memoryUsage().heapUsed,
  };
}

process.on('message', () => void measure().then((holding) => process.send?.(holding)));
process.once('disconnect', () => process.exit());
