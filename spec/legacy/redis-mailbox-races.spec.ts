import { MrtrRangeError, MrtrTypeError } from '../../lib/errors.js';
import { RedisMailbox, type RedisMailboxOptions } from '../../lib/legacy/redis-mailbox.js';
import { DELIVER } from '../../lib/legacy/redis-mailbox-scripts.js';
import { gate } from '../support/engine.js';
import { CountedSignal, ManualClock, turn } from '../support/mailbox.js';

/** The two scripts and the channel, with every reply under the control of a test. */
class FakeRedis {
  readonly letters = new Map<string, { readonly letter: string; taker?: string }>();
  readonly log: string[] = [];
  listener: ((word: string) => void) | undefined;
  /** Runs before a reply is given, after the command has had its effect. */
  reply: (kind: 'take' | 'deliver', reply: unknown) => unknown = (_kind, reply) => reply;
  subscribing: () => Promise<unknown> | undefined = () => undefined;
  deaf = false;

  readonly sendCommand: RedisMailboxOptions['sendCommand'] = async (args) => {
    const [, script, , key = '', ...rest] = args;
    const kind = script === DELIVER ? 'deliver' : 'take';
    this.log.push(kind);
    return this.reply(kind, kind === 'deliver' ? this.#deliver(key, rest) : this.#take(key, rest));
  };

  readonly subscribe: RedisMailboxOptions['subscribe'] = async (_channel, listener) => {
    this.log.push('subscribe');
    await this.subscribing();
    this.listener = listener;
    return async () => {
      this.log.push('unsubscribe');
      this.listener = undefined;
    };
  };

  #deliver(key: string, [letter = '', , , word = '']: string[]): string {
    if (!this.letters.has(key)) {
      this.letters.set(key, { letter });
      if (!this.deaf) this.listener?.(word);
    }
    return 'delivered';
  }

  #take(key: string, [taker = '']: string[]): string {
    const row = this.letters.get(key);
    if (row === undefined || (row.taker ?? taker) !== taker) return '';
    row.taker = taker;
    return row.letter;
  }
}

const never = new AbortController().signal;
const broken = (): never => {
  throw new Error('connection lost');
};

