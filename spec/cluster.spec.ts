import { createClient } from 'redis';
import { post, textOf, type Answered } from './support/cluster/client.js';
import { Cluster, type ClusterNode } from './support/cluster/cluster.js';
import { runFlows, SumFlow } from './support/cluster/flow.js';
import { Proxy } from './support/cluster/proxy.js';
import { Random } from './fuzz/random.js';
import { describeWithRedis, RedisServer } from './support/redis.js';

const BAD_STATE = {
  code: -32602,
  message: 'The requestState is not valid for this request. Call again without it to start over.',
  data: { reason: 'invalid_request_state' },
};
const INTERNAL = {
  code: -32603,
  message: 'Internal error. The operator of this server can see the reason in its events.',
};
const IN_FLIGHT = {
  code: -32603,
  message: 'This very request is still being served. Send it again later to get its result.',
  data: { reason: 'request_in_flight' },
};
const YES = { action: 'accept', content: { confirm: true } };
const NO = { action: 'accept', content: { confirm: false } };
const CONCURRENCY = 16;

/** Runs flows through a proxy while the first node is killed, and the second is ended and replaced. */
async function runThroughFailures(cluster: Cluster, count: number): Promise<{ flows: SumFlow[]; killed: ClusterNode }> {
  const proxy = await Proxy.before(cluster);
  const flows = Array.from({ length: count }, (_none, i) => new SumFlow(i));
  const random = new Random(count);
  const [killed, restarted] = [cluster.node(0), cluster.node(1)];
  let killing: Promise<unknown> | undefined;
  let restarting: Promise<unknown> | undefined;
  try {
    await runFlows(flows, {
      url: proxy.url,
      concurrency: CONCURRENCY,
      below: (limit) => random.below(limit),
      before: (steps) => {
        if (steps >= count) killing ??= killed.kill();
        if (steps >= 1.75 * count) restarting ??= restarted.stop().then(() => cluster.replace(restarted));
        // The last quarter of all steps is left for the new process to take part in.
        return steps >= 3 * count ? Promise.all([killing, restarting]).then(() => undefined) : undefined;
      },
    });
  } finally {
    await proxy.close();
  }
  return { flows, killed };
}

function expectAllServed(cluster: Cluster, flows: readonly SumFlow[]): void {
  expect(flows.map(({ text }) => text)).toEqual(flows.map(({ expected }) => expected));
  expect(flows.filter(({ nodes }) => nodes.size > 1).length).toBeGreaterThan(0.6 * flows.length);
  expect(new Set(flows.flatMap(({ nodes }) => [...nodes]))).toEqual(new Set(['node-1', 'node-2', 'node-3']));
  expect(flows.some(({ repeats }) => repeats > 0)).toBe(true);
  expect([cluster.all('refused'), cluster.all('error')]).toEqual([[], []]);
}

/** Figures for whoever reads the log of a test run. */
function note(title: string, figures: Record<string, number>): void {
  const list = Object.entries(figures).map(([name, value]) => `${value} ${name}`);
  process.stdout.write(`${title}: ${list.join(', ')}\n`);
}

describe('three nodes with one keyring behind a proxy', () => {
  let cluster: Cluster;

  beforeAll(async () => {
    cluster = await Cluster.start(3);
  }, 60_000);
  afterAll(() => cluster.close());

  it('complete 200 flows on whichever node, while one is killed and another restarted', async () => {
    const begun = Date.now();
    const { flows } = await runThroughFailures(cluster, 200);
    expectAllServed(cluster, flows);
    note('200 flows over three nodes', {
      'on more than one node': flows.filter(({ nodes }) => nodes.size > 1).length,
      'requests broken off': flows.reduce((sum, { broken }) => sum + broken.length, 0),
      'requests repeated': flows.reduce((sum, { repeats }) => sum + repeats, 0),
      ms: Date.now() - begun,
    });
  }, 60_000);
});

