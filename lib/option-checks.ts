import { MrtrRangeError, MrtrTypeError } from './errors.js';
import type { SingleUseOptions } from './option-types.js';
import { isHostEntry, isOriginEntry } from './protocol/guard.js';
import { isObject, type Implementation } from './protocol/wire.js';
import type { RequestStateCodec } from './seal/codec.js';
import type { KeyProvider } from './seal/key-provider.js';
import { Keyring, keyring, type KeySet } from './seal/keyring.js';
import { ProvidedKeys } from './seal/provided-keys.js';
import { isReplayStore } from './stores/store.js';

/** One check for each kind of option value: each returns the value in force, or throws what teaches the fix. */

export function optionError(option: string, problem: string): MrtrTypeError {
  return new MrtrTypeError('ERR_MRTR_OPTION', `mrtr: option "${option}" ${problem}.`);
}

function rangeError(option: string, problem: string): MrtrRangeError {
  return new MrtrRangeError('ERR_MRTR_OPTION', `mrtr: option "${option}" ${problem}.`);
}

export function flag(option: string, value: unknown, byDefault: boolean): boolean {
  if (value === undefined) return byDefault;
  if (typeof value === 'boolean') return value;
  throw optionError(option, `must be true or false; got ${show(value)}`);
}

/** Seconds, as milliseconds. Fractions are honoured. */
export function seconds(option: string, value: unknown, byDefault: number, least?: 0): number {
  if (value === undefined) return byDefault * 1000;
  if (typeof value !== 'number') throw optionError(option, `must be a number of seconds; got ${show(value)}`);
  const enough = least === 0 ? value >= 0 : value > 0;
  if (Number.isFinite(value) && enough) return value * 1000;
  throw rangeError(
    option,
    `must be a finite number of seconds ${least === 0 ? 'of 0 or more' : 'above 0'}; got ${show(value)}`,
  );
}

export function whole(option: string, value: unknown, byDefault: number, least: number): number {
  if (value === undefined) return byDefault;
  if (typeof value !== 'number') throw optionError(option, `must be a whole number; got ${show(value)}`);
  if (Number.isSafeInteger(value) && value >= least) return value;
  throw rangeError(option, `must be a whole number of ${least} or more; got ${show(value)}`);
}

/** One of a few texts; the first is the default. */
export function choice<const T extends string>(option: string, value: unknown, values: readonly [T, ...T[]]): T {
  if (value === undefined) return values[0];
  const found = values.find((candidate) => candidate === value);
  if (found !== undefined) return found;
  throw optionError(option, `must be ${values.map((text) => JSON.stringify(text)).join(' or ')}; got ${show(value)}`);
}

export function routine<F>(option: string, value: F | undefined): F | undefined {
  if (value === undefined || typeof value === 'function') return value;
  // An object in its place, such as a logger or a client, may hold secrets.
  throw optionError(option, `must be a function; got ${value === null ? 'null' : `a value of type ${typeof value}`}`);
}

const UNITS: ReadonlyMap<string, number> = new Map([
  ['b', 1],
  ['kb', 1024],
  ['mb', 1024 ** 2],
  ['gb', 1024 ** 3],
]);

/** Bytes. A limit that a state of the permitted length could not pass would make flows that nobody can finish. */
export function byteLimit(option: string, value: unknown, byDefault: string, maxStateBytes: number): number {
  const bytes = bytesOf(value ?? byDefault);
  if (bytes === undefined) {
    throw optionError(option, `must be a number of bytes or a text such as "1mb"; got ${show(value)}`);
  }
  if (bytes >= 2 * maxStateBytes) return bytes;
  throw rangeError(
    option,
    `is ${bytes} bytes, too little for a requestState of maxStateBytes (${maxStateBytes}) and the answers beside it: ` +
      'raise it to at least twice maxStateBytes, or lower maxStateBytes',
  );
}

function bytesOf(value: unknown): number | undefined {
  if (typeof value === 'number') return Number.isSafeInteger(value) && value > 0 ? value : undefined;
  const match = typeof value === 'string' ? /^(\d+(?:\.\d+)?) *(b|kb|mb|gb)$/i.exec(value) : null;
  const unit = UNITS.get(match?.[2]?.toLowerCase() ?? '');
  return unit === undefined ? undefined : Math.floor(Number(match?.[1]) * unit);
}

export function hostEntries(option: 'allowedHosts' | 'allowedOrigins', value: unknown): readonly string[] | undefined {
  if (value === undefined) return undefined;
  if (!Array.isArray(value) || value.length === 0) {
    throw optionError(option, `must be an array of at least one host name; got ${show(value)}`);
  }
  const fits = option === 'allowedHosts' ? isHostEntry : isOriginEntry;
  const wrong = (value as unknown[]).find((entry) => !fits(entry));
  if (wrong === undefined) return [...(value as string[])];
  const shape =
    option === 'allowedHosts'
      ? 'a host name without scheme and port, such as "mcp.example.com"'
      : 'a host name or an origin, such as "https://app.example.com"';
  throw optionError(option, `holds ${show(wrong)}; each entry is ${shape}`);
}

