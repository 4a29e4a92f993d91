import { MrtrRangeError } from '../errors.js';
import { systemClock, type Clock } from '../seal/deadline.js';
import { optionError, show } from '../stores/checks.js';

/** A whole number of 1 or more. */
export function positive(mailbox: string, option: string, value: unknown, byDefault: number): number {
  if (value === undefined) return byDefault;
  if (typeof value === 'number' && Number.isSafeInteger(value) && value >= 1) return value;
  throw new MrtrRangeError(
    'ERR_MRTR_OPTION',
    `${mailbox}: option "${option}" must be a whole number of 1 or more; got ${show(value)}.`,
  );
}

export function clockOf(mailbox: string, value: unknown): Clock {
  if (value === undefined) return systemClock;
  const { now, after } = (typeof value === 'object' && value !== null ? value : {}) as Partial<Clock>;
  if (typeof now === 'function' && typeof after === 'function') return value as Clock;
  throw optionError(mailbox, 'clock', `must have the methods now and after; got ${show(value)}`);
}
