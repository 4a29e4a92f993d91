import { MrtrError } from '../errors.js';
import { systemClock, within, type Clock } from './deadline.js';
import { ExpiringCache } from './expiring-cache.js';
import type { KeyProvider } from './key-provider.js';
import { keyring, type Keyring, type Purpose } from './keyring.js';

export interface ProvidedKeysOptions {
  readonly cacheMs: number;
  readonly timeoutMs: number;
  readonly clock?: Clock;
}

const MAX_RESOLVED = 64;
const MAX_UNKNOWN = 256;
const MAX_UNKNOWN_MS = 30_000;
/** A client chooses the ids that are looked up, so it must not choose how many at once. */
const MAX_LOOKUPS = 32;

const CURRENT = 'current';

/**
 * The keys of a {@link KeyProvider}, cached. Failures are not: the next call asks again.
 *
 * All methods throw or reject with `ERR_MRTR_KEYS` when the provider fails, is late, or returns what is no key.
 */
export class ProvidedKeys {
  readonly #provider: KeyProvider;
  readonly #timeoutMs: number;
  readonly #clock: Clock;
  readonly #current: ExpiringCache<Keyring>;
  readonly #resolved: ExpiringCache<Keyring>;
  readonly #unknown: ExpiringCache<true>;
  readonly #lookups = new Map<string, Promise<Keyring | undefined>>();
  #asking: Promise<Keyring> | undefined;
  #last: Keyring | undefined;

  constructor(provider: KeyProvider, { cacheMs, timeoutMs, clock = systemClock }: ProvidedKeysOptions) {
    const now = (): number => clock.now();
    this.#provider = provider;
    this.#timeoutMs = timeoutMs;
    this.#clock = clock;
    this.#current = new ExpiringCache(1, cacheMs, now);
    this.#resolved = new ExpiringCache(MAX_RESOLVED, cacheMs, now);
    this.#unknown = new ExpiringCache(MAX_UNKNOWN, Math.min(cacheMs, MAX_UNKNOWN_MS), now);
  }

  /** The ring whose first key seals. */
  current(): Keyring | Promise<Keyring> {
    return (
      this.#current.get(CURRENT) ??
      (this.#asking ??= this.#askForCurrent().finally(() => {
        this.#asking = undefined;
      }))
    );
  }

  /** The same; if the provider fails just then, the last known one, since the handler whose state it seals has run. */
  async sealing(): Promise<Keyring> {
    try {
      return await this.current();
    } catch (error) {
      if (this.#last === undefined) throw error;
      return this.#last;
    }
  }

  /** A ring that holds the key of an id, or `undefined` when the provider knows of none. */
  find(purpose: Purpose, keyId: string): Keyring | undefined | Promise<Keyring | undefined> {
    const current = this.#current.get(CURRENT);
    if (current?.for(purpose).find(keyId) !== undefined) return current;
    const name = `${purpose} ${keyId}`;
    const ring = this.#resolved.get(name);
    if (ring !== undefined || this.#unknown.get(name) !== undefined) return ring;
    return this.#lookups.get(name) ?? this.#lookUp(name, purpose, keyId);
  }

  async #askForCurrent(): Promise<Keyring> {
    const ring = ringOf('current()', await this.#ask('current()', (signal) => this.#provider.current(signal)));
    this.#current.set(CURRENT, ring);
    this.#last = ring;
    return ring;
  }

  #lookUp(name: string, purpose: Purpose, keyId: string): Promise<Keyring | undefined> {
    if (this.#lookups.size >= MAX_LOOKUPS) {
      return Promise.reject(keysError(`The key provider has ${MAX_LOOKUPS} lookups of keys to answer already.`));
    }
    const lookup = this.#resolve(name, purpose, keyId).finally(() => this.#lookups.delete(name));
    this.#lookups.set(name, lookup);
    return lookup;
  }

  async #resolve(name: string, purpose: Purpose, keyId: string): Promise<Keyring | undefined> {
    const keys: unknown = await this.#ask('resolve()', (signal) => this.#provider.resolve(keyId, signal));
    const ring = keys === undefined || keys === null ? undefined : ringOf('resolve()', keys);
    if (ring?.for(purpose).find(keyId) === undefined) {
      this.#unknown.set(name, true);
      return undefined;
    }
    this.#resolved.set(name, ring);
    return ring;
  }

  async #ask<T>(method: string, call: (signal: AbortSignal) => T | Promise<T>): Promise<T> {
    const seconds = this.#timeoutMs / 1000;
    const late = keysError(`The key provider has not answered ${method} within ${seconds} s (keys.timeoutSeconds).`);
    try {
      return await within(this.#timeoutMs, this.#clock, call, () => late);
    } catch (error) {
      throw error === late ? late : keysError(`The key provider failed in ${method}.`, error);
    }
  }
}

function ringOf(method: string, keys: unknown): Keyring {
  try {
    return keyring(keys as Parameters<typeof keyring>[0], `keys.${method}`);
  } catch (error) {
    throw keysError(`The key provider answered ${method} with what is no key.`, error);
  }
}

function keysError(message: string, cause?: unknown): MrtrError {
  return new MrtrError('ERR_MRTR_KEYS', message, cause === undefined ? undefined : { cause });
}
