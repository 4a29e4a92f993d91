import { MrtrError, MrtrRangeError } from '../errors.js';
import { checkFunction, keptUntil, knownOptions, show } from './checks.js';
import { ExpiringMap } from './expiring-map.js';
import type { Claim, ReplayStore } from './store.js';

/** Options of {@link MemoryReplayStore}. */
export interface MemoryReplayStoreOptions {
  /** How many states are remembered at once. @default 10000 */
  readonly maxEntries?: number;
  /** Milliseconds of the epoch. @default Date.now */
  readonly now?: () => number;
}

interface Entry {
  readonly digest: string;
  readonly until: number;
  readonly leasedUntil: number;
  readonly reply?: string;
}

const NAME = 'MemoryReplayStore';

/**
 * A {@link ReplayStore} in the memory of one process. Two processes, workers of a cluster included, do not see each other's
 * claims, and a restart forgets them all: a service of several nodes needs a shared store such as `RedisReplayStore`.
 *
 * Each state that was answered takes one entry, with its recorded reply, until it expires. When `maxEntries` live ones are
 * held, `claim` throws: the request is refused rather than an older state forgotten and taken twice.
 *
 * @example
 * ```ts
 * mrtr({ server, tools, replay: { store: new MemoryReplayStore({ maxEntries: 50_000 }) } });
 * ```
 */
export class MemoryReplayStore implements ReplayStore {
  readonly #entries = new ExpiringMap<Entry>();
  readonly #maxEntries: number;
  readonly #now: () => number;

  /**
   * @throws MrtrTypeError `ERR_MRTR_OPTION` for an option that is unknown or of another type.
   * @throws MrtrRangeError `ERR_MRTR_OPTION` for a `maxEntries` that is no whole number of 1 or more.
   */
  constructor(options: MemoryReplayStoreOptions = {}) {
    knownOptions(NAME, options, ['maxEntries', 'now']);
    checkFunction(NAME, 'now', options.now);
    this.#maxEntries = options.maxEntries ?? 10_000;
    this.#now = options.now ?? Date.now;
    if (!Number.isSafeInteger(this.#maxEntries) || this.#maxEntries < 1) {
      throw new MrtrRangeError(
        'ERR_MRTR_OPTION',
        `${NAME}: option "maxEntries" must be a whole number of 1 or more; got ${show(options.maxEntries)}.`,
      );
    }
  }

  /** How many states are remembered now. */
  get size(): number {
    this.#entries.sweep(this.#now());
    return this.#entries.size;
  }

  /** @throws MrtrError `ERR_MRTR_STORE` when the store is full of live entries. */
  claim(id: string, digest: string, leaseMs: number, expiresAt: number): Claim {
    const now = this.#now();
    const until = keptUntil(now, leaseMs, expiresAt);
    const entry = this.#entries.get(id, now);
    if (entry !== undefined && (entry.reply !== undefined || entry.leasedUntil > now)) {
      if (entry.digest !== digest) return { kind: 'conflict' };
      return entry.reply === undefined ? { kind: 'in_flight' } : { kind: 'done', reply: entry.reply };
    }
    if (entry === undefined) this.#makeRoom(now);
    this.#entries.set(id, { digest, until, leasedUntil: now + leaseMs }, until, now);
    return { kind: 'claimed' };
  }

  settle(id: string, reply: string): void {
    const now = this.#now();
    const entry = this.#entries.get(id, now);
    if (entry === undefined || entry.reply !== undefined) return;
    this.#entries.set(id, { ...entry, reply }, entry.until, now);
  }

  release(id: string): void {
    if (this.#entries.get(id, this.#now())?.reply === undefined) this.#entries.delete(id);
  }

  #makeRoom(now: number): void {
    if (this.#entries.size >= this.#maxEntries) this.#entries.sweep(now);
    if (this.#entries.size < this.#maxEntries) return;
    throw new MrtrError(
      'ERR_MRTR_STORE',
      `${NAME} is full: it remembers ${this.#maxEntries} states that have not expired. ` +
        'Raise its option "maxEntries", lower "ttlSeconds" of mrtr(), or use a shared store such as RedisReplayStore.',
    );
  }
}
