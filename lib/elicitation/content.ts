import type { StandardResult, StandardSchema } from '../protocol/standard.js';
import type { JsonObject, JsonValue, PrimitiveSchema, RequestedSchema } from '../protocol/wire.js';
import { isStandardSchema } from '../protocol/standard.js';
import { isObject } from '../protocol/wire.js';
import type { Check } from './check.js';
import { compileCheck } from './check.js';
import { convertSchema } from './convert.js';
import type { Form } from './form.js';
import { isForm } from './form.js';
import { kindOf, schemaError } from './property.js';
import { issuesReason, labelOf, reasonOf } from './reason.js';

/** What stands where a question wants a form: {@link form} made it, or it is a Standard Schema that converts to one. */
export type FormInput<T = unknown> = Form<T> | StandardSchema<unknown, T>;

/** A form ready to ask with and to check answers with. */
export interface CompiledForm<T = unknown> {
  /** What travels in `elicitation/create`, frozen. */
  readonly requestedSchema: RequestedSchema;
  /** Its JSON text. */
  readonly schemaText: string;
  /**
   * Checks the `content` of an accepted answer, whatever it is; never throws or rejects. There is no coercion, and only
   * declared own properties get through. Content that is absent or `null` is refused even where nothing is required: `{}`
   * is the empty answer.
   */
  accept(content: unknown): Acceptance<T> | Promise<Acceptance<T>>;
  /** The value for a record that {@link CompiledForm.accept} gave in an earlier round. */
  restore(record: JsonObject): Restoration<T> | Promise<Restoration<T>>;
}

/** `record` is what to seal, `value` what the handler gets, `reason` a text for the person of at most 200 characters. */
export type Acceptance<T> =
  | { readonly ok: true; readonly record: JsonObject; readonly value: T }
  | { readonly ok: false; readonly reason: string };

/** `ok: false` when the schema's own validator no longer takes the record. */
export type Restoration<T> = { readonly ok: true; readonly value: T } | { readonly ok: false };

interface CompiledField {
  readonly name: string;
  readonly check: Check;
  readonly required: boolean;
  readonly fallback: JsonValue | undefined;
}
type Structure = { readonly ok: true; readonly record: JsonObject } | { readonly ok: false; readonly reason: string };

// Keyed by what outlives a call: a form written inside a handler is made anew in every round, and most rounds only ask or
// restore, so the checks of a plain form wait for its first answer.
const compiled = new WeakMap<object, CompiledForm>();
const checks = new WeakMap<RequestedSchema, readonly CompiledField[]>();

/**
 * Compiles a form or a Standard Schema; the work is done once an object.
 *
 * A Standard Schema must convert, in input mode, to the flat shape of a form. Its answers are checked against that shape
 * first (a default on the wire fills an absent property) and then by its own validator, whose output is the value.
 *
 * @throws MrtrTypeError `ERR_MRTR_SCHEMA` for whatever a form cannot express, before anything is sent.
 */
export function compileForm<T>(input: FormInput<T>): CompiledForm<T> {
  const known = compiled.get(input);
  if (known !== undefined) return known as CompiledForm<T>;
  const fresh = compile(input);
  compiled.set(input, fresh);
  return fresh;
}

function compile<T>(input: FormInput<T>): CompiledForm<T> {
  if (isForm(input)) return compilePlain(input);
  if (isStandardSchema(input)) return compileStandard(input);
  throw schemaError(
    `ctx.elicit: \`form\` must be made by form({...}) or be a Standard Schema; got ${kindOf(input)}. Wrap fields in form({ … }).`,
  );
}

function compilePlain<T>({ requestedSchema }: Form<T>): CompiledForm<T> {
  return {
    requestedSchema,
    schemaText: JSON.stringify(requestedSchema),
    accept(content) {
      const found = checkStructure(requestedSchema, content);
      return found.ok ? { ok: true, record: found.record, value: copy(found.record) as T } : found;
    },
    restore: (record) => ({ ok: true, value: copy(record) as T }),
  };
}

function compileStandard<T>(schema: StandardSchema<unknown, T>): CompiledForm<T> {
  const requestedSchema = convertSchema(schema);
  const conclude = (record: JsonObject, result: StandardResult<T>): Acceptance<T> =>
    result.issues === undefined
      ? { ok: true, record, value: result.value }
      : { ok: false, reason: issuesReason(result.issues, record, (name) => labelOf(name, requestedSchema.properties)) };
  const validate = (record: JsonObject): Acceptance<T> | Promise<Acceptance<T>> => {
    const failed = (): Acceptance<T> => ({ ok: false, reason: 'The answer could not be checked.' });
    try {
      const result = schema['~standard'].validate(copy(record));
      if (!('then' in result)) return conclude(record, result);
      return Promise.resolve(result)
        .then((settled) => conclude(record, settled))
        .catch(failed);
    } catch {
      return failed();
    }
  };
  return {
    requestedSchema,
    schemaText: JSON.stringify(requestedSchema),
    accept(content) {
      const found = checkStructure(requestedSchema, content);
      return found.ok ? validate(found.record) : found;
    },
    restore: validate,
  };
}

function fieldsOf(schema: RequestedSchema): readonly CompiledField[] {
  const known = checks.get(schema);
  if (known !== undefined) return known;
  const { properties, required = [] } = schema;
  const fields = Object.entries(properties).map(([name, property]: [string, PrimitiveSchema]) => ({
    name,
    check: compileCheck(property),
    required: required.includes(name),
    fallback: property.default,
  }));
  checks.set(schema, fields);
  return fields;
}

function checkStructure(schema: RequestedSchema, content: unknown): Structure {
  if (content === undefined || content === null) return { ok: false, reason: 'The answer came without its content.' };
  if (!isPlainObject(content)) return { ok: false, reason: 'The content of the answer must be an object.' };
  const record: JsonObject = {};
  const problems: string[] = [];
  for (const { name, check, required, fallback } of fieldsOf(schema)) {
    const given = Object.hasOwn(content, name) ? content[name] : undefined;
    if (given === undefined) {
      if (fallback !== undefined) record[name] = copyValue(fallback);
      else if (required) problems.push(`${labelOf(name, schema.properties)} is required.`);
      continue;
    }
    const expected = check(given);
    if (expected === undefined) record[name] = copyValue(given as JsonValue);
    else problems.push(`${labelOf(name, schema.properties)} ${expected}.`);
  }
  return problems.length === 0 ? { ok: true, record } : { ok: false, reason: reasonOf(problems) };
}

/** By the shape of the prototype chain, since an object of another realm has another `Object.prototype`. */
function isPlainObject(value: unknown): value is Record<string, unknown> {
  if (!isObject(value)) return false;
  const prototype: unknown = Object.getPrototypeOf(value);
  return prototype === null || Object.getPrototypeOf(prototype) === null;
}

function copy(record: JsonObject): JsonObject {
  const result: JsonObject = {};
  for (const name of Object.keys(record)) result[name] = copyValue(record[name] as JsonValue);
  return result;
}

/** -0 becomes 0, as it would by sealing: the handler sees the same value in every round. */
function copyValue(value: JsonValue): JsonValue {
  if (typeof value === 'number') return value + 0;
  return Array.isArray(value) ? [...value] : value;
}
