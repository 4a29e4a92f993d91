import fc from 'fast-check';
import { Redis } from 'ioredis';
import { createClient } from 'redis';
import { codeOf, MrtrError } from '../../lib/errors.js';
import { RedisReplayStore, type RedisReplayStoreOptions } from '../../lib/stores/redis.js';
import { replayStoreContract } from '../../lib/testing/replay-store-contract.js';
import { describeWithRedis, RedisServer } from '../support/redis.js';
import { agree, histories, type Step } from '../support/store-model.js';

type SendCommand = RedisReplayStoreOptions['sendCommand'];

interface Client {
  readonly sendCommand: SendCommand;
  readonly close: () => void;
}

const RETRY_MS = 20;

/** Clients that reject at once while Redis is away: with the queues of their defaults a call waits until it is back. */
const CLIENTS: Readonly<Record<'redis' | 'ioredis', (server: RedisServer) => Promise<Client>>> = {
  async redis(server) {
    const client = createClient({
      url: server.url,
      disableOfflineQueue: true,
      socket: { reconnectStrategy: () => RETRY_MS },
    }).on('error', () => {});
    await client.connect();
    return { sendCommand: (args) => client.sendCommand([...args]), close: () => client.destroy() };
  },
  async ioredis(server) {
    const client = new Redis(server.port, '127.0.0.1', {
      lazyConnect: true,
      enableOfflineQueue: false,
      autoResendUnfulfilledCommands: false,
      retryStrategy: () => RETRY_MS,
    }).on('error', () => {});
    await client.connect();
    return { sendCommand: ([command, ...rest]) => client.call(command, ...rest), close: () => client.disconnect() };
  },
};

const wait = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms));

/** Until a client has connected anew. */
async function eventually(work: () => Promise<unknown>): Promise<void> {
  const deadline = Date.now() + 10_000;
  for (;;) {
    try {
      await work();
      return;
    } catch (error) {
      if (Date.now() > deadline) throw error;
      await wait(RETRY_MS);
    }
  }
}

/** Makes each lease either outlast the history or be over before the next step, so that no race with Redis' clock is left. */
function timed(history: readonly Step[]): Step[] {
  return history.flatMap((step) =>
    step.do === 'claim' && step.leaseMs === 1 ? [step, { do: 'pass', ms: 5 }] : [step],
  );
}

