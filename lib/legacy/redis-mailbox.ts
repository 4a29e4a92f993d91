import type { Clock } from '../seal/deadline.js';
import { checkFunction, knownOptions, optionError, show } from '../stores/checks.js';
import type { Mailbox } from './mailbox.js';
import { clockOf, positive } from './mailbox-options.js';
import { mailboxError, Parking } from './parking.js';
import { RedisLetters, wordOf } from './redis-letters.js';

/** Options of {@link RedisMailbox}. */
export interface RedisMailboxOptions {
  /**
   * Sends one command, its name first, and gives back the reply with texts as strings. The key is `args[3]`, for clients of a
   * cluster that want to know. May be the function that `RedisReplayStore` takes.
   */
  readonly sendCommand: (args: readonly [command: string, ...args: string[]]) => Promise<unknown>;
  /**
   * Subscribes to a channel, on a connection of its own that subscribes anew by itself when it was lost. Resolves, once
   * subscribed, to the function that ends the subscription. Called once for all questions of the process.
   */
  readonly subscribe: (
    channel: string,
    listener: (message: string) => void,
  ) => Promise<() => Promise<unknown> | undefined>;
  /** Stands before each id and the name of the channel; give every service its own. @default 'mrtr:mailbox:' */
  readonly prefix?: string;
  /** How many questions of this process may wait for their answers at once. @default 1000 */
  readonly maxParked?: number;
  /**
   * Milliseconds for which Redis keeps a message. A waiting call looks for its message every third of that, in case the word
   * that it has come was lost. @default 15000
   */
  readonly keepMs?: number;
  /** Milliseconds after which a command counts as failed. @default 2000 */
  readonly timeoutMs?: number;
  /** The clock and its timers; replaced in tests. @default those of the process */
  readonly clock?: Clock;
  /** Names one waiting call; must not repeat. @default crypto.randomUUID */
  readonly random?: () => string;
}

/** One call that waits. */
interface Watch {
  readonly id: string;
  readonly taker: string;
  /** Why the last look failed, or that there was none yet: the next failure ends the call. */
  trouble: Error | undefined;
  looking: boolean;
  /** Word of the message came during a look, which may have been too early to see it. */
  again: boolean;
  cancel: () => void;
}

const NAME = 'RedisMailbox';
const OPTIONS = ['sendCommand', 'subscribe', 'prefix', 'maxParked', 'keepMs', 'timeoutMs', 'clock', 'random'];

/**
 * A {@link Mailbox} in Redis (5 or later, Cluster included), shared by all nodes of a service. It needs no certain client.
 *
 * A message is kept under a key for `keepMs` and called out on one channel that every node hears. A call first subscribes,
 * then looks under its key: whichever of delivery and look comes first, the message is found. It is found as well when the
 * connection that listens was away for a moment, only later.
 *
 * Every method rejects with MrtrError `ERR_MRTR_MAILBOX` when Redis fails, is silent for `timeoutMs` or answers what it should
 * not; `cause` is the error of the client. A call that waits outlives one failed look and ends with the second in a row.
 *
 * @example
 * ```ts
 * // redis; disableOfflineQueue lets commands fail at once while Redis is away
 * const client = await createClient({ url, disableOfflineQueue: true }).on('error', log).connect();
 * const subscriber = await client.duplicate().on('error', log).connect();
 * new RedisMailbox({
 *   sendCommand: (args) => client.sendCommand([...args]),
 *   subscribe: async (channel, listener) => {
 *     await subscriber.subscribe(channel, listener);
 *     return () => subscriber.unsubscribe(channel, listener);
 *   },
 * });
 *
 * // ioredis
 * const client = new Redis(url, { enableOfflineQueue: false });
 * const subscriber = new Redis(url);
 * new RedisMailbox({
 *   sendCommand: ([command, ...rest]) => client.call(command, ...rest),
 *   subscribe: async (channel, listener) => {
 *     const hear = (at: string, message: string): void => {
 *       if (at === channel) listener(message);
 *     };
 *     subscriber.on('message', hear);
 *     await subscriber.subscribe(channel);
 *     return () => subscriber.off('message', hear).unsubscribe(channel);
 *   },
 * });
 * ```
 */
export class RedisMailbox implements Mailbox {
  readonly #subscribe: RedisMailboxOptions['subscribe'];
  readonly #channel: string;
  readonly #letters: RedisLetters;
  readonly #keepMs: number;
  readonly #clock: Clock;
  readonly #random: () => string;
  readonly #parking: Parking;
  readonly #watches = new Map<string, Watch>();
  /** Begun once; a late one is waited for again, since a second subscription could not be told from the first. */
  #subscribing: ReturnType<RedisMailboxOptions['subscribe']> | undefined;

