import { fromJsonSchema } from '@modelcontextprotocol/server';
import { MrtrTypeError } from '../errors.js';
import {
  isStandardSchema,
  messageWithout,
  type StandardIssue,
  type StandardResult,
  type StandardSchema,
} from './standard.js';
import { isObject } from './wire.js';

/** A plain JSON Schema, dialect 2020-12 unless its `$schema` says otherwise. */
export type JsonSchema = Readonly<Record<string, unknown>>;

/** What an `inputSchema`, `outputSchema` or `argsSchema` may be. */
export type SchemaInput = StandardSchema | JsonSchema;

export type Validation =
  | { readonly ok: true; readonly value: unknown }
  /** `problems` names members and what is wrong with them, never their values. */
  | { readonly ok: false; readonly problems: string };

/** A schema converted once, for validation on the hot path and for the lists of the SDK. */
export interface CompiledSchema {
  readonly json: Record<string, unknown>;
  /** The same schema with its conversion cached, in the shape that the SDK takes. */
  readonly standard: StandardSchema & { readonly '~standard': { readonly jsonSchema: object } };
  validate(value: unknown): Validation | Promise<Validation>;
}

const MAX_PROBLEMS = 8;
const MAX_PROBLEM_LENGTH = 300;

/**
 * Compiles a schema, and refuses at construction what could not be used later.
 * Throws `MrtrTypeError` `ERR_MRTR_DEFINITION`.
 */
export function compileSchema(schema: SchemaInput, io: 'input' | 'output', where: string): CompiledSchema {
  const source = isStandardSchema(schema) ? schema : fromPlain(schema, where);
  const json = objectSchema(convert(source, io, where), io, where);
  const convertCached = (): Record<string, unknown> => json;
  return {
    json,
    standard: {
      ...completableShape(schema),
      '~standard': {
        version: 1,
        vendor: source['~standard'].vendor,
        // The SDK would send a validator's words as they are; what it lets through is validated before it is used.
        validate: (value) => ({ value }),
        jsonSchema: { input: convertCached, output: convertCached },
      },
    },
    validate(value) {
      const result = source['~standard'].validate(value);
      return result instanceof Promise
        ? result.then((settled) => validation(value, settled))
        : validation(value, result);
    },
  };
}

/** The SDK finds completions by looking into the members of an object schema. */
function completableShape(schema: SchemaInput): { shape?: unknown } {
  const shape = (schema as { shape?: unknown }).shape;
  return isStandardSchema(schema) && isObject(shape) ? { shape } : {};
}

function fromPlain(schema: unknown, where: string): StandardSchema {
  if (!isObject(schema))
    throw definitionError(where, `must be a Standard Schema or a JSON Schema object; got ${JSON.stringify(schema)}`);
  if (Object.values(schema).some(isStandardSchema)) {
    throw definitionError(where, 'is an object of schemas, not a schema; wrap it, as in z.object({ … })');
  }
  try {
    return fromJsonSchema(schema);
  } catch (error) {
    throw definitionError(
      where,
      `is no usable JSON Schema (${error instanceof Error ? error.message : String(error)})`,
    );
  }
}

function convert(schema: StandardSchema, io: 'input' | 'output', where: string): Record<string, unknown> {
  const converter = schema['~standard'].jsonSchema;
  if (converter === undefined) {
    throw definitionError(
      where,
      `comes from ${JSON.stringify(schema['~standard'].vendor)}, which cannot convert itself to JSON Schema: ` +
        'use zod 4.2 or later, arktype 2.1.28 or later, toStandardJsonSchema() of @valibot/to-json-schema, or plain JSON Schema',
    );
  }
  try {
    return converter[io]({ target: 'draft-2020-12' });
  } catch (error) {
    throw definitionError(
      where,
      `cannot be expressed in JSON Schema (${error instanceof Error ? error.message : String(error)})`,
    );
  }
}

function objectSchema(json: Record<string, unknown>, io: 'input' | 'output', where: string): Record<string, unknown> {
  if (io === 'output' || json['type'] === 'object') return json;
  if (json['type'] !== undefined) {
    throw definitionError(where, `must describe an object; its type is ${JSON.stringify(json['type'])}`);
  }
  return { type: 'object', ...json };
}

function validation(given: unknown, result: StandardResult<unknown>): Validation {
  if (result.issues === undefined) return { ok: true, value: result.value };
  const problems = result.issues.slice(0, MAX_PROBLEMS).map((issue) => problemOf(given, issue));
  return { ok: false, problems: problems.join('; ') || 'invalid' };
}

function problemOf(given: unknown, { path = [], message }: StandardIssue): string {
  const name = path.map((step) => String(typeof step === 'object' ? step.key : step)).join('.');
  const problem = messageWithout(given, message) ?? 'is not accepted';
  const text = name === '' ? problem : `${name}: ${problem}`;
  return text.length > MAX_PROBLEM_LENGTH ? `${text.slice(0, MAX_PROBLEM_LENGTH)}…` : text;
}

function definitionError(where: string, problem: string): MrtrTypeError {
  return new MrtrTypeError('ERR_MRTR_DEFINITION', `${where} ${problem}.`);
}
