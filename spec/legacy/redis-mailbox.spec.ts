import { Redis } from 'ioredis';
import { createClient } from 'redis';
import { RedisMailbox, type RedisMailboxOptions } from '../../lib/legacy/redis-mailbox.js';
import { mailboxContract } from '../../lib/testing/mailbox-contract.js';
import { describeWithRedis, RedisServer } from '../support/redis.js';

type Adapters = Pick<RedisMailboxOptions, 'sendCommand' | 'subscribe'>;

interface Node extends Adapters {
  readonly close: () => void;
}

const RETRY_MS = 20;

const CLIENTS: Readonly<Record<'redis' | 'ioredis', (server: RedisServer) => Promise<Node>>> = {
  async redis(server) {
    const socket = { reconnectStrategy: () => RETRY_MS };
    const client = createClient({ url: server.url, disableOfflineQueue: true, socket }).on('error', () => {});
    const subscriber = createClient({ url: server.url, socket }).on('error', () => {});
    await Promise.all([client.connect(), subscriber.connect()]);
    return {
      sendCommand: (args) => client.sendCommand([...args]),
      subscribe: async (channel, listener) => {
        await subscriber.subscribe(channel, listener);
        return () => subscriber.unsubscribe(channel, listener);
      },
      close: () => [client, subscriber].forEach((each) => each.destroy()),
    };
  },
  async ioredis(server) {
    const common = { lazyConnect: true, retryStrategy: () => RETRY_MS };
    const client = new Redis(server.port, '127.0.0.1', {
      ...common,
      enableOfflineQueue: false,
      autoResendUnfulfilledCommands: false,
    }).on('error', () => {});
    const subscriber = new Redis(server.port, '127.0.0.1', common).on('error', () => {});
    await Promise.all([client.connect(), subscriber.connect()]);
    return {
      sendCommand: ([command, ...rest]) => client.call(command, ...rest),
      subscribe: async (channel, listener) => {
        const hear = (at: string, message: string): void => {
          if (at === channel) listener(message);
        };
        subscriber.on('message', hear);
        await subscriber.subscribe(channel);
        return () => subscriber.off('message', hear).unsubscribe(channel);
      },
      close: () => [client, subscriber].forEach((each) => each.disconnect()),
    };
  },
};

const never = new AbortController().signal;
const newId = (): string => crypto.randomUUID();
const wait = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms));

async function eventually(work: () => Promise<boolean>): Promise<void> {
  const deadline = Date.now() + 10_000;
  while (!(await work().catch(() => false))) {
    if (Date.now() > deadline) throw new Error('it did not come about within 10 s');
    await wait(RETRY_MS);
  }
}

