import { createClient } from 'redis';
import { Cluster } from './support/cluster/cluster.js';
import { LegacyFlow } from './support/cluster/legacy-flow.js';
import { Proxy } from './support/cluster/proxy.js';
import { describeWithRedis, RedisServer } from './support/redis.js';

const FLOWS = 100;

describeWithRedis('three nodes with one mailbox in Redis behind a proxy', () => {
  const redis = { server: undefined as RedisServer | undefined, client: createClient() };
  let cluster: Cluster;
  let proxy: Proxy;

  beforeAll(async () => {
    redis.server = await RedisServer.start();
    redis.client = createClient({ url: redis.server.url });
    redis.client.on('error', () => undefined);
    await redis.client.connect();
    cluster = await Cluster.start(3, { redisUrl: redis.server.url, program: 'legacy-node' });
    proxy = await Proxy.before(cluster);
  }, 60_000);
  afterAll(async () => {
    await proxy.close();
    await cluster.close();
    if (redis.client.isOpen) redis.client.destroy();
    await redis.server?.stop();
  });

  async function count(what: 'begun' | 'ended', { name }: LegacyFlow): Promise<number> {
    return Number(await redis.client.get(`${what}:${name}`));
  }

  /** Runs all flows at once, while one node is killed that has ended calls: half of the flows keep their last answer for then. */
  async function runWhileOneIsKilled(flows: readonly LegacyFlow[]): Promise<void> {
    const victim = cluster.node(0);
    let ended = 0;
    let killed: () => void = () => undefined;
    const killing = new Promise<void>((resolve) => (killed = resolve));
    const run = async (flow: LegacyFlow, waits: boolean): Promise<void> => {
      await flow.run((left) => (waits && left === 1 ? killing : undefined));
      if (flow.node !== victim.name || flow.text === undefined) return;
      ended += 1;
      if (ended === 3) void victim.kill().then(killed);
    };
    await Promise.all(flows.map((flow, index) => run(flow, index % 4 < 2)));
  }

  it('serve 100 calls at once whose answers reach other nodes; with a killed node only its own calls fail', async () => {
    const begun = Date.now();
    const flows = await Promise.all(Array.from({ length: FLOWS }, (_none, i) => LegacyFlow.connect(i, proxy.url)));
    await runWhileOneIsKilled(flows);
    const victim = cluster.node(0).name;
    const [done, lost] = [
      flows.filter(({ text }) => text !== undefined),
      flows.filter(({ text }) => text === undefined),
    ];

    expect(done.map(({ text }) => text)).toEqual(done.map(({ expected }) => expected));
    expect(lost.length).toBeGreaterThan(0);
    expect(new Set(lost.map(({ node }) => node))).toEqual(new Set([victim]));
    // A stream that just ended would pass for a finished one.
    const brokenOff = /^TypeError: terminated$|^Error: The call broke off/;
    expect(lost.filter(({ broken = '' }) => !brokenOff.test(broken)).map(({ broken }) => broken)).toEqual([]);
    expect(new Set(flows.map(({ node }) => node))).toEqual(new Set(['node-1', 'node-2', 'node-3']));
    expect(new Set(flows.flatMap(({ answeredBy }) => answeredBy))).toEqual(new Set(['node-1', 'node-2', 'node-3']));

    // Calls that had ended on the killed node by then are none of those that fail.
    expect(done.some(({ node }) => node === victim)).toBe(true);
    const answers = flows.flatMap(({ node, answeredBy }) => answeredBy.map((by) => by !== node));
    const elsewhere = answers.filter(Boolean).length;
    expect(done.filter(({ node, answeredBy }) => answeredBy.some((by) => by !== node)).length).toBeGreaterThan(
      0.5 * done.length,
    );

    const runs = await Promise.all(flows.map(async (flow) => [await count('begun', flow), await count('ended', flow)]));
    expect(runs.filter((_run, i) => flows[i]?.text !== undefined)).toEqual(done.map(() => [1, 1]));
    expect(runs.flat().filter((times) => times > 1)).toEqual([]);

    expect([cluster.all('refused'), cluster.all('error')]).toEqual([[], []]);
    const left = [cluster.node(1), cluster.node(2)].map(({ url }) => fetch(new URL('/parked', url)));
    expect(await Promise.all(left.map(async (response) => (await response).json()))).toEqual([0, 0]);

    const figures = {
      completed: done.length,
      'broken off with the killed node': lost.length,
      answers: answers.length,
      'on another node than the call': elsewhere,
      'requests repeated': flows.reduce((sum, { repeats }) => sum + repeats, 0),
      ms: Date.now() - begun,
    };
    const list = Object.entries(figures).map(([name, value]) => `${value} ${name}`);
    process.stdout.write(`${FLOWS} flows of 2025-11-25 over three nodes: ${list.join(', ')}\n`);
  }, 60_000);
});
