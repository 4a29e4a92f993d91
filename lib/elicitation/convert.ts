import type { MrtrTypeError } from '../errors.js';
import type { StandardSchema } from '../protocol/standard.js';
import type { PrimitiveSchema, RequestedSchema } from '../protocol/wire.js';
import { isObject } from '../protocol/wire.js';
import { FORMATS } from './format.js';
import { assertName, defineProperty, defineRequest, schemaError, show } from './property.js';

type Keywords = Readonly<Record<string, unknown>>;

/** Say nothing about which values are valid. */
const NOTES = ['$schema', '$comment', 'examples', 'deprecated', 'readOnly', 'writeOnly'];
const TEXTS = ['title', 'description', 'default'];

/**
 * Converts a Standard Schema, in input mode, to the flat schema of a form. Nothing is dropped that would change which
 * answers are valid, but for a pattern beside one of the four formats, which its library wrote and still checks itself.
 * References are refused, so nothing is ever fetched.
 *
 * @throws MrtrTypeError `ERR_MRTR_SCHEMA` naming the property and the keyword that a form cannot express.
 */
export function convertSchema(schema: StandardSchema): RequestedSchema {
  const root = toJsonSchema(schema);
  const keywords = without(root, [...NOTES, 'title', 'description', '$defs', 'type']);
  if (root['type'] !== 'object') {
    throw cannot('the schema', whatIsWrong(root), 'describe an object, without an id in its meta()');
  }
  const { properties, required = [], additionalProperties = false, ...rest } = keywords;
  if (!isObject(properties)) throw cannot('the schema', 'no "properties"', 'name every property');
  if (additionalProperties !== false) {
    throw cannot('the schema', '"additionalProperties"', 'name every property, since only those reach the handler');
  }
  refuseRest('the schema', rest);
  const names = Object.entries(properties).map(([name, value]) => {
    assertName('ctx.elicit: property', name);
    return [name, convertProperty(`property ${show(name)}`, value)] as const;
  });
  const converted = Object.fromEntries(names);
  return defineRequest(converted, requiredOf(required, converted));
}

function toJsonSchema(schema: StandardSchema): Keywords {
  const { jsonSchema, vendor } = schema['~standard'];
  if (typeof jsonSchema?.input !== 'function') {
    throw schemaError(
      `ctx.elicit: this schema of ${show(vendor)} cannot give its JSON Schema. zod does from 4.2, arktype from 2.1.28, ` +
        'valibot through toStandardJsonSchema() of @valibot/to-json-schema; form({...}) always works.',
    );
  }
  let converted: unknown;
  try {
    converted = jsonSchema.input({ target: 'draft-2020-12' });
  } catch (error) {
    throw schemaError(
      `ctx.elicit: ${show(vendor)} cannot convert this schema to JSON Schema (${error instanceof Error ? error.message : show(error)}); ` +
        'use only what JSON has, or form({...}).',
    );
  }
  if (!isObject(converted)) {
    throw schemaError(`ctx.elicit: ${show(vendor)} converted this schema to ${show(converted)}, not to an object.`);
  }
  return converted;
}

function requiredOf(required: unknown, properties: Record<string, PrimitiveSchema>): string[] {
  if (!Array.isArray(required)) throw cannot('the schema', `"required": ${show(required)}`, 'list names of properties');
  const listed = required.map((name: unknown) => {
    if (typeof name === 'string' && Object.hasOwn(properties, name)) return name;
    throw cannot('the schema', `"required" with ${show(name)}, no property of it`, 'list names of properties');
  });
  // As in form(): a default answers for an absent property, so nothing with a default is required.
  return Object.keys(properties).filter((name) => listed.includes(name) && !('default' in (properties[name] ?? {})));
}

function convertProperty(subject: string, value: unknown): PrimitiveSchema {
  if (!isObject(value)) throw cannot(subject, show(value), 'give it a type');
  const keywords = without(value, [...NOTES, 'additionalProperties']);
  const where = `ctx.elicit: ${subject}`;
  const values = choicesOf(keywords);
  if (values !== undefined) {
    const rest = without(keywords, ['type', 'enum', 'const', 'oneOf', 'anyOf']);
    refuseRest(subject, without(rest, TEXTS));
    const select = 'titled' in values ? { oneOf: values.titled } : { enum: values.plain };
    return defineProperty(where, { type: 'string', ...rest, ...select });
  }
  switch (keywords['type']) {
    case 'boolean':
      refuseRest(subject, without(keywords, ['type', ...TEXTS]));
      return defineProperty(where, keywords);
    case 'string': {
      const named = FORMATS.includes(keywords['format']) ? without(keywords, ['pattern']) : keywords;
      refuseRest(subject, without(named, ['type', ...TEXTS, 'minLength', 'maxLength', 'format']));
      return defineProperty(where, named);
    }
    case 'number':
    case 'integer': {
      const bounded = keywords['type'] === 'integer' ? closeBounds(keywords) : keywords;
      refuseRest(subject, without(bounded, ['type', ...TEXTS, 'minimum', 'maximum']));
      return defineProperty(where, bounded);
    }
    case 'array':
      return convertMultiple(subject, without(keywords, ['uniqueItems']));
    default:
      throw cannot(
        subject,
        whatIsWrong(keywords),
        'use text, a number, a boolean or string choices, optional instead of null',
      );
  }
}