describeWithRedis('RedisMailbox on a real Redis', () => {
  let server: RedisServer;
  beforeAll(async () => {
    server = await RedisServer.start();
  });
  afterAll(() => server.stop());

  describe.each(['redis', 'ioredis'] as const)('through %s', (name) => {
    let one: Node;
    let two: Node;
    const made: RedisMailbox[] = [];
    const make = (node: Node, options: Partial<RedisMailboxOptions> = {}): RedisMailbox => {
      const { sendCommand, subscribe } = node;
      const mailbox = new RedisMailbox({ sendCommand, subscribe, ...options });
      made.push(mailbox);
      return mailbox;
    };
    const subscribers = async (): Promise<number> => {
      const reply = await one.sendCommand(['PUBSUB', 'NUMSUB', 'mrtr:mailbox:wake']);
      return Number((reply as unknown[])[1]);
    };

    beforeAll(async () => {
      [one, two] = [await CLIENTS[name](server), await CLIENTS[name](server)];
    });
    afterEach(async () => {
      for (const mailbox of made.splice(0)) await mailbox.close();
    });
    afterAll(() => {
      one.close();
      two.close();
    });

    describe('fulfils the contract: it', () => {
      for (const { title, run } of mailboxContract(() => make(one), { makeSecond: () => make(two) })) it(title, run);
    });

    it('subscribes once for all calls, when the first comes, and ends that when it is closed', async () => {
      let subscribed = 0;
      const subscribe: Adapters['subscribe'] = (...args) => {
        subscribed += 1;
        return one.subscribe(...args);
      };
      const mailbox = make(one, { subscribe });
      expect(await subscribers()).toBe(0);
      const ids = Array.from({ length: 20 }, newId);
      const parked = ids.map((id) => mailbox.park(id, 5000, never));
      await mailbox.ready();
      expect([subscribed, await subscribers()]).toEqual([1, 1]);
      await Promise.all(ids.map((id) => mailbox.deliver(id, id)));
      expect(await Promise.all(parked)).toEqual(ids);
      await mailbox.close();
      expect(await subscribers()).toBe(0);
    });

    it('keeps a message for keepMs only, and is woken long before it would look again', async () => {
      const [first, second] = [make(one), make(two)];
      const [early, late] = [newId(), newId()];
      await first.deliver(early, 'early');
      const left = await one.sendCommand(['PTTL', `mrtr:mailbox:${JSON.stringify(early)}`]);
      expect(left).toBeGreaterThan(10_000);
      expect(left).toBeLessThanOrEqual(15_000);
      const parked = first.park(late, 60_000, never);
      await first.ready();
      const at = Date.now();
      await second.deliver(late, 'late');
      expect(await parked).toBe('late');
      expect(Date.now() - at).toBeLessThan(2500);
    });

    it('keeps what has another prefix apart', async () => {
      const id = newId();
      const parked = make(one, { prefix: 'bank:' }).park(id, 200, never);
      await make(two).deliver(id, 'message');
      expect(await parked).toBeUndefined();
      expect(await make(one).park(id, 5000, never)).toBe('message');
    });

    it('gives a message to one of two calls that wait at one id on two nodes', async () => {
      const id = newId();
      const parked = [make(one), make(two)].map((mailbox) => mailbox.park(id, 300, never));
      await make(one).deliver(id, 'message');
      expect((await Promise.all(parked)).filter((message) => message !== undefined)).toEqual(['message']);
    });

    it('finds the message when the reply that held it was lost', async () => {
      let lost = 0;
      const sendCommand: Adapters['sendCommand'] = async (args) => {
        const reply = await one.sendCommand(args);
        if (reply !== '"message"' || lost > 0) return reply;
        lost += 1;
        throw new Error('connection lost');
      };
      const mailbox = make(one, { sendCommand, keepMs: 600 });
      const id = newId();
      const parked = mailbox.park(id, 5000, never);
      await mailbox.ready();
      await make(two).deliver(id, 'message');
      expect(await parked).toBe('message');
      expect(lost).toBe(1);
    });

    it('hears again once the connections that Redis broke off are back, and finds what came meanwhile', async () => {
      const mailbox = make(one, { keepMs: 3000 });
      const [id, later] = [newId(), newId()];
      const parked = mailbox.park(id, 20_000, never);
      await mailbox.ready();
      await one.sendCommand(['CLIENT', 'KILL', 'TYPE', 'pubsub']);
      await make(two).deliver(id, 'message');
      expect(await parked).toBe('message');
      await eventually(async () => (await subscribers()) === 1);
      const next = make(one, { subscribe: (...args) => one.subscribe(...args) }).park(later, 20_000, never);
      await make(two).deliver(later, 'later');
      expect(await next).toBe('later');
    });

    it('is woken through a connection that was broken off and came back', async () => {
      let looks = 0;
      const sendCommand: Adapters['sendCommand'] = (args) => {
        looks += 1;
        return one.sendCommand(args);
      };
      const mailbox = make(one, { sendCommand, keepMs: 600_000 });
      const id = newId();
      const parked = mailbox.park(id, 20_000, never);
      await mailbox.ready();
      await one.sendCommand(['CLIENT', 'KILL', 'TYPE', 'pubsub']);
      await eventually(async () => (await subscribers()) === 1);
      const before = looks;
      await make(two).deliver(id, 'message');
      expect(await parked).toBe('message');
      expect(looks).toBe(before + 1);
    });

    it('rejects at once while Redis is away, ends what waits, and works again when it is back', async () => {
      const mailbox = make(one, { keepMs: 300 });
      const parked = mailbox.park(newId(), 60_000, never).catch((error: unknown) => error);
      await mailbox.ready();
      await server.kill();
      try {
        const failed = { code: 'ERR_MRTR_MAILBOX', cause: expect.any(Error) };
        expect(await parked).toMatchObject(failed);
        await expect(mailbox.ready()).rejects.toMatchObject(failed);
        await expect(mailbox.park(newId(), 60_000, never)).rejects.toMatchObject({
          ...failed,
          message: 'RedisMailbox: sendCommand failed; see the cause.',
        });
        await expect(mailbox.deliver(newId(), 'message')).rejects.toMatchObject(failed);
        expect(mailbox.parked).toBe(0);
      } finally {
        await server.restart();
      }
      const id = newId();
      await eventually(() => mailbox.ready().then(() => true));
      await eventually(() => two.sendCommand(['PING']).then(() => true));
      await eventually(async () => (await subscribers()) === 1);
      const again = mailbox.park(id, 20_000, never);
      await make(two).deliver(id, 'message');
      expect(await again).toBe('message');
    });

    it('rejects when Redis hangs for longer than timeoutMs, and recovers', async () => {
      const mailbox = make(one, { timeoutMs: 100 });
      await mailbox.ready();
      server.pause();
      try {
        const late = {
          code: 'ERR_MRTR_MAILBOX',
          message: 'RedisMailbox: Redis has not answered sendCommand within 100 ms (its option "timeoutMs").',
        };
        await expect(mailbox.ready()).rejects.toMatchObject(late);
        await expect(mailbox.park(newId(), 60_000, never)).rejects.toMatchObject(late);
        await expect(mailbox.deliver(newId(), 'message')).rejects.toMatchObject(late);
        await expect(mailbox.park(newId(), 20, never)).rejects.toMatchObject({
          code: 'ERR_MRTR_MAILBOX',
          message: 'RedisMailbox: Redis has not answered before the time of a call was over.',
        });
      } finally {
        server.resume();
      }
      await eventually(() => mailbox.ready().then(() => true));
    });

    it('rejects where the key holds something else', async () => {
      const id = newId();
      await one.sendCommand(['SET', `mrtr:mailbox:${JSON.stringify(id)}`, 'text']);
      const wrong = { code: 'ERR_MRTR_MAILBOX', cause: { message: expect.stringContaining('WRONGTYPE') } };
      await expect(make(one).park(id, 5000, never)).rejects.toMatchObject(wrong);
      await expect(make(one).deliver(id, 'message')).rejects.toMatchObject(wrong);
    });
  });
});