describe('RedisMailbox', () => {
  let redis: FakeRedis;
  let clock: ManualClock;
  const make = (options: Partial<RedisMailboxOptions> = {}): RedisMailbox =>
    new RedisMailbox({ sendCommand: redis.sendCommand, subscribe: redis.subscribe, clock, ...options });
  beforeEach(() => {
    redis = new FakeRedis();
    clock = new ManualClock();
  });

  it('subscribes before it looks, so that no message can come between', async () => {
    const { promise, open } = gate();
    redis.subscribing = () => promise;
    const mailbox = make();
    const parked = mailbox.park('a', 1000, never);
    await turn();
    await mailbox.deliver('a', 'message');
    expect(redis.log).toEqual(['subscribe', 'deliver']);
    open();
    expect(await parked).toBe('message');
    expect(redis.log).toEqual(['subscribe', 'deliver', 'take']);
  });

  it('looks once more when word of the message comes during a look that was too early to see it', async () => {
    const { promise, open } = gate();
    redis.reply = (kind, reply) => (kind === 'take' ? promise.then(() => reply) : reply);
    const mailbox = make();
    const parked = mailbox.park('a', 60_000, never);
    await turn();
    await mailbox.deliver('a', 'message');
    await turn();
    expect(redis.log).toEqual(['subscribe', 'take', 'deliver']);
    open();
    expect(await parked).toBe('message');
    expect(redis.log).toEqual(['subscribe', 'take', 'deliver', 'take']);
    expect(clock.pending).toBe(0);
  });

  it('finds by itself a message whose word was lost, after a third of keepMs', async () => {
    redis.deaf = true;
    const mailbox = make({ keepMs: 900 });
    const parked = mailbox.park('a', 60_000, never);
    await turn();
    await mailbox.deliver('a', 'message');
    await clock.advance(299);
    expect(mailbox.parked).toBe(1);
    await clock.advance(1);
    expect(await parked).toBe('message');
    expect(clock.pending).toBe(0);
  });

  it('pays no heed to words of calls that wait elsewhere, or that are no text', async () => {
    const mailbox = make();
    const parked = mailbox.park('a', 1000, never);
    await turn();
    for (const word of ['', '"b"', 'a', '__proto__', undefined, Buffer.from('"a"')]) redis.listener?.(word as string);
    await turn();
    expect(redis.log).toEqual(['subscribe', 'take']);
    await clock.advance(1000);
    expect(await parked).toBeUndefined();
  });

  it('outlives one failed look, and ends with the second in a row', async () => {
    const mailbox = make({ keepMs: 300 });
    const parked = mailbox.park('a', 60_000, never);
    parked.catch(() => undefined);
    await turn();
    redis.reply = broken;
    await clock.advance(100);
    redis.reply = (_kind, reply) => reply;
    await clock.advance(100);
    redis.reply = broken;
    await clock.advance(100);
    expect(mailbox.parked).toBe(1);
    await clock.advance(100);
    await expect(parked).rejects.toMatchObject({
      code: 'ERR_MRTR_MAILBOX',
      message: 'RedisMailbox: sendCommand failed; see the cause.',
      cause: { message: 'connection lost' },
    });
    expect([mailbox.parked, clock.pending]).toEqual([0, 0]);
  });

  it('ends with the failure rather than with nothing when the time is over after a failed look', async () => {
    const mailbox = make({ keepMs: 300 });
    const parked = mailbox.park('a', 150, never);
    parked.catch(() => undefined);
    await turn();
    redis.reply = broken;
    await clock.advance(150);
    await expect(parked).rejects.toMatchObject({ code: 'ERR_MRTR_MAILBOX', cause: { message: 'connection lost' } });
  });

  it('ends at once when the first look fails', async () => {
    redis.reply = broken;
    const mailbox = make();
    await expect(mailbox.park('a', 60_000, never)).rejects.toMatchObject({ code: 'ERR_MRTR_MAILBOX' });
    expect([mailbox.parked, clock.pending]).toEqual([0, 0]);
  });

  it('subscribes anew after a subscription that failed', async () => {
    redis.subscribing = broken;
    const mailbox = make();
    await expect(mailbox.ready()).rejects.toMatchObject({
      code: 'ERR_MRTR_MAILBOX',
      message: 'RedisMailbox: subscribe failed; see the cause.',
    });
    redis.subscribing = () => undefined;
    await mailbox.ready();
    await mailbox.ready();
    expect(redis.log).toEqual(['subscribe', 'subscribe', 'take', 'take']);
  });

  it('waits again for a subscription that is late, rather than subscribe twice', async () => {
    const { promise, open } = gate();
    redis.subscribing = () => promise;
    const mailbox = make({ timeoutMs: 100 });
    for (let attempt = 0; attempt < 2; attempt += 1) {
      const ready = mailbox.ready();
      ready.catch(() => undefined);
      await clock.advance(100);
      await expect(ready).rejects.toMatchObject({
        message: 'RedisMailbox: Redis has not answered subscribe within 100 ms (its option "timeoutMs").',
      });
    }
    open();
    await mailbox.ready();
    expect(redis.log).toEqual(['subscribe', 'take']);
  });

  it.each<[string, (mailbox: RedisMailbox, counted: CountedSignal) => unknown, string | undefined]>([
    ['its message came', (mailbox) => mailbox.deliver('a', 'message'), 'message'],
    ['its time was over', () => clock.advance(60_000), undefined],
    ['its signal aborted', (_mailbox, counted) => counted.controller.abort(), undefined],
  ])('keeps neither timer nor listener nor entry of a call once %s', async (_why, end, message) => {
    const mailbox = make();
    const counted = new CountedSignal();
    const parked = mailbox.park('a', 60_000, counted.signal);
    await turn();
    expect([mailbox.parked, clock.pending, counted.listeners]).toEqual([1, 2, 1]);
    await end(mailbox, counted);
    expect(await parked).toBe(message);
    await turn();
    expect([mailbox.parked, clock.pending, counted.listeners]).toEqual([0, 0, 0]);
  });

  it('keeps nothing of a call that aborted while it looked, and hands its message to nobody else', async () => {
    const { promise, open } = gate();
    redis.reply = (_kind, reply) => promise.then(() => reply);
    const mailbox = make();
    const controller = new AbortController();
    const parked = mailbox.park('a', 60_000, controller.signal);
    await turn();
    controller.abort();
    expect(await parked).toBeUndefined();
    open();
    await turn();
    expect([mailbox.parked, clock.pending]).toEqual([0, 0]);
  });

  it('lets a look of an earlier call at the same id neither fail nor end a later one', async () => {
    const { promise, open } = gate();
    redis.reply = () => promise.then(broken);
    const mailbox = make();
    const controller = new AbortController();
    const earlier = mailbox.park('a', 60_000, controller.signal);
    await turn();
    controller.abort();
    expect(await earlier).toBeUndefined();
    redis.reply = (_kind, reply) => reply;
    const later = mailbox.park('a', 60_000, never);
    later.catch(() => undefined);
    await turn();
    open();
    await turn();
    expect(mailbox.parked).toBe(1);
    await mailbox.deliver('a', 'message');
    expect(await later).toBe('message');
    expect(clock.pending).toBe(0);
  });

  it('asks nothing of Redis for a signal that has aborted', async () => {
    expect(await make().park('a', 1000, AbortSignal.abort())).toBeUndefined();
    expect(redis.log).toEqual([]);
  });

  it('refuses a call beyond maxParked, and a second one at an id at which one waits', async () => {
    const mailbox = make({ maxParked: 2 });
    const parked = mailbox.park('a', 1000, never);
    await expect(mailbox.park('a', 1000, never)).rejects.toMatchObject({
      message: 'RedisMailbox: another call waits at this id; park() takes a new random id each time.',
    });
    void mailbox.park('b', 1000, never);
    const full = { code: 'ERR_MRTR_MAILBOX', message: expect.stringContaining('Raise its option "maxParked"') };
    await expect(mailbox.park('c', 1000, never)).rejects.toMatchObject(full);
    await expect(mailbox.ready()).rejects.toMatchObject(full);
    await mailbox.deliver('a', 'message');
    expect(await parked).toBe('message');
    await mailbox.ready();
  });

  it('ends whatever waits when it is closed, unsubscribes once, and takes nothing more', async () => {
    const mailbox = make();
    const parked = mailbox.park('a', 1000, never);
    parked.catch(() => undefined);
    await turn();
    await mailbox.close();
    await mailbox.close();
    await expect(parked).rejects.toMatchObject({
      code: 'ERR_MRTR_MAILBOX',
      message: 'RedisMailbox was closed while a call waited for an answer.',
    });
    const closed = { code: 'ERR_MRTR_MAILBOX', message: expect.stringContaining('RedisMailbox is closed') };
    await expect(mailbox.park('b', 1000, never)).rejects.toMatchObject(closed);
    await expect(mailbox.deliver('b', 'message')).rejects.toMatchObject(closed);
    await expect(mailbox.ready()).rejects.toMatchObject(closed);
    expect(redis.log).toEqual(['subscribe', 'take', 'unsubscribe']);
    expect(clock.pending).toBe(0);
  });

  it.each<[string, unknown]>([
    ['null', null],
    ['object', Buffer.from('"secret"')],
    ['an array', ['"secret"']],
    ['number', 1],
    ['string', 'secret'],
    ['string', '{"secret":1}'],
  ])('rejects a reply that is none (%s), and does not tell it', async (type, reply) => {
    redis.reply = () => reply;
    const mailbox = make();
    const wrong = {
      code: 'ERR_MRTR_MAILBOX',
      message: expect.stringContaining(`"sendCommand" gave back the wrong reply (${type}).`),
    };
    await expect(mailbox.park('a', 1000, never)).rejects.toMatchObject(wrong);
    await expect(mailbox.deliver('a', 'message')).rejects.toMatchObject(wrong);
    await expect(mailbox.deliver('a', 'message')).rejects.not.toMatchObject({
      message: expect.stringContaining('secret'),
    });
  });

  it.each<[Record<string, unknown>, string]>([
    [{ sendCommand: undefined }, 'option "sendCommand" must be a function; the documentation'],
    [{ subscribe: {} }, 'option "subscribe" must be a function; the documentation'],
    [{ prefix: '' }, 'option "prefix" must be a text that is not empty, such as "shop:mailbox:"; got an empty text.'],
    [{ random: 7 }, 'option "random" must be a function; got 7.'],
    [{ clock: 7 }, 'option "clock" must have the methods now and after; got 7.'],
    [{ publish: () => undefined }, 'option "publish" is not known; it takes sendCommand, subscribe, prefix'],
  ])('refuses the options %j', (options, message) => {
    const refuse = (): unknown => make(options);
    expect(refuse).toThrow(MrtrTypeError);
    expect(refuse).toThrow(`RedisMailbox: ${message}`);
  });

  it.each(['maxParked', 'keepMs', 'timeoutMs'])('refuses a %s that is no whole number of 1 or more', (option) => {
    for (const value of [0, 1.5, NaN, Infinity, '10']) {
      expect(() => make({ [option]: value })).toThrow(MrtrRangeError);
      expect(() => make({ [option]: value })).toThrow(`option "${option}" must be a whole number of 1 or more`);
    }
  });
});
