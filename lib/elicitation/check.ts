import type { NumberSchema, PrimitiveSchema, StringFormat, StringSchema, TitledChoice } from '../protocol/wire.js';
import { hasFormat } from './format.js';

/** Says what is expected (`must be …`) when the value does not fit; it never repeats the value. */
export type Check = (value: unknown) => string | undefined;

const FORMAT: Record<StringFormat, string> = {
  email: 'must be an e-mail address such as name@example.com',
  uri: 'must be an absolute URL such as https://example.com/page',
  date: 'must be a date such as 2026-01-31',
  'date-time': 'must be a date and time with a zone such as 2026-01-31T09:30:00Z',
};
const LONGEST_LIST = 100;

/**
 * Turns one property of a `requestedSchema` into a check without coercion: `"30"` is no number, `30.0` is an integer.
 * Lengths count code points, as JSON Schema does. A multiple choice may name no choice twice.
 */
export function compileCheck(schema: PrimitiveSchema): Check {
  switch (schema.type) {
    case 'boolean':
      return (value) => (typeof value === 'boolean' ? undefined : 'must be true or false');
    case 'number':
    case 'integer':
      return numberCheck(schema);
    case 'array':
      return multipleCheck(choiceValues(schema.items), schema.minItems ?? 0, schema.maxItems ?? Infinity);
    case 'string':
      if ('enum' in schema || 'oneOf' in schema) return singleCheck(choiceValues(schema));
      return stringCheck(schema);
  }
}

/** The values that a select accepts, whichever of the three spellings carries them. */
export function choiceValues(
  select: { enum: string[] } | { oneOf: TitledChoice[] } | { anyOf: TitledChoice[] },
): string[] {
  if ('enum' in select) return select.enum;
  return ('oneOf' in select ? select.oneOf : select.anyOf).map((choice) => choice.const);
}

function stringCheck({ minLength = 0, maxLength = Infinity, format }: StringSchema): Check {
  return (value) => {
    if (typeof value !== 'string') return 'must be text';
    if (isShorter(value, minLength)) return `must have at least ${count(minLength, 'character')}`;
    if (!isShorter(value, maxLength + 1)) return `must have at most ${count(maxLength, 'character')}`;
    return format === undefined || hasFormat(format, value) ? undefined : FORMAT[format];
  };
}

/** Whether a text has fewer code points than `limit`; looks at the text only where its UTF-16 length leaves that open. */
function isShorter(text: string, limit: number): boolean {
  if (text.length < limit) return true;
  if (text.length >= 2 * limit) return false;
  return Array.from(text).length < limit;
}

function numberCheck({ type, minimum = -Infinity, maximum = Infinity }: NumberSchema): Check {
  const fits = type === 'integer' ? Number.isInteger : Number.isFinite;
  const expected = () => `must be a ${type === 'integer' ? 'whole number' : 'number'}${range(minimum, maximum)}`;
  return (value) =>
    fits(value) && (value as number) >= minimum && (value as number) <= maximum ? undefined : expected();
}

function range(minimum: number, maximum: number): string {
  if (minimum === -Infinity) return maximum === Infinity ? '' : ` of at most ${maximum}`;
  return maximum === Infinity ? ` of at least ${minimum}` : ` from ${minimum} to ${maximum}`;
}

function singleCheck(values: string[]): Check {
  const allowed = new Set<unknown>(values);
  const expected = () => `must be one of ${list(values)}`;
  return (value) => (allowed.has(value) ? undefined : expected());
}

function multipleCheck(values: string[], minItems: number, maxItems: number): Check {
  const allowed = new Set<unknown>(values);
  const expected = () => `must be a list of choices out of ${list(values)}`;
  return (value) => {
    if (!Array.isArray(value)) return expected();
    if (value.length < minItems) return `must have at least ${count(minItems, 'choice')}`;
    if (value.length > maxItems) return `must have at most ${count(maxItems, 'choice')}`;
    // Duplicates are refused anyway, so a longer list is not worth a look.
    if (value.length > allowed.size) return 'must be a list that names no choice twice';
    for (const item of value) if (!allowed.has(item)) return expected();
    return new Set(value).size === value.length ? undefined : 'must be a list that names no choice twice';
  };
}

function count(amount: number, noun: string): string {
  return `${amount} ${noun}${amount === 1 ? '' : 's'}`;
}

function list(values: string[]): string {
  const text = values.join(', ');
  return text.length > LONGEST_LIST ? 'the values on offer' : text;
}
