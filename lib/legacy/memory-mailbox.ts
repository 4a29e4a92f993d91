import type { Clock } from '../seal/deadline.js';
import { ExpiringCache } from '../seal/expiring-cache.js';
import { knownOptions } from '../stores/checks.js';
import type { Mailbox } from './mailbox.js';
import { clockOf, positive } from './mailbox-options.js';
import { mailboxError, Parking } from './parking.js';

/** Options of {@link MemoryMailbox}. */
export interface MemoryMailboxOptions {
  /** How many questions may wait for their answers at once. @default 1000 */
  readonly maxParked?: number;
  /** How many messages are kept at once for calls that have yet to park. @default 100 */
  readonly maxWaiting?: number;
  /** Milliseconds for which such a message is kept. @default 10000 */
  readonly keepMs?: number;
  /** The clock and its timers; replaced in tests. @default those of the process */
  readonly clock?: Clock;
}

interface Letter {
  readonly message: string;
  readonly cancel: () => void;
}

const NAME = 'MemoryMailbox';

/** Clients choose how long messages are: this many characters of them are kept, however many they are. */
const MAX_WAITING_LENGTH = 16 * 1024 * 1024;

/**
 * A {@link Mailbox} in the memory of one process. An answer that reaches another process, workers of a cluster included, finds
 * nobody there and is lost: a service of several nodes needs a shared mailbox such as `RedisMailbox`.
 *
 * Beyond `maxParked` questions `ready` and `park` fail, beyond `maxWaiting` messages `deliver` does, each with MrtrError
 * `ERR_MRTR_MAILBOX`.
 *
 * @example
 * ```ts
 * const mailbox = new MemoryMailbox({ maxParked: 5000 });
 * ```
 */
export class MemoryMailbox implements Mailbox {
  readonly #parking: Parking;
  readonly #waiting = new Map<string, Letter>();
  /** Ids whose message was taken, so that a repeat is not kept for anybody. */
  readonly #spent: ExpiringCache<true>;
  readonly #maxWaiting: number;
  readonly #keepMs: number;
  readonly #clock: Clock;
  #waitingLength = 0;

  /**
   * @throws MrtrTypeError `ERR_MRTR_OPTION` for an option that is unknown or of another type.
   * @throws MrtrRangeError `ERR_MRTR_OPTION` for a number that is no whole one of 1 or more.
   */
  constructor(options: MemoryMailboxOptions = {}) {
    const known = knownOptions(NAME, options, ['maxParked', 'maxWaiting', 'keepMs', 'clock']);
    this.#clock = clockOf(NAME, known['clock']);
    this.#maxWaiting = positive(NAME, 'maxWaiting', known['maxWaiting'], 100);
    this.#keepMs = positive(NAME, 'keepMs', known['keepMs'], 10_000);
    const maxParked = positive(NAME, 'maxParked', known['maxParked'], 1000);
    this.#parking = new Parking(NAME, maxParked, this.#clock);
    this.#spent = new ExpiringCache(maxParked, this.#keepMs, () => this.#clock.now());
  }

  /** How many questions wait for their answers now. */
  get parked(): number {
    return this.#parking.size;
  }

  /** How many messages are kept now. */
  get waiting(): number {
    return this.#waiting.size;
  }

  /** @throws MrtrError `ERR_MRTR_MAILBOX` when `maxParked` questions wait, or after `close`. */
  ready(): void {
    this.#parking.checkRoom();
  }

  async park(id: string, timeoutMs: number, signal: AbortSignal): Promise<string | undefined> {
    if (signal.aborted) return undefined;
    this.#parking.checkOpen();
    const letter = this.#waiting.get(id);
    if (letter === undefined) return this.#parking.park(id, timeoutMs, signal);
    this.#drop(id, letter);
    this.#spent.set(id, true);
    return letter.message;
  }

  /** @throws MrtrError `ERR_MRTR_MAILBOX` when nobody waits and `maxWaiting` messages are kept, or after `close`. */
  deliver(id: string, message: string): void {
    this.#parking.checkOpen();
    if (this.#parking.settle(id, message)) this.#spent.set(id, true);
    else if (!this.#waiting.has(id) && this.#spent.get(id) === undefined) this.#keep(id, message);
  }

  close(): void {
    this.#parking.close();
    for (const [id, letter] of this.#waiting) this.#drop(id, letter);
  }

  #keep(id: string, message: string): void {
    const length = this.#waitingLength + message.length;
    if (this.#waiting.size >= this.#maxWaiting || length > MAX_WAITING_LENGTH) {
      throw mailboxError(
        `${NAME} is full: it keeps ${this.#waiting.size} messages at which no call waits yet, and at most ` +
          `${this.#maxWaiting} ("maxWaiting") or ${MAX_WAITING_LENGTH} characters. Raise its option "maxWaiting" or lower "keepMs".`,
      );
    }
    const letter: Letter = { message, cancel: this.#clock.after(this.#keepMs, () => this.#drop(id, letter)) };
    this.#waiting.set(id, letter);
    this.#waitingLength = length;
  }

  #drop(id: string, { message, cancel }: Letter): void {
    cancel();
    this.#waiting.delete(id);
    this.#waitingLength -= message.length;
  }
}
