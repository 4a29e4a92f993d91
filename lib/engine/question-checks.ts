import { kindOf, show } from '../elicitation/property.js';
import { MrtrTypeError } from '../errors.js';
import { isObject, urlOf } from '../protocol/wire.js';
import type { QuestionOptions } from './ask.js';
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
  const known = [...names, 'key', 'upFront'];
  const unknown = Object.keys(options).find((name) => !known.includes(name));
  if (unknown !== undefined) {
    throw questionError(call, `knows no option ${JSON.stringify(unknown)}; it takes ${known.join(', ')}`);
  }
}

export function checkMessage(call: string, message: unknown): string {
  if (typeof message === 'string' && message !== '') return message;
  throw questionError(call, `needs a message that tells the person why; got ${kindOf(message)}`);
}

export function checkUrl(url: unknown): string {
  const text = url instanceof URL ? url.href : url;
  if (typeof text === 'string' && urlOf(text) !== undefined) return text;
  throw questionError('ctx.elicitUrl', `needs an absolute url, such as "https://example.com/pay"; got ${kindOf(url)}`);
}

export function questionError(call: string, problem: string): MrtrTypeError {
  return new MrtrTypeError('ERR_MRTR_QUESTION', `${call} ${problem}.`);
}
