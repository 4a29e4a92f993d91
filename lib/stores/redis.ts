import { MrtrError } from '../errors.js';
import { checkFunction, keptUntil, knownOptions, optionError, show } from './checks.js';
import { ExpiringMap } from './expiring-map.js';
import { CLAIM, RELEASE, SETTLE } from './redis-scripts.js';
import type { Claim, ReplayStore } from './store.js';

/** Options of {@link RedisReplayStore}. */
export interface RedisReplayStoreOptions {
  /**
   * Sends one command, its name first, and gives back the reply with texts as strings. The key is `args[3]`, for clients of a
   * cluster that want to know.
   */
  readonly sendCommand: (args: readonly [command: string, ...args: string[]]) => Promise<unknown>;
  /** Stands before each id; give every service its own. @default 'mrtr:replay:' */
  readonly prefix?: string;
  /** Milliseconds of the epoch. @default Date.now */
  readonly now?: () => number;
  /** Names one claim; must not repeat. @default crypto.randomUUID */
  readonly random?: () => string;
}

const NAME = 'RedisReplayStore';

/**
 * A {@link ReplayStore} in Redis (5 or later, Cluster included), shared by all nodes of a service. It needs no certain client:
 * any that can send a command will do. Leases run by the clock of Redis, so clocks of nodes that disagree do not matter to them.
 *
 * Durability is that of the Redis: with `maxmemory-policy` other than `noeviction`, without persistence, or after a failover
 * that loses writes, a state can be taken a second time. A call to a Redis that hangs stays pending as long as the client
 * waits; `mrtr()` has a time-out of its own.
 *
 * Every method rejects with MrtrError `ERR_MRTR_STORE` when Redis fails or answers what it should not; `cause` is the error
 * of the client.
 *
 * @example
 * ```ts
 * new RedisReplayStore({ sendCommand: (args) => client.sendCommand([...args]) }); // redis
 * new RedisReplayStore({ sendCommand: ([command, ...rest]) => client.call(command, ...rest) }); // ioredis
 * ```
 */
export class RedisReplayStore implements ReplayStore {
  readonly #sendCommand: RedisReplayStoreOptions['sendCommand'];
  readonly #prefix: string;
  readonly #now: () => number;
  readonly #random: () => string;
  /** The token of each claim that this instance holds, by key. */
  readonly #held = new ExpiringMap<string>();

  /** @throws MrtrTypeError `ERR_MRTR_OPTION` for an option that is missing, unknown or of another type. */
  constructor(options: RedisReplayStoreOptions) {
    const { sendCommand, prefix } = knownOptions(NAME, options, ['sendCommand', 'prefix', 'now', 'random']);
    if (typeof sendCommand !== 'function') {
      throw optionError(
        NAME,
        'sendCommand',
        'must be a function: (args) => client.sendCommand([...args]) for "redis", ' +
          `([command, ...rest]) => client.call(command, ...rest) for "ioredis"; got ${show(sendCommand)}`,
      );
    }
    if (prefix !== undefined && (typeof prefix !== 'string' || prefix === '')) {
      throw optionError(
        NAME,
        'prefix',
        `must be a text that is not empty, such as "shop:replay:"; got ${show(prefix)}`,
      );
    }
    checkFunction(NAME, 'now', options.now);
    checkFunction(NAME, 'random', options.random);
    this.#sendCommand = options.sendCommand;
    this.#prefix = options.prefix ?? 'mrtr:replay:';
    this.#now = options.now ?? Date.now;
    this.#random = options.random ?? (() => crypto.randomUUID());
  }

  async claim(id: string, digest: string, leaseMs: number, expiresAt: number): Promise<Claim> {
    const key = this.#key(id);
    const token = this.#random();
    const now = this.#now();
    const until = keptUntil(now, leaseMs, expiresAt);
    // Redis drops a key at the millisecond its time is over, and the last millisecond still counts.
    const lifetime = Math.ceil(until - now) + 1;
    const reply = await this.#run(CLAIM, key, [escaped(digest), token, String(Math.ceil(leaseMs)), String(lifetime)]);
    const claim = claimOf(reply);
    if (claim === undefined) throw unexpected('claim', reply);
    if (claim.kind === 'claimed') this.#held.set(key, token, until, now);
    return claim;
  }

  settle(id: string, reply: string): Promise<void> {
    return this.#finish('settle', SETTLE, id, [escaped(reply)]);
  }

  release(id: string): Promise<void> {
    return this.#finish('release', RELEASE, id, []);
  }

  async #finish(name: string, script: string, id: string, args: readonly string[]): Promise<void> {
    const key = this.#key(id);
    const token = this.#held.get(key, this.#now());
    if (token === undefined) return;
    const reply = await this.#run(script, key, [token, ...args]);
    if (reply !== 'finished' && reply !== 'lost') throw unexpected(name, reply);
    if (this.#held.get(key, this.#now()) === token) this.#held.delete(key);
  }

  async #run(script: string, key: string, args: readonly string[]): Promise<unknown> {
    try {
      return await this.#sendCommand(['EVAL', script, '1', key, ...args]);
    } catch (cause) {
      throw new MrtrError('ERR_MRTR_STORE', `${NAME}: the command EVAL failed; see the cause.`, { cause });
    }
  }

  #key(id: string): string {
    return this.#prefix + escaped(id);
  }
}

/** Well-formed text for any text, since UTF-8 makes every lone surrogate the same character. No two texts become one. */
function escaped(text: string): string {
  return JSON.stringify(text).slice(1, -1);
}

function unescaped(text: string): string | undefined {
  try {
    return JSON.parse(`"${text}"`) as string;
  } catch {
    return undefined;
  }
}

function claimOf(answer: unknown): Claim | undefined {
  const [kind, reply, ...rest] = Array.isArray(answer) ? (answer as unknown[]) : [];
  if (rest.length > 0) return undefined;
  if (kind === 'done') {
    const text = typeof reply === 'string' ? unescaped(reply) : undefined;
    return text === undefined ? undefined : { kind, reply: text };
  }
  const known = kind === 'claimed' || kind === 'in_flight' || kind === 'conflict';
  return known && reply === undefined ? { kind } : undefined;
}

/** Names the type only: the reply may hold what was recorded for a client. */
function unexpected(method: string, reply: unknown): MrtrError {
  const type = Array.isArray(reply) ? 'an array of other content' : reply === null ? 'null' : typeof reply;
  return new MrtrError(
    'ERR_MRTR_STORE',
    `${NAME}: ${method}() got the wrong reply (${type}). "sendCommand" must send its arguments to Redis unchanged and give back ` +
      'the reply with texts as strings, not as Buffers.',
  );
}