export function implementation(server: unknown): Implementation & { instructions?: string } {
  if (!isObject(server) || typeof server['name'] !== 'string' || typeof server['version'] !== 'string') {
    throw optionError(
      'server',
      `must be { name, version }, as in { name: "shop", version: "1.0.0" }; got ${show(server)}`,
    );
  }
  if (server['name'] === '' || server['version'] === '') throw optionError('server', 'has an empty name or version');
  if (server['instructions'] !== undefined && typeof server['instructions'] !== 'string') {
    throw optionError('server', 'has instructions that are no text');
  }
  return { ...(server as unknown as Implementation & { instructions?: string }) };
}

/** Keys from the option, else from `MRTR_KEYS`, else one that dies with the process. */
export function keysOf(given: boolean, keys: KeySet | KeyProvider | undefined): Keyring | ProvidedKeys {
  if (given) {
    if (isKeyProvider(keys)) return providedKeys(keys);
    if (keys !== undefined) return keyring(keys);
    throw optionError(
      'keys',
      'is undefined; set the value it was to come from, or leave the option out to use MRTR_KEYS',
    );
  }
  const fromEnvironment = process.env['MRTR_KEYS'];
  if (fromEnvironment !== undefined) return Keyring.from(fromEnvironment, 'MRTR_KEYS');
  if (process.env['NODE_ENV'] === 'production') {
    throw optionError(
      'keys',
      'is required in production: make a key with `npx express-mrtr keygen` and give it to every node as MRTR_KEYS',
    );
  }
  process.emitWarning(
    'No keys: requestState is sealed with a key that dies with this process, so flows do not survive a restart or reach another node. ' +
      'Make a key with `npx express-mrtr keygen` and set MRTR_KEYS.',
    { type: 'MrtrWarning', code: 'MRTR_EPHEMERAL_KEYS' },
  );
  return Keyring.ephemeral();
}

function isKeyProvider(keys: unknown): keys is KeyProvider {
  if (!isObject(keys) || !('current' in keys || 'resolve' in keys)) return false;
  if (hasMethods(keys, ['current', 'resolve'])) return true;
  throw optionError('keys', 'must have both methods current and resolve to be a key provider');
}

function providedKeys(provider: KeyProvider): ProvidedKeys {
  return new ProvidedKeys(provider, {
    cacheMs: seconds('keys.cacheSeconds', provider.cacheSeconds, 300),
    timeoutMs: seconds('keys.timeoutSeconds', provider.timeoutSeconds, 2),
  });
}

export function hasMethods(value: unknown, names: readonly string[]): boolean {
  return isObject(value) && names.every((name) => typeof value[name] === 'function');
}

export function singleUse(replay: unknown, codec: RequestStateCodec, handlerTimeoutMs: number): SingleUseOptions {
  if (!isObject(replay)) throw optionError('replay', `must be { store }; got a value of type ${typeof replay}`);
  const known = ['store', 'onStoreError', 'leaseSeconds', 'waitSeconds', 'timeoutSeconds'];
  const unknown = Object.keys(replay).find((name) => !known.includes(name));
  if (unknown !== undefined) throw optionError(`replay.${unknown}`, `is not known; replay takes ${known.join(', ')}`);
  const { store, onStoreError, leaseSeconds, waitSeconds, timeoutSeconds } = replay;
  if (!isReplayStore(store)) {
    throw optionError(
      'replay.store',
      'must have the methods claim, settle and release, as MemoryReplayStore and RedisReplayStore do',
    );
  }
  choice('replay.onStoreError', onStoreError, ['reject']);
  const leaseMs = seconds('replay.leaseSeconds', leaseSeconds, 60);
  if (handlerTimeoutMs >= leaseMs) {
    throw rangeError(
      'replay.leaseSeconds',
      `is ${leaseMs / 1000}, no more than handlerTimeoutSeconds (${handlerTimeoutMs / 1000}): a handler could still run when its state is free again. Raise it`,
    );
  }
  return {
    store,
    codec,
    leaseMs,
    waitMs: seconds('replay.waitSeconds', waitSeconds, 10, 0),
    timeoutMs: seconds('replay.timeoutSeconds', timeoutSeconds, 2),
  };
}

export function show(value: unknown): string {
  if (typeof value === 'function') return 'a function';
  if (typeof value === 'number' || typeof value === 'bigint') return String(value);
  const text: unknown = JSON.stringify(value);
  return typeof text === 'string' ? text : String(value);
}
