/** Compiled by `tsc --noEmit`, never run: what a form says about the content of its answer. */
import { type } from 'arktype';
import { z } from 'zod';
import { compileForm } from '../../lib/elicitation/content.js';
import type { CompiledForm } from '../../lib/elicitation/content.js';
import type { Form, StringFieldOptions } from '../../lib/elicitation/form.js';
import { field, form } from '../../lib/elicitation/form.js';

type Same<A, B> = [A] extends [B] ? ([B] extends [A] ? true : false) : false;
type Holds<T extends true> = T;
type ContentOf<F> = F extends Form<infer T> ? T : never;
type ValueOf<C> = C extends CompiledForm<infer T> ? T : never;
export const every = form({
  text: field.string({ minLength: 1 }),
  note: field.string({ optional: true }),
  mail: field.string({ format: 'email', optional: true, default: 'a@example.com' }),
  amount: field.number(),
  age: field.integer({ optional: true }),
  full: field.boolean({ default: true }),
  color: field.choice(['Red', 'Green']),
  shade: field.choice([{ value: '#FF0000', title: 'Red' }], { optional: true }),
  sizes: field.choices(['S', 'M'], { default: ['S'] }),
  tags: field.choices([{ value: 'a', title: 'A' }], { optional: true }),
});

export type Check1 = Holds<
  Same<
    ContentOf<typeof every>,
    {
      text: string;
      mail: string;
      amount: number;
      full: boolean;
      color: 'Red' | 'Green';
      sizes: ('S' | 'M')[];
      note?: string;
      age?: number;
      shade?: '#FF0000';
      tags?: 'a'[];
    }
  >
>;
export const plain = compileForm(every);
export type Check2 = Holds<Same<ValueOf<typeof plain>, ContentOf<typeof every>>>;

export const transformed = compileForm(
  z.object({ day: z.iso.date().transform((day) => new Date(day)), full: z.boolean().default(true) }),
);
export type Check3 = Holds<Same<ValueOf<typeof transformed>, { day: Date; full: boolean }>>;

export const ark = compileForm(type({ name: 'string', 'nick?': 'string' }));
export type Check4 = Holds<Same<ValueOf<typeof ark>, { name: string; nick?: string }>>;

declare const content: ContentOf<typeof every>;
// @ts-expect-error an optional field may be absent
export const note: string = content.note;
// @ts-expect-error a choice is one of its values
export const isBlue = content.color === 'Blue';
// @ts-expect-error no such field
export const missing = content.nothing;
// @ts-expect-error the title is not the value
export const isRed = content.shade === 'Red';

// @ts-expect-error no such option
field.string({ pattern: '^a' });
// @ts-expect-error no such format
field.string({ format: 'uuid' });
// @ts-expect-error a default has the type of its field
field.integer({ default: '3' });
// @ts-expect-error a default is one of the choices
field.choice(['Red', 'Green'], { default: 'Blue' });
// @ts-expect-error a default names choices
field.choices(['Red', 'Green'], { default: ['Blue'] });
// @ts-expect-error a boolean has no bounds
field.boolean({ minimum: 1 });
// @ts-expect-error fields are made by field
form({ name: { type: 'string' } });
// @ts-expect-error a JSON Schema is no form
compileForm({ type: 'object', properties: { name: { type: 'string' } } });
// @ts-expect-error neither is its text
compileForm('{"type":"object"}');
// @ts-expect-error a form is made by form(), not by hand
export const handmade: Form<{ name: string }> = { requestedSchema: { type: 'object', properties: {} } };

declare const names: string[];
export const dynamic = form({ name: field.choice(names) });
export type Check5 = Holds<Same<ContentOf<typeof dynamic>, { name: string }>>;
declare const shared: StringFieldOptions;
export const spread = form({ name: field.string(shared), nick: field.string({ ...shared, optional: true }) });
export type Check6 = Holds<Same<ContentOf<typeof spread>, { name: string; nick?: string }>>;

declare const optional: boolean;
export const open = form({ name: field.string({ optional }), color: field.choice(['Red'], { optional }) });
export type Check8 = Holds<Same<ContentOf<typeof open>, { name?: string; color?: 'Red' }>>;