describeWithRedis('RedisReplayStore on a real Redis', () => {
  let server: RedisServer;
  beforeAll(async () => {
    server = await RedisServer.start();
  });
  afterAll(() => server.stop());

  describe.each(['redis', 'ioredis'] as const)('through %s', (name) => {
    let one: Client;
    let two: Client;
    let first: RedisReplayStore;
    let second: RedisReplayStore;
    const soon = (): number => Date.now() + 3_600_000;
    const newId = (): string => crypto.randomUUID();

    beforeAll(async () => {
      [one, two] = [await CLIENTS[name](server), await CLIENTS[name](server)];
      first = new RedisReplayStore({ sendCommand: one.sendCommand });
      second = new RedisReplayStore({ sendCommand: two.sendCommand });
    });
    afterAll(() => {
      one.close();
      two.close();
    });

    describe('fulfils the contract: it', () => {
      const make = (): RedisReplayStore => new RedisReplayStore({ sendCommand: one.sendCommand });
      const makeSecond = (): RedisReplayStore => new RedisReplayStore({ sendCommand: two.sendCommand });
      for (const { title, run } of replayStoreContract(make, { makeSecond })) it(title, run);
    });

    it('agrees with the model, whatever two holders do', async () => {
      const pass = async (ms: number): Promise<void> => wait(2 * ms);
      const steps = histories(2, [1, 60_000], [5]).map(timed);
      await fc.assert(
        fc.asyncProperty(steps, async (history) => {
          const run = newId();
          const nameOf = (id: string): string => `${run}:${id}`;
          await agree(history, { stores: [first, second], lifetimeMs: 3_600_000, now: Date.now, pass, nameOf });
        }),
        { numRuns: 25 },
      );
    });

    it('C35 lets one of 20 claims at once through, over two connections', async () => {
      const id = newId();
      const claims = Array.from({ length: 20 }, (_, at) =>
        (at % 2 === 0 ? first : second).claim(id, 'd', 60_000, soon()),
      );
      const kinds = (await Promise.all(claims)).map(({ kind }) => kind).sort();
      expect(kinds).toEqual(['claimed', ...Array.from({ length: 19 }, () => 'in_flight')]);
    });

    it('keeps a record until the state expires or the lease ends, whichever is later, and no longer', async () => {
      const timeLeft = (id: string): Promise<unknown> => one.sendCommand(['PTTL', `mrtr:replay:${id}`]);
      const [long, short] = [newId(), newId()];
      await first.claim(long, 'd', 1000, Date.now() + 90_000);
      await first.claim(short, 'd', 30_000, Date.now() + 1000);
      await first.settle(long, 'reply');
      expect(await timeLeft(long)).toBeGreaterThan(60_000);
      expect(await timeLeft(long)).toBeLessThanOrEqual(90_001);
      expect(await timeLeft(short)).toBeGreaterThan(10_000);
      expect(await timeLeft(short)).toBeLessThanOrEqual(30_001);
    });

    it('keeps what has another prefix apart', async () => {
      const id = newId();
      const other = new RedisReplayStore({ sendCommand: one.sendCommand, prefix: 'other:' });
      expect(await first.claim(id, 'd', 60_000, soon())).toEqual({ kind: 'claimed' });
      expect(await other.claim(id, 'd', 60_000, soon())).toEqual({ kind: 'claimed' });
    });

    it('claims once when a client sends the command again after a lost connection', async () => {
      const id = newId();
      const sendCommand: SendCommand = async (args) => {
        await one.sendCommand(args);
        return one.sendCommand(args);
      };
      const twice = new RedisReplayStore({ sendCommand });
      expect(await twice.claim(id, 'd', 60_000, soon())).toEqual({ kind: 'claimed' });
      await twice.settle(id, 'reply');
      expect(await second.claim(id, 'd', 60_000, soon())).toEqual({ kind: 'done', reply: 'reply' });
    });

    it('C119 keeps what was settled when the reply to that was lost and the caller gives the claim back', async () => {
      const id = newId();
      let lost = false;
      const sendCommand: SendCommand = async (args) => {
        const reply = await one.sendCommand(args);
        if (lost) throw new Error('connection lost');
        return reply;
      };
      const store = new RedisReplayStore({ sendCommand });
      await store.claim(id, 'd', 60_000, soon());
      lost = true;
      await expect(store.settle(id, 'reply')).rejects.toMatchObject({ code: 'ERR_MRTR_STORE' });
      lost = false;
      await store.release(id);
      await store.settle(id, 'other');
      expect(await second.claim(id, 'd', 60_000, soon())).toEqual({ kind: 'done', reply: 'reply' });
    });

    it('C119 rejects where the key holds something else', async () => {
      const id = newId();
      await one.sendCommand(['SET', `mrtr:replay:${id}`, 'text']);
      await expect(first.claim(id, 'd', 1000, soon())).rejects.toMatchObject({
        code: 'ERR_MRTR_STORE',
        cause: { message: expect.stringContaining('WRONGTYPE') },
      });
    });

    it('C119 rejects when Redis is out of memory, and claims again when it is not', async () => {
      const id = newId();
      await one.sendCommand(['CONFIG', 'SET', 'maxmemory', '1']);
      try {
        await expect(first.claim(id, 'd', 1000, soon())).rejects.toMatchObject({ code: 'ERR_MRTR_STORE' });
      } finally {
        await one.sendCommand(['CONFIG', 'SET', 'maxmemory', '0']);
      }
      expect(await first.claim(id, 'd', 1000, soon())).toEqual({ kind: 'claimed' });
    });

    it('C119 stays pending while Redis hangs, for the time-out of the caller to decide, and recovers', async () => {
      const id = newId();
      server.pause();
      let answered = false;
      const claim = first.claim(id, 'd', 60_000, soon()).finally(() => (answered = true));
      try {
        await wait(150);
        expect(answered).toBe(false);
      } finally {
        server.resume();
      }
      expect(await claim).toEqual({ kind: 'claimed' });
      expect(await second.claim(id, 'd', 60_000, soon())).toEqual({ kind: 'in_flight' });
    });

    it('C119 rejects what is under way when Redis is killed, and all that comes while it is away', async () => {
      const [id, held] = [newId(), newId()];
      await first.claim(held, 'd', 60_000, soon());
      server.pause();
      const outcome = first.claim(id, 'd', 60_000, soon()).catch((error: unknown) => error);
      await wait(50);
      await server.kill();
      try {
        expect(await outcome).toBeInstanceOf(MrtrError);
        expect(codeOf(await outcome)).toBe('ERR_MRTR_STORE');
        await expect(first.claim(id, 'd', 60_000, soon())).rejects.toMatchObject({
          code: 'ERR_MRTR_STORE',
          message: 'RedisReplayStore: the command EVAL failed; see the cause.',
          cause: expect.any(Error),
        });
        await expect(first.settle(held, 'reply')).rejects.toMatchObject({ code: 'ERR_MRTR_STORE' });
        await expect(first.release(held)).rejects.toMatchObject({ code: 'ERR_MRTR_STORE' });
      } finally {
        await server.restart();
        await eventually(() => one.sendCommand(['PING']));
        await eventually(() => two.sendCommand(['PING']));
      }
    });

    it('C119 claims again after a restart of a Redis without persistence, which has forgotten every claim and reply', async () => {
      const [settled, held] = [newId(), newId()];
      await first.claim(settled, 'd', 60_000, soon());
      await first.settle(settled, 'reply');
      await first.claim(held, 'd', 60_000, soon());
      await server.restart();
      await eventually(() => one.sendCommand(['PING']));
      await eventually(() => two.sendCommand(['PING']));
      await first.settle(held, 'late');
      expect(await second.claim(settled, 'd', 60_000, soon())).toEqual({ kind: 'claimed' });
      expect(await second.claim(held, 'd', 60_000, soon())).toEqual({ kind: 'claimed' });
    });
  });
});
