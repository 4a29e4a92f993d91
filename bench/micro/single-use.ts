import { randomUUID } from 'node:crypto';
import { createClient } from 'redis';
import { built } from '../built.js';
import { LocalServer } from '../local.js';
import type { ReplayStore } from '../../lib/index.js';
import { ratio } from '../statistics.js';
import type { Row } from '../table.js';
import { measure, repeatAsync, type Repeated } from './measure.js';

const YES = { 'elicit-1': { action: 'accept', content: { confirm: true } } };
const LEASE_MS = 60_000;
const LIFETIME_MS = 60_000;
/** What a store may hold: more than all flows that are measured. */
const CAPACITY = 1_000_000;

/** What single use costs: the store alone, and a whole flow of two rounds over HTTP, one request at a time. */
export async function benchSingleUse({ redisUrl }: { readonly redisUrl?: string }): Promise<readonly Row[]> {
  const { MemoryReplayStore, RedisReplayStore } = await built('index');
  const memory = new MemoryReplayStore({ maxEntries: CAPACITY });
  if (redisUrl === undefined) return benchStores({ memory });
  const client = createClient({ url: redisUrl });
  await client.connect();
  try {
    return await benchStores({
      memory,
      redis: new RedisReplayStore({ sendCommand: (args) => client.sendCommand([...args]) }),
    });
  } finally {
    client.destroy();
  }
}

async function benchStores(stores: Readonly<Record<string, ReplayStore>>): Promise<readonly Row[]> {
  const servers: LocalServer[] = [];
  try {
    const flows: Record<string, Repeated> = {};
    const settling: Record<string, Repeated> = {};
    const given: Readonly<Record<string, ReplayStore | undefined>> = { none: undefined, ...stores };
    for (const [name, store] of Object.entries(given)) {
      const server = await start(store);
      servers.push(server);
      flows[`flow, ${name}`] = repeatAsync(() => flow(server));
      if (store !== undefined) settling[`claim + settle, ${name}`] = repeatAsync(() => spend(store));
    }
    const alone = await measure(settling, 'clock');
    const whole = await measure(flows, 'clock');
    const without = whole['flow, none']?.all ?? [];
    return [
      ...Object.entries(alone).map(([name, { median, min, max }]) => ({
        case: name,
        µs: median,
        min,
        max,
        'to none': '',
      })),
      ...Object.entries(whole).map(([name, { median, min, max, all }]) => ({
        case: name,
        µs: median,
        min,
        max,
        'to none': ratio(all, without).median.toFixed(2),
      })),
    ];
  } finally {
    await Promise.all(servers.map((server) => server.stop()));
  }
}

async function start(store: ReplayStore | undefined): Promise<LocalServer> {
  const { tool } = await built('index');
  const ask = tool('ask', {}, async (_args, ctx) => ((await ctx.confirm('Go on?')) ? 'yes' : 'no'));
  return LocalServer.start({ tools: [ask], ...(store !== undefined && { replay: { store } }) });
}

async function flow(server: LocalServer): Promise<void> {
  const { requestState } = await server.tool('ask', {});
  const { content } = await server.tool('ask', { requestState, inputResponses: YES });
  if (content?.[0]?.text !== 'yes') throw new Error('A flow did not complete.');
}

async function spend(store: ReplayStore): Promise<void> {
  const id = randomUUID();
  const { kind } = await store.claim(id, 'x'.repeat(43), LEASE_MS, Date.now() + LIFETIME_MS);
  if (kind !== 'claimed') throw new Error(`A new state was ${kind}.`);
  await store.settle(id, 'y'.repeat(300));
}