describeWithRedis('nodes with single use over one Redis', () => {
  const redis = { server: undefined as RedisServer | undefined, client: createClient() };
  const clusters: Cluster[] = [];

  beforeAll(async () => {
    redis.server = await RedisServer.start();
    redis.client = createClient({ url: redis.server.url, socket: { reconnectStrategy: 50 } });
    redis.client.on('error', () => undefined);
    await redis.client.connect();
  }, 60_000);
  afterAll(async () => {
    await Promise.all(clusters.map((cluster) => cluster.close()));
    if (redis.client.isOpen) redis.client.destroy();
    await redis.server?.stop();
  });

  const server = (): RedisServer => redis.server as RedisServer;

  async function start(size: number, replay: object): Promise<Cluster> {
    const cluster = await Cluster.start(size, { redisUrl: server().url, replay });
    clusters.push(cluster);
    return cluster;
  }

  async function effects(flow: string): Promise<number> {
    return Number(await redis.client.get(`effects:${flow}`));
  }

  let flows = 0;

  /** A payment that its user was asked about: what is to be sent to have it made. */
  class Payment {
    readonly flow = `payment-${(flows += 1)}`;
    readonly #hold: boolean;
    #state = '';

    private constructor(hold: boolean) {
      this.#hold = hold;
    }

    /** @param hold - whether the handler that pays waits for `node.open()`. */
    static async ask(node: ClusterNode, hold = false): Promise<Payment> {
      const payment = new Payment(hold);
      const { reply } = await payment.send(node, {});
      payment.#state = reply.result?.requestState ?? '';
      expect(payment.#state).toMatch(/^mrtr1\./);
      return payment;
    }

    answer(node: ClusterNode, answer: object = YES, signal?: AbortSignal, state = this.#state): Promise<Answered> {
      return this.send(node, { requestState: state, inputResponses: { 'elicit-1': answer } }, signal);
    }

    /** The same answer with the state spelled in another way. */
    misspelled(node: ClusterNode): Promise<Answered> {
      return this.answer(node, YES, undefined, `${this.#state}=`);
    }

    send(node: ClusterNode, more: object, signal?: AbortSignal): Promise<Answered> {
      return post(node.url, 'pay', { arguments: { flow: this.flow, hold: this.#hold }, ...more }, signal);
    }
  }

  /** Repeats a request as long as it is said to be served still, or Redis is not back. */
  async function settled(request: () => Promise<Answered>): Promise<Answered> {
    const deadline = Date.now() + 10_000;
    for (;;) {
      const answered = await request();
      if (answered.reply.error?.code !== INTERNAL.code || Date.now() > deadline) return answered;
      await new Promise((resolve) => setTimeout(resolve, 20));
    }
  }

  const errorOf = ({ status, reply }: Answered): unknown => [status, reply.error];

  it('C35 complete 100 flows, each final handler once, but for rounds that ran on the killed node', async () => {
    const cluster = await start(3, { leaseSeconds: 2, waitSeconds: 15 });
    const begun = Date.now();
    const { flows, killed } = await runThroughFailures(cluster, 100);
    expectAllServed(cluster, flows);
    const counted = await Promise.all(flows.map(async (flow) => ({ flow, runs: await effects(flow.name) })));
    const twice = counted.filter(({ runs }) => runs !== 1);
    // At most once a lease: only a round that was cut off between its claim and its end can have run a second time.
    expect(twice.filter(({ flow, runs }) => !flow.wasCutOffAtTheEndOn(killed) || runs !== 2)).toEqual([]);
    const cut = flows.flatMap(({ broken }) => broken).filter(({ node }) => node === killed.name);
    note('100 flows with single use', {
      'on more than one node': flows.filter(({ nodes }) => nodes.size > 1).length,
      'rounds cut off on the killed node': cut.length,
      'of them final rounds': flows.filter((flow) => flow.wasCutOffAtTheEndOn(killed)).length,
      'final handlers that ran again after the lease': twice.length,
      'requests repeated': flows.reduce((sum, { repeats }) => sum + repeats, 0),
      ms: Date.now() - begun,
    });
  }, 60_000);

  describe('that wait for a running round', () => {
    let a: ClusterNode;
    let b: ClusterNode;

    beforeAll(async () => {
      const cluster = await start(2, { leaseSeconds: 60, waitSeconds: 15 });
      [a, b] = [cluster.node(0), cluster.node(1)];
    }, 60_000);
    beforeEach(() => [a, b].forEach((node) => node.forget()));

    it('C35 C02 twenty submissions at once run the handler once; all get its result', async () => {
      const payment = await Payment.ask(a);
      const replies = await Promise.all(Array.from({ length: 20 }, (_none, i) => payment.answer(i % 2 === 0 ? a : b)));
      expect(new Set(replies.map(({ status }) => status))).toEqual(new Set([200]));
      const [text, ...others] = new Set(replies.map(textOf));
      expect(others).toEqual([]);
      expect(text).toMatch(/^node-[12] paid /);
      expect(new Set(replies.map(({ node }) => node))).toEqual(new Set(['node-1', 'node-2']));
      expect(await effects(payment.flow)).toBe(1);
      for (const node of [a, b]) {
        expect(errorOf(await payment.misspelled(node))).toEqual([200, BAD_STATE]);
        expect(errorOf(await payment.answer(node, NO))).toEqual([200, BAD_STATE]);
        expect(textOf(await payment.answer(node))).toBe(text);
      }
      expect(await effects(payment.flow)).toBe(1);
    });

    it('a request that is delivered again while it runs gets the result of the first', async () => {
      const payment = await Payment.ask(b, true);
      const first = payment.answer(a);
      await a.told({ kind: 'entered', flow: payment.flow });
      const second = payment.answer(b);
      await b.told({ kind: 'claim', claim: 'in_flight' });
      a.open(payment.flow);
      expect((await first).reply).toEqual((await second).reply);
      expect(textOf(await second)).toBe(`node-1 paid ${payment.flow}`);
      expect(await effects(payment.flow)).toBe(1);
    });

    it('a client that went away before the reply gets the recorded result when it comes again', async () => {
      const payment = await Payment.ask(a, true);
      const gone = new AbortController();
      const first = payment.answer(a, YES, gone.signal).catch(() => 'gone');
      await a.told({ kind: 'entered', flow: payment.flow });
      gone.abort();
      expect(await first).toBe('gone');
      const again = payment.answer(b);
      a.open(payment.flow);
      expect(textOf(await again)).toBe(`node-1 paid ${payment.flow}`);
      expect(await effects(payment.flow)).toBe(1);
    });
  });

  it('a round whose node was killed runs again once its lease is over, and not before', async () => {
    const cluster = await start(2, { leaseSeconds: 2, waitSeconds: 15 });
    const [a, b] = [cluster.node(0), cluster.node(1)];
    const payment = await Payment.ask(a, true);
    const lost = payment.answer(a).catch(() => 'lost');
    await a.told({ kind: 'entered', flow: payment.flow });
    await a.kill();
    expect(await lost).toBe('lost');
    const again = payment.answer(b);
    await b.told({ kind: 'entered', flow: payment.flow });
    b.open(payment.flow);
    expect(textOf(await again)).toBe(`node-2 paid ${payment.flow}`);
    expect(await effects(payment.flow)).toBe(2);
    const claims = b.all('claim').map(({ claim }) => claim);
    expect(claims.length).toBeGreaterThan(1);
    expect(claims).toEqual([...claims.slice(1).map(() => 'in_flight'), 'claimed']);
  });

  describe('that do not wait, on a Redis that fails', () => {
    const TIMEOUT_MS = 1000;
    let cluster: Cluster;
    let a: ClusterNode;
    let b: ClusterNode;

    beforeAll(async () => {
      // No lease runs out in here, so nothing can go on for that reason.
      cluster = await start(2, { leaseSeconds: 120, waitSeconds: 0, timeoutSeconds: TIMEOUT_MS / 1000 });
      [a, b] = [cluster.node(0), cluster.node(1)];
    }, 60_000);
    beforeEach(() => [a, b].forEach((node) => node.forget()));
    afterEach(() => server().restart());

    /** A call with a state fails within the time-out; one without needs no Redis. */
    async function expectClosed(payments: readonly Payment[]): Promise<void> {
      const begun = Date.now();
      const replies = await Promise.all(payments.flatMap((payment) => [payment.answer(a), payment.answer(b)]));
      expect(Date.now() - begun).toBeLessThan(2 * TIMEOUT_MS);
      expect(replies.map(errorOf)).toEqual(replies.map(() => [200, INTERNAL]));
      expect(new Set(cluster.all('error').map(({ code }) => code))).toEqual(new Set(['ERR_MRTR_STORE']));
      await Payment.ask(a);
    }

    it('C35 twenty submissions at once run the handler once; the others get the one stable error', async () => {
      const payment = await Payment.ask(a, true);
      const first = payment.answer(a);
      await a.told({ kind: 'entered', flow: payment.flow });
      const others = await Promise.all(Array.from({ length: 19 }, (_none, i) => payment.answer(i % 2 === 0 ? a : b)));
      expect(others.map(errorOf)).toEqual(others.map(() => [200, IN_FLIGHT]));
      expect(errorOf(await payment.misspelled(b))).toEqual([200, BAD_STATE]);
      a.open(payment.flow);
      expect(textOf(await first)).toBe(`node-1 paid ${payment.flow}`);
      expect(textOf(await payment.answer(b))).toBe(`node-1 paid ${payment.flow}`);
      expect(await effects(payment.flow)).toBe(1);
    });

    it('C119 a Redis that hangs: refused in time, no handler runs; afterwards the same request goes through', async () => {
      const payments = await Promise.all([Payment.ask(a), Payment.ask(b), Payment.ask(a)]);
      server().pause();
      await expectClosed(payments);
      server().resume();
      for (const payment of payments) {
        expect(await effects(payment.flow)).toBe(0);
        expect(textOf(await settled(() => payment.answer(b)))).toBe(`node-2 paid ${payment.flow}`);
        expect(textOf(await payment.answer(a))).toBe(`node-2 paid ${payment.flow}`);
        expect(await effects(payment.flow)).toBe(1);
      }
    });

    it('C119 a Redis that was killed: refused in time, no handler runs; after its restart the same request goes through', async () => {
      const payments = await Promise.all([Payment.ask(a), Payment.ask(b), Payment.ask(a)]);
      await server().kill();
      await expectClosed(payments);
      await server().restart();
      for (const payment of payments) {
        expect(await effects(payment.flow)).toBe(0);
        expect(textOf(await settled(() => payment.answer(b)))).toBe(`node-2 paid ${payment.flow}`);
        expect(textOf(await payment.answer(a))).toBe(`node-2 paid ${payment.flow}`);
        expect(await effects(payment.flow)).toBe(1);
      }
    });

    it('C119 a Redis that hangs while a handler runs: the result goes out, and is recorded once Redis is back', async () => {
      const payment = await Payment.ask(a, true);
      const first = payment.answer(a);
      await a.told({ kind: 'entered', flow: payment.flow });
      server().pause();
      a.open(payment.flow);
      expect(textOf(await first)).toBe(`node-1 paid ${payment.flow}`);
      expect(a.all('error')).toEqual([{ kind: 'error', code: 'ERR_MRTR_STORE' }]);
      server().resume();
      expect(textOf(await settled(() => payment.answer(b)))).toBe(`node-1 paid ${payment.flow}`);
      expect(await effects(payment.flow)).toBe(1);
    });

    it('C119 what a Redis forgets in a restart can be presented again, since durability is its own affair', async () => {
      const payment = await Payment.ask(a);
      expect(textOf(await settled(() => payment.answer(a)))).toBe(`node-1 paid ${payment.flow}`);
      await server().restart();
      expect(textOf(await settled(() => payment.answer(b)))).toBe(`node-2 paid ${payment.flow}`);
    });
  });
});