function convertMultiple(subject: string, { items, ...keywords }: Keywords): PrimitiveSchema {
  const values = isObject(items) ? choicesOf(items) : undefined;
  const rest = isObject(items) ? without(items, [...NOTES, 'enum', 'const', 'anyOf', 'oneOf', 'type']) : {};
  if (values === undefined || Object.keys(rest).length > 0) {
    throw cannot(subject, keyword('items', items), 'use a list of string choices as items');
  }
  refuseRest(subject, without(keywords, ['type', ...TEXTS, 'minItems', 'maxItems']));
  const ready = 'titled' in values ? { anyOf: values.titled } : { type: 'string', enum: values.plain };
  return defineProperty(`ctx.elicit: ${subject}`, { ...keywords, items: ready });
}

/** The choices that `enum`, `const` or a union of constants stands for, if one of them does and all of them are strings. */
function choicesOf(
  keywords: Keywords,
): { plain: string[] } | { titled: { const: string; title: string }[] } | undefined {
  if ((keywords['type'] ?? 'string') !== 'string') return undefined;
  if (['enum', 'const', 'oneOf', 'anyOf'].filter((name) => name in keywords).length !== 1) return undefined;
  const plain = 'const' in keywords ? [keywords['const']] : keywords['enum'];
  if (Array.isArray(plain)) return isStrings(plain) ? { plain } : undefined;
  const union = keywords['oneOf'] ?? keywords['anyOf'];
  if (!Array.isArray(union) || !union.every(isConstant)) return undefined;
  const titled = union.flatMap(({ const: value, title }) => (title === undefined ? [] : [{ const: value, title }]));
  if (titled.length === union.length) return { titled };
  return titled.length === 0 ? { plain: union.map((member) => member.const) } : undefined;
}

function isStrings(values: unknown[]): values is string[] {
  return values.every((value) => typeof value === 'string');
}

function isConstant(member: unknown): member is { const: string; title?: string } {
  if (
    !isObject(member) ||
    typeof member['const'] !== 'string' ||
    Object.keys(without(member, ['type', 'const', 'title'])).length > 0
  )
    return false;
  return (member['type'] ?? 'string') === 'string' && ['string', 'undefined'].includes(typeof member['title']);
}

/** Exclusive bounds of an integer become inclusive; the safe-integer range that libraries write is no bound of the author's. */
function closeBounds(keywords: Keywords): Keywords {
  const { minimum, maximum, exclusiveMinimum: above, exclusiveMaximum: below, ...rest } = keywords;
  // What is no number stays, for the checks that follow to name it.
  if ([minimum, maximum, above, below].some((bound) => bound !== undefined && typeof bound !== 'number')) {
    return keywords;
  }
  const low = Math.max(Number(minimum ?? -Infinity), Math.floor(Number(above ?? -Infinity)) + 1);
  const high = Math.min(Number(maximum ?? Infinity), Math.ceil(Number(below ?? Infinity)) - 1);
  return {
    ...rest,
    ...(low > Number.MIN_SAFE_INTEGER && { minimum: low }),
    ...(high < Number.MAX_SAFE_INTEGER && { maximum: high }),
  };
}

function without(keywords: Keywords, names: readonly string[]): Keywords {
  return Object.fromEntries(Object.entries(keywords).filter(([name]) => !names.includes(name)));
}

function refuseRest(subject: string, rest: Keywords): void {
  const [found] = Object.entries(rest);
  if (found === undefined) return;
  throw cannot(subject, keyword(...found), 'drop it and check the answer with refine() or in the handler');
}

function whatIsWrong(keywords: Keywords): string {
  const name = ['$ref', 'allOf', 'anyOf', 'oneOf', 'not', 'enum', 'const', 'type'].find(
    (keyword) => keyword in keywords,
  );
  return name === undefined ? 'no "type"' : keyword(name, keywords[name]);
}

function keyword(name: string, value: unknown): string {
  return `${show(name)}: ${show(withoutTexts(name, value), withoutTexts)}`;
}

/** Texts in a schema may come from a call, and errors reach logs: of these keywords only the place is shown. */
function withoutTexts(name: string, value: unknown): unknown {
  return [...TEXTS, ...NOTES, 'const', 'enum'].includes(name) && typeof value !== 'number' && typeof value !== 'boolean'
    ? '…'
    : value;
}

function cannot(subject: string, found: string, fix: string): MrtrTypeError {
  return schemaError(`ctx.elicit: ${subject} has ${found}, which a form cannot express; ${fix}.`);
}