  /**
   * @throws MrtrTypeError `ERR_MRTR_OPTION` for an option that is missing, unknown or of another type.
   * @throws MrtrRangeError `ERR_MRTR_OPTION` for a number that is no whole one of 1 or more.
   */
  constructor(options: RedisMailboxOptions) {
    const known = knownOptions(NAME, options, OPTIONS);
    const { sendCommand, subscribe, prefix = 'mrtr:mailbox:' } = known;
    const fix = 'must be a function; the documentation of RedisMailbox shows it for "redis" and for "ioredis"';
    if (typeof sendCommand !== 'function') throw optionError(NAME, 'sendCommand', `${fix}; got ${show(sendCommand)}`);
    if (typeof subscribe !== 'function') throw optionError(NAME, 'subscribe', `${fix}; got ${show(subscribe)}`);
    if (typeof prefix !== 'string' || prefix === '') {
      const problem = `must be a text that is not empty, such as "shop:mailbox:"; got ${show(prefix)}`;
      throw optionError(NAME, 'prefix', problem);
    }
    checkFunction(NAME, 'random', known['random']);
    this.#subscribe = options.subscribe;
    this.#channel = `${prefix}wake`;
    this.#keepMs = positive(NAME, 'keepMs', known['keepMs'], 15_000);
    const timeoutMs = positive(NAME, 'timeoutMs', known['timeoutMs'], 2000);
    this.#clock = clockOf(NAME, known['clock']);
    this.#letters = new RedisLetters(NAME, options.sendCommand, prefix, this.#keepMs, timeoutMs, this.#clock);
    this.#random = options.random ?? (() => crypto.randomUUID());
    this.#parking = new Parking(NAME, positive(NAME, 'maxParked', known['maxParked'], 1000), this.#clock);
  }

  /** How many questions of this process wait for their answers now. */
  get parked(): number {
    return this.#parking.size;
  }

  /** Subscribes, and asks Redis for a message once. Rejects, too, when `maxParked` questions wait, or after `close`. */
  async ready(): Promise<void> {
    this.#parking.checkRoom();
    await this.#subscribed();
    await this.#letters.take('', this.#random());
  }

  async park(id: string, timeoutMs: number, signal: AbortSignal): Promise<string | undefined> {
    if (signal.aborted) return undefined;
    const trouble = mailboxError(`${NAME}: Redis has not answered before the time of a call was over.`);
    const watch: Watch = { id, taker: this.#random(), trouble, looking: false, again: false, cancel: () => undefined };
    const parked = this.#parking.park(id, timeoutMs, signal, () => watch.trouble);
    const word = wordOf(id);
    this.#watches.set(word, watch);
    void this.#look(watch).then(() => this.#lookAgainLater(watch));
    try {
      return await parked;
    } finally {
      watch.cancel();
      if (this.#watches.get(word) === watch) this.#watches.delete(word);
    }
  }

  async deliver(id: string, message: string): Promise<void> {
    this.#parking.checkOpen();
    await this.#letters.put(id, message, this.#channel);
  }

  /** Ends what is parked with `ERR_MRTR_MAILBOX`, then the subscription; the connections stay the caller's. */
  async close(): Promise<void> {
    this.#parking.close();
    const subscribing = this.#subscribing;
    this.#subscribing = undefined;
    if (subscribing === undefined) return;
    await this.#letters.inTime('unsubscribe', async () => (await subscribing)());
  }

  async #look(watch: Watch): Promise<void> {
    if (watch.looking) {
      watch.again = true;
      return;
    }
    watch.looking = true;
    try {
      do await this.#lookOnce(watch);
      while (watch.again && this.#isParked(watch));
    } catch (error) {
      if (this.#isParked(watch) && watch.trouble !== undefined) this.#parking.fail(watch.id, error as Error);
      watch.trouble = error as Error;
    } finally {
      watch.looking = false;
    }
  }

  async #lookOnce(watch: Watch): Promise<void> {
    watch.again = false;
    await this.#subscribed();
    const message = await this.#letters.take(watch.id, watch.taker);
    watch.trouble = undefined;
    if (message !== undefined && this.#isParked(watch)) this.#parking.settle(watch.id, message);
  }

  #lookAgainLater(watch: Watch): void {
    if (!this.#isParked(watch)) return;
    watch.cancel = this.#clock.after(this.#keepMs / 3, () => {
      void this.#look(watch).then(() => this.#lookAgainLater(watch));
    });
  }

  /** Not so for the watch of an earlier call at the same id. */
  #isParked(watch: Watch): boolean {
    return this.#parking.has(watch.id) && this.#watches.get(wordOf(watch.id)) === watch;
  }

  async #subscribed(): Promise<void> {
    this.#parking.checkOpen();
    this.#subscribing ??= this.#begin();
    const subscribing = this.#subscribing;
    await this.#letters.inTime('subscribe', () => subscribing);
  }

  async #begin(): ReturnType<RedisMailboxOptions['subscribe']> {
    try {
      return await this.#subscribe(this.#channel, (word) => {
        const watch = this.#watches.get(word);
        if (watch !== undefined) void this.#look(watch);
      });
    } catch (error) {
      this.#subscribing = undefined;
      throw error;
    }
  }
}
