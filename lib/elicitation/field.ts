import type { PrimitiveSchema, StringFormat } from '../protocol/wire.js';
import { isObject } from '../protocol/wire.js';
import { defineProperty, kindOf, schemaError, show } from './property.js';

const FIELD = Symbol.for('express-mrtr.field');

/**
 * One field of a form: its schema on the wire, and in its type what the handler gets. `Absent` is `true` where an
 * accepted answer may lack it. Made by {@link field}.
 */
export interface Field<T, Absent extends boolean = boolean> {
  readonly schema: PrimitiveSchema;
  readonly optional: boolean;
  readonly '~field': symbol & { readonly content?: T; readonly absent?: Absent };
}

/** What every field takes. */
export interface FieldOptions {
  /** The label that the person sees; the field's name without it. */
  readonly title?: string;
  /** A sentence that helps to fill the field in. */
  readonly description?: string;
}

/** Options of {@link FieldKinds.string}. Lengths count Unicode code points. */
export interface StringFieldOptions extends FieldOptions {
  readonly minLength?: number;
  readonly maxLength?: number;
  /** Asserted on the answer; `email` wants a domain with a dot, `uri` refuses `javascript:`, `data:` and `vbscript:`. */
  readonly format?: StringFormat;
}

/** Options of {@link FieldKinds.number} and {@link FieldKinds.integer}. Both bounds are allowed values. */
export interface NumberFieldOptions extends FieldOptions {
  readonly minimum?: number;
  readonly maximum?: number;
}

/** Options of {@link FieldKinds.choices}. */
export interface ChoicesFieldOptions extends FieldOptions {
  readonly minItems?: number;
  readonly maxItems?: number;
}

/** A choice is its own label, or has a title for the person beside the value for the handler. */
export type Choice = string | { readonly value: string; readonly title: string };
/** The values of a list of choices, as a union. */
export type ChoiceValue<C extends readonly Choice[]> = C[number] extends infer E
  ? E extends { readonly value: infer V }
    ? V
    : E
  : never;

type MayBeAbsent = { readonly optional: true; readonly default?: never };
type Either<T> = { readonly optional?: boolean; readonly default?: T };
type Present<T> =
  { readonly optional?: false; readonly default?: T } | { readonly optional: true; readonly default: T };

/**
 * `optional: true` without a `default` makes the answer's property optional; with a `default` it is always there. Where the
 * options' type leaves that open, the property is optional.
 */
export interface FieldMaker<T, Options> {
  (options: Options & MayBeAbsent): Field<T, true>;
  (options?: Options & Present<T>): Field<T, false>;
  (options: Options & Either<T>): Field<T>;
}

/** The seven kinds of field that a form can have (MCP 2026-07-28, Elicitation, Requested Schema). */
export interface FieldKinds {
  /** Text: `field.string({ maxLength: 200 })`. */
  readonly string: FieldMaker<string, StringFieldOptions>;
  /** A finite number: `field.number({ minimum: 0 })`. */
  readonly number: FieldMaker<number, NumberFieldOptions>;
  /** A whole number; `30.0` is one, `30.5` and `"30"` are not. */
  readonly integer: FieldMaker<number, NumberFieldOptions>;
  /** Yes or no: `field.boolean({ default: true })`. */
  readonly boolean: FieldMaker<boolean, FieldOptions>;
  /** One of several: `field.choice(['Red', 'Green'])` or `field.choice([{ value: '#FF0000', title: 'Red' }])`. The answer is the value, never the title. */
  readonly choice: {
    <const C extends readonly Choice[]>(choices: C, options: FieldOptions & MayBeAbsent): Field<ChoiceValue<C>, true>;
    <const C extends readonly Choice[]>(
      choices: C,
      options?: FieldOptions & Present<ChoiceValue<C>>,
    ): Field<ChoiceValue<C>, false>;
    <const C extends readonly Choice[]>(
      choices: C,
      options: FieldOptions & Either<ChoiceValue<C>>,
    ): Field<ChoiceValue<C>>;
  };
  /** Several of several, none twice: `field.choices(['Red', 'Green'], { minItems: 1 })`. */
  readonly choices: {
    <const C extends readonly Choice[]>(
      choices: C,
      options: ChoicesFieldOptions & MayBeAbsent,
    ): Field<ChoiceValue<C>[], true>;
    <const C extends readonly Choice[]>(
      choices: C,
      options?: ChoicesFieldOptions & Present<readonly ChoiceValue<C>[]>,
    ): Field<ChoiceValue<C>[], false>;
    <const C extends readonly Choice[]>(
      choices: C,
      options: ChoicesFieldOptions & Either<readonly ChoiceValue<C>[]>,
    ): Field<ChoiceValue<C>[]>;
  };
}

