import { MrtrRangeError, MrtrTypeError } from '../errors.js';

/** The options of a store as a plain table, once it is certain that each of them is known. */
export function knownOptions(store: string, options: unknown, known: readonly string[]): Record<string, unknown> {
  if (typeof options !== 'object' || options === null || Array.isArray(options)) {
    throw new MrtrTypeError(
      'ERR_MRTR_OPTION',
      `${store} takes an object of options (${known.join(', ')}); got ${show(options)}.`,
    );
  }
  const unknown = Object.keys(options).find((name) => !known.includes(name));
  if (unknown !== undefined) throw optionError(store, unknown, `is not known; it takes ${known.join(', ')}`);
  return options as Record<string, unknown>;
}

export function optionError(store: string, option: string, problem: string): MrtrTypeError {
  return new MrtrTypeError('ERR_MRTR_OPTION', `${store}: option "${option}" ${problem}.`);
}

/** Refuses whatever is neither absent nor a function. */
export function checkFunction(store: string, option: string, value: unknown): void {
  if (value === undefined || typeof value === 'function') return;
  throw optionError(store, option, `must be a function; got ${show(value)}`);
}

/**
 * When a record of a claim made now may be forgotten: once neither the lease nor the state runs any more.
 *
 * @throws MrtrRangeError `ERR_MRTR_STORE` for times that are none, since a claim that ends at `NaN` would hold nothing.
 */
export function keptUntil(now: number, leaseMs: number, expiresAt: number): number {
  const until = Math.ceil(Math.max(now + leaseMs, expiresAt));
  if (leaseMs >= 0 && Number.isSafeInteger(until)) return until;
  throw new MrtrRangeError(
    'ERR_MRTR_STORE',
    `claim() takes leaseMs of 0 or more and expiresAt in milliseconds of the epoch; got ${leaseMs} and ${expiresAt}.`,
  );
}

/** A value as a message shows it. A text or an object may hold the password of a connection: of those only the kind. */
export function show(value: unknown): string {
  if (typeof value === 'string') return value === '' ? 'an empty text' : 'a text';
  if (Array.isArray(value)) return 'an array';
  if (typeof value === 'function') return 'a function';
  if (typeof value === 'object' && value !== null) return 'an object';
  return String(value);
}
