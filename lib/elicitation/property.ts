import { MrtrTypeError } from '../errors.js';
import type { PrimitiveSchema, RequestedSchema } from '../protocol/wire.js';
import { isObject } from '../protocol/wire.js';
import { choiceValues, compileCheck } from './check.js';
import { FORMATS } from './format.js';

const NESTED = ['enum', 'oneOf', 'items', 'default'];

type Candidate = Readonly<Record<string, unknown>>;

/** A caller's mistake in a form, as `subject: what is wrong; what to do`. */
export function schemaError(message: string): MrtrTypeError {
  return new MrtrTypeError('ERR_MRTR_SCHEMA', message);
}

/** A value as a message shows it; never fails, never long. */
export function show(value: unknown, replacer?: (name: string, value: unknown) => unknown): string {
  if (typeof value === 'function' || typeof value === 'symbol') return typeof value;
  if (value === undefined) return 'undefined';
  let text: string;
  try {
    text = JSON.stringify(value, replacer);
  } catch {
    text = typeof value;
  }
  return text.length > 120 ? `${text.slice(0, 119)}…` : text;
}

/**
 * The kind of a value that may hold what a person typed or is to read. Errors reach logs, so they must not carry it there.
 */
export function kindOf(value: unknown): string {
  if (value === undefined || value === null) return String(value);
  if (typeof value === 'string') return value === '' ? 'an empty text' : `a text of ${value.length} characters`;
  if (Array.isArray(value)) return `an array of ${value.length}`;
  return typeof value === 'object' ? 'an object' : `a ${typeof value}`;
}

/** Throws for names that cannot travel as written. */
export function assertName(subject: string, name: string): void {
  if (name === '__proto__') throw schemaError(`${subject} cannot be named "__proto__"; choose another name.`);
  if (/^(?:0|[1-9]\d*)$/.test(name)) {
    throw schemaError(
      `${subject} ${show(name)} looks like an array index, and JavaScript moves such names to the front, ` +
        `so the form would lose its order; rename it, e.g. "field${name}".`,
    );
  }
}

/**
 * Makes a frozen property schema out of keywords that already belong to one of the seven kinds on the wire. Throws for
 * everything that no answer could meet, and for a default that its own property refuses.
 */
export function defineProperty(subject: string, candidate: Candidate): PrimitiveSchema {
  for (const name of ['title', 'description']) {
    if (name in candidate && typeof candidate[name] !== 'string') {
      throw schemaError(`${subject}: ${name} must be a string; got ${kindOf(candidate[name])}.`);
    }
  }
  if ('format' in candidate && !FORMATS.includes(candidate['format'])) {
    throw schemaError(
      `${subject}: format must be "email", "uri", "date" or "date-time"; got ${show(candidate['format'])}.`,
    );
  }
  assertBounds(subject, candidate, 'minLength', 'maxLength', isCount);
  assertBounds(subject, candidate, 'minItems', 'maxItems', isCount);
  assertBounds(subject, candidate, 'minimum', 'maximum', Number.isFinite);
  const copy: Record<string, unknown> = { ...candidate };
  // The caller may go on to change what it passed in; what was checked stays.
  for (const name of NESTED) if (name in copy) copy[name] = frozenCopy(copy[name]);
  const schema = Object.freeze(copy) as unknown as PrimitiveSchema;
  assertChoices(subject, schema);
  if (schema.type === 'integer' && Math.ceil(schema.minimum ?? -Infinity) > Math.floor(schema.maximum ?? Infinity)) {
    throw schemaError(
      `${subject}: no whole number lies between minimum ${schema.minimum ?? ''} and maximum ${schema.maximum ?? ''}.`,
    );
  }
  if ('default' in schema) {
    const expected = compileCheck(schema)(schema.default);
    // Choices may come from a call, like the default itself.
    const offered = 'enum' in schema || 'oneOf' in schema || 'items' in schema;
    const problem = offered ? 'must be among the choices, and within the bounds' : expected;
    if (expected !== undefined) throw schemaError(`${subject}: default ${problem}; got ${kindOf(schema.default)}.`);
  }
  return schema;
}

/** Puts frozen properties together; `required` travels only where something is. */
export function defineRequest(properties: RequestedSchema['properties'], required: string[]): RequestedSchema {
  Object.freeze(properties);
  if (required.length === 0) return Object.freeze({ type: 'object', properties });
  Object.freeze(required);
  return Object.freeze({ type: 'object', properties, required });
}

function isCount(value: unknown): boolean {
  return Number.isSafeInteger(value) && (value as number) >= 0;
}

function assertBounds(
  subject: string,
  candidate: Candidate,
  low: string,
  high: string,
  fits: (value: unknown) => boolean,
): void {
  for (const name of [low, high]) {
    if (name in candidate && !fits(candidate[name])) {
      const wanted = fits === isCount ? 'a whole number of at least 0' : 'a finite number';
      throw schemaError(`${subject}: ${name} must be ${wanted}; got ${show(candidate[name])}.`);
    }
  }
  if (low in candidate && high in candidate && (candidate[low] as number) > (candidate[high] as number)) {
    throw schemaError(
      `${subject}: ${low} ${show(candidate[low])} is more than ${high} ${show(candidate[high])}; swap them.`,
    );
  }
}

function assertChoices(subject: string, schema: PrimitiveSchema): void {
  const select = schema.type === 'array' ? schema.items : 'enum' in schema || 'oneOf' in schema ? schema : undefined;
  if (select === undefined) return;
  const values = choiceValues(select);
  if (values.length === 0) throw schemaError(`${subject}: there must be at least one choice.`);
  const twice = values.findIndex((value, index) => values.indexOf(value) !== index);
  if (twice !== -1) {
    const first = values.indexOf(values[twice] ?? '');
    throw schemaError(`${subject}: choices ${first + 1} and ${twice + 1} are the same; remove one.`);
  }
  if (schema.type === 'array' && (schema.minItems ?? 0) > values.length) {
    throw schemaError(
      `${subject}: minItems ${show(schema.minItems)} is more than the ${values.length} choices on offer.`,
    );
  }
}

function frozenCopy<V>(value: V): V {
  if (Array.isArray(value)) return Object.freeze(value.map(frozenCopy)) as V;
  if (!isObject(value)) return value;
  const copy: Record<string, unknown> = {};
  for (const name of Object.keys(value)) copy[name] = frozenCopy(value[name]);
  return Object.freeze(copy) as V;
}