/**
 * Makes the fields of a {@link form}. A field with a `default` is pre-filled at the client and, where the answer leaves it
 * out, gets the default; it is therefore never listed in `required`. A field without one is required unless `optional: true`.
 *
 * @throws MrtrTypeError `ERR_MRTR_SCHEMA` at once for an option that does not exist or that no answer could meet.
 *
 * @example
 * ```ts
 * form({ reason: field.string({ maxLength: 200 }), full: field.boolean({ default: true }) });
 * ```
 */
export const field: FieldKinds = Object.freeze({
  string: (options?: object) => make('string', { type: 'string' }, ['minLength', 'maxLength', 'format'], options),
  number: (options?: object) => make('number', { type: 'number' }, ['minimum', 'maximum'], options),
  integer: (options?: object) => make('integer', { type: 'integer' }, ['minimum', 'maximum'], options),
  boolean: (options?: object) => make('boolean', { type: 'boolean' }, [], options),
  choice: (choices: unknown, options?: object) => {
    const { titled, list } = readChoices('choice', choices);
    return make('choice', titled ? { type: 'string', oneOf: list } : { type: 'string', enum: list }, [], options);
  },
  choices: (choices: unknown, options?: object) => {
    const { titled, list } = readChoices('choices', choices);
    const items = titled ? { anyOf: list } : { type: 'string', enum: list };
    return make('choices', { type: 'array', items }, ['minItems', 'maxItems'], options);
  },
});

/** Whether {@link field} of this or another copy of the package made the value. */
export function isField(value: unknown): value is Field<unknown> {
  return isObject(value) && value['~field'] === FIELD;
}

function make(kind: string, shape: object, constraints: readonly string[], options: unknown = {}): Field<never, never> {
  const subject = `field.${kind}`;
  if (!isObject(options)) throw schemaError(`${subject}: the options must be an object; got ${kindOf(options)}.`);
  const known = ['title', 'description', ...constraints, 'default', 'optional'];
  const unknown = Object.keys(options).find((name) => !known.includes(name));
  if (unknown !== undefined) {
    throw schemaError(
      `${subject}: there is no option ${show(unknown)}; it takes ${known.join(', ')}. ` +
        'Check what a form cannot express in the handler, or with refine() of a Standard Schema.',
    );
  }
  const { optional = false, ...keywords } = options;
  if (typeof optional !== 'boolean')
    throw schemaError(`${subject}: optional must be true or false; got ${show(optional)}.`);
  const schema = defineProperty(subject, { ...shape, ...keywords });
  return Object.freeze({ schema, optional, '~field': FIELD });
}

function readChoices(kind: string, choices: unknown): { titled: boolean; list: unknown[] } {
  const subject = `field.${kind}`;
  if (!Array.isArray(choices)) throw schemaError(`${subject}: the choices must be an array; got ${kindOf(choices)}.`);
  const titled = isObject(choices[0]);
  const list = Array.from(choices, (choice: unknown) => {
    if (!titled && typeof choice === 'string') return choice;
    if (titled && isTitled(choice)) return { const: choice.value, title: choice.title };
    throw schemaError(
      `${subject}: the choices must be all strings or all { value, title } of strings; got ${kindOf(choice)}.`,
    );
  });
  return { titled, list };
}

function isTitled(choice: unknown): choice is { value: string; title: string } {
  if (!isObject(choice) || Object.keys(choice).length !== 2) return false;
  return typeof choice['value'] === 'string' && typeof choice['title'] === 'string';
}
