import type { RequestedSchema } from '../protocol/wire.js';
import { isStandardSchema } from '../protocol/standard.js';
import { isObject } from '../protocol/wire.js';
import type { Field } from './field.js';
import { isField } from './field.js';
import { assertName, defineRequest, kindOf, schemaError, show } from './property.js';

export { field } from './field.js';
export type { Choice, ChoiceValue, Field, FieldKinds, FieldMaker, FieldOptions } from './field.js';
export type { ChoicesFieldOptions, NumberFieldOptions, StringFieldOptions } from './field.js';

const FORM = Symbol.for('express-mrtr.form');

/** A form, and in its type the content of an accepted answer. Made by {@link form}. */
export interface Form<T> {
  /** What travels in `elicitation/create`, frozen. */
  readonly requestedSchema: RequestedSchema;
  readonly '~form': symbol & { readonly content?: T };
}

type ContentOf<F> = F extends Field<infer T> ? T : never;
type Flat<T> = { [K in keyof T]: T[K] };

/** What an accepted answer holds: a property a field, optional where the field may be left out and has no default. */
export type FormContent<F extends Record<string, Field<unknown>>> = Flat<
  { [K in keyof F as F[K] extends Field<unknown, false> ? K : never]: ContentOf<F[K]> } & {
    [K in keyof F as F[K] extends Field<unknown, false> ? never : K]?: ContentOf<F[K]>;
  }
>;

/**
 * Makes a form out of named fields; they travel in the order written. Build it once, outside the handler, where you can.
 *
 * The specification wants no passwords, keys or payment data in a form (Elicitation, Form Mode Security): use
 * `ctx.elicitUrl` for those.
 *
 * @throws MrtrTypeError `ERR_MRTR_SCHEMA` for something that is no field, for the name `__proto__`, and for names that look
 * like array indexes (`"2"`), which JavaScript would move to the front.
 *
 * @example
 * ```ts
 * const refund = form({ reason: field.string({ maxLength: 200 }), full: field.boolean({ default: true }) });
 * const answer = await ctx.elicit({ message: 'Refund?', form: refund });
 * if (answer.action === 'accept') answer.content.full; // boolean
 * ```
 */
export function form<F extends Record<string, Field<unknown>>>(fields: F): Form<FormContent<F>> {
  if (!isObject(fields)) throw schemaError(`form: the fields must be an object of fields; got ${kindOf(fields)}.`);
  if (isStandardSchema(fields))
    throw schemaError('form: a schema needs no form(); pass it as it is: ctx.elicit({ message, form: schema }).');
  // `{ __proto__: field.string() }` sets the prototype instead of a property: the field would be gone without a word.
  if (isField(Object.getPrototypeOf(fields))) assertName('form: field', '__proto__');
  const properties: RequestedSchema['properties'] = {};
  const required: string[] = [];
  for (const [name, value] of Object.entries(fields)) {
    assertName('form: field', name);
    if (!isField(value)) {
      throw schemaError(
        `form: field ${show(name)} must be made by field.string(), field.choice(…) or the like; got ${kindOf(value)}.`,
      );
    }
    properties[name] = value.schema;
    if (!value.optional && !('default' in value.schema)) required.push(name);
  }
  const requestedSchema = defineRequest(properties, required);
  return Object.freeze({ requestedSchema, '~form': FORM });
}

/** Whether {@link form} of this or another copy of the package made the value. */
export function isForm(value: unknown): value is Form<unknown> {
  return isObject(value) && value['~form'] === FORM;
}
