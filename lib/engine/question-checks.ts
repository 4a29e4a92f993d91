import { kindOf, show } from '../elicitation/property.js';
import { MrtrTypeError } from '../errors.js';
import { isObject, urlOf } from '../protocol/wire.js';
import type { ElicitUrlOptions, QuestionOptions } from './ask.js';
import { UNKEYED } from './question.js';

export function identity(
  call: string,
  { key, upFront }: QuestionOptions,
): { key: string | undefined; upFront: boolean } {
  if (key !== undefined && (typeof key !== 'string' || key === '' || key.length > 128 || UNKEYED.test(key))) {
    throw questionError(
      call,
      `key must be a text of 1 to 128 characters that does not look like "elicit-1"; got ${show(key)}`,
    );
  }
  if (upFront === true && key === undefined) {
    throw questionError(call, 'upFront needs an explicit key, by which the client sends the answer');
  }
  return { key, upFront: upFront === true };
}

export function checkOptions(call: string, options: unknown, names: readonly string[]): void {
  if (!isObject(options)) {
    throw questionError(call, `takes one object, as in ${call}({ ${names.join(', ')} }); got ${kindOf(options)}`);
  }
  for (const name of Object.keys(options)) {
    if (names.includes(name) || name === 'key' || name === 'upFront') continue;
    const known = [...names, 'key', 'upFront'].join(', ');
    throw questionError(call, `knows no option ${JSON.stringify(name)}; it takes ${known}`);
  }
}

export function checkMessage(call: string, message: unknown): string {
  if (typeof message === 'string' && message !== '') return message;
  throw questionError(call, `needs a message that tells the person why; got ${kindOf(message)}`);
}

export function checkUrl(url: unknown): string {
  const parsed = url instanceof URL ? url : typeof url === 'string' ? urlOf(url) : undefined;
  if (parsed === undefined) {
    throw questionError(
      'ctx.elicitUrl',
      `needs an absolute url, such as "https://example.com/pay"; got ${kindOf(url)}`,
    );
  }
  // A person is going to open it: what runs script, reads files or shows another host than it goes to has no place here.
  if (!/^https?:$/.test(parsed.protocol) || parsed.username !== '' || parsed.password !== '') {
    throw questionError(
      'ctx.elicitUrl',
      `needs an https (or http) url without user and password; got ${parsed.protocol}`,
    );
  }
  return parsed.href;
}

export function checkUntil(until: unknown): ElicitUrlOptions['until'] {
  if (until === undefined || typeof until === 'function') return until as ElicitUrlOptions['until'];
  throw questionError(
    'ctx.elicitUrl',
    `needs a function as until, as in until: () => payments.isPaid(id); got ${kindOf(until)}`,
  );
}

/** Without types `until` may give anything, a record of a database for one: to poll a person on that would never end. */
export function checkHeld(held: unknown): boolean {
  if (typeof held === 'boolean') return held;
  throw questionError('ctx.elicitUrl', `needs an until that gives true or false; it gave ${kindOf(held)}`);
}

export function questionError(call: string, problem: string): MrtrTypeError {
  return new MrtrTypeError('ERR_MRTR_QUESTION', `${call} ${problem}.`);
}
