import { createContext, runInContext } from 'node:vm';
import { compileForm } from '../../lib/elicitation/content.js';
import type { Acceptance, FormInput } from '../../lib/elicitation/content.js';
import type { Field } from '../../lib/elicitation/form.js';
import { field, form } from '../../lib/elicitation/form.js';
import { codeOf } from '../../lib/errors.js';

function accept<T>(input: FormInput<T>, content: unknown): Acceptance<T> {
  return compileForm(input).accept(content) as Acceptance<T>;
}
/** The reason of a refusal, `undefined` for an answer that is taken. */
function reason(input: FormInput, content: unknown): string | undefined {
  const found = accept(input, content);
  return found.ok ? undefined : found.reason;
}
const one = (made: Field<unknown>, answer: unknown) => reason(form({ it: made }), { it: answer });

describe('C47 accept without the data', () => {
  const required = form({ confirm: field.boolean() });
  const empty = form({});
  it('is refused where a field is required', () => {
    expect(reason(required, undefined)).toBe('The answer came without its content.');
    expect(reason(required, null)).toBe('The answer came without its content.');
    expect(reason(required, {})).toBe('"confirm" is required.');
  });
  it('is an empty object, and nothing less, where nothing is required', () => {
    expect(accept(empty, {})).toEqual({ ok: true, record: {}, value: {} });
    expect(reason(empty, undefined)).toBe('The answer came without its content.');
    expect(reason(empty, null)).toBe('The answer came without its content.');
  });
  it.each([[[]], ['{}'], [1], [true], [new Date(0)], [new Map()]])('is refused as %p', (content) => {
    expect(reason(empty, content)).toBe('The content of the answer must be an object.');
  });
});

describe('C56 no silent coercion', () => {
  it.each<[string, Field<unknown>, string]>([
    ['{"it":"30"}', field.integer(), '"it" must be a whole number.'],
    ['{"it":30.5}', field.integer(), '"it" must be a whole number.'],
    ['{"it":true}', field.integer(), '"it" must be a whole number.'],
    ['{"it":[30]}', field.integer(), '"it" must be a whole number.'],
    ['{"it":1e400}', field.integer(), '"it" must be a whole number.'],
    ['{"it":1e400}', field.number(), '"it" must be a number.'],
    ['{"it":"true"}', field.boolean(), '"it" must be true or false.'],
    ['{"it":1}', field.boolean(), '"it" must be true or false.'],
    ['{"it":"Red"}', field.choices(['Red']), '"it" must be a list of choices out of Red.'],
    ['{"it":{"0":"Red","length":1}}', field.choices(['Red']), '"it" must be a list of choices out of Red.'],
    ['{"it":[["Red"]]}', field.choices(['Red']), '"it" must be a list of choices out of Red.'],
    ['{"it":["Red"]}', field.choice(['Red']), '"it" must be one of Red.'],
    ['{"it":null}', field.string(), '"it" must be text.'],
    ['{"it":null}', field.string({ optional: true }), '"it" must be text.'],
    ['{"it":null}', field.string({ default: 'x' }), '"it" must be text.'],
    ['{"it":1}', field.string(), '"it" must be text.'],
    ['{"it":1e21}', field.integer({ maximum: 150 }), '"it" must be a whole number of at most 150.'],
  ])('%s is refused', (json, made, expected) => {
    expect(reason(form({ it: made }), JSON.parse(json))).toBe(expected);
  });
  it('30.0 and 1e21 are whole numbers', () => {
    expect(accept(form({ age: field.integer() }), JSON.parse('{"age":30.0}'))).toMatchObject({ value: { age: 30 } });
    expect(accept(form({ age: field.integer() }), JSON.parse('{"age":1e21}'))).toMatchObject({ value: { age: 1e21 } });
  });
});

describe('C57 constraint edges', () => {
  it('lengths count code points', () => {
    expect(one(field.string({ maxLength: 1 }), '😀')).toBeUndefined();
    expect(one(field.string({ maxLength: 1 }), '😀😀')).toBe('"it" must have at most 1 character.');
    expect(one(field.string({ minLength: 2 }), '😀')).toBe('"it" must have at least 2 characters.');
    expect(one(field.string({ minLength: 2 }), '😀a')).toBeUndefined();
    expect(one(field.string({ maxLength: 0 }), '')).toBeUndefined();
    expect(one(field.string({ maxLength: 0 }), 'a')).toBe('"it" must have at most 0 characters.');
    expect(one(field.string({ maxLength: 2 }), '\ud800\ud800')).toBeUndefined();
    expect(one(field.string({ maxLength: 3 }), 'a'.repeat(1_000_000))).toBe('"it" must have at most 3 characters.');
  });
  it('bounds are inclusive', () => {
    const made = field.number({ minimum: 0, maximum: 1 });
    expect(one(made, 0)).toBeUndefined();
    expect(one(made, 1)).toBeUndefined();
    expect(one(made, -0.001)).toBe('"it" must be a number from 0 to 1.');
    expect(one(field.number({ minimum: 18 }), 17)).toBe('"it" must be a number of at least 18.');
  });
  it('-0 passes minimum 0 and arrives as the 0 that it is after sealing', () => {
    const found = accept(form({ it: field.integer({ minimum: 0 }) }), JSON.parse('{"it":-0}'));
    expect(found).toEqual({ ok: true, record: { it: 0 }, value: { it: 0 } });
  });
  it('choices are compared exactly, and a title is no value', () => {
    expect(one(field.choice(['Red']), 'red')).toBe('"it" must be one of Red.');
    const titled = [{ value: '#FF0000', title: 'Red' }] as const;
    expect(one(field.choice(titled), '#FF0000')).toBeUndefined();
    expect(one(field.choice(titled), 'Red')).toBe('"it" must be one of #FF0000.');
    expect(one(field.choices(titled), ['#FF0000'])).toBeUndefined();
    expect(one(field.choices(titled), ['Red'])).toBe('"it" must be a list of choices out of #FF0000.');
    expect(one(field.choice(['Red']), 'constructor')).toBe('"it" must be one of Red.');
  });
  it('the number of choices is bounded and none comes twice', () => {
    const made = field.choices(['a', 'b', 'c'], { minItems: 1, maxItems: 2 });
    expect(one(made, [])).toBe('"it" must have at least 1 choice.');
    expect(one(made, ['a', 'b', 'c'])).toBe('"it" must have at most 2 choices.');
    expect(one(made, ['a', 'a'])).toBe('"it" must be a list that names no choice twice.');
    expect(one(made, ['b', 'a'])).toBeUndefined();
    expect(one(field.choices(['a']), Array<string>(100_000).fill('a'))).toBe(
      '"it" must be a list that names no choice twice.',
    );
  });
  it.each([
    ['email', 'a@b', '"it" must be an e-mail address such as name@example.com.'],
    ['uri', 'javascript:alert(1)', '"it" must be an absolute URL such as https://example.com/page.'],
    ['date', '2026-02-30', '"it" must be a date such as 2026-01-31.'],
    ['date-time', '2026-01-31T09:30:00', '"it" must be a date and time with a zone such as 2026-01-31T09:30:00Z.'],
  ] as const)('format %s refuses %s', (format, text, expected) => {
    expect(one(field.string({ format }), text)).toBe(expected);
  });
});

describe('accept', () => {
  it('lets only declared own properties through', () => {
    const hostile: unknown = JSON.parse('{"name":"Ada","admin":true,"__proto__":{"role":"root"},"constructor":1}');
    const found = accept(form({ name: field.string() }), hostile);
    expect(found).toEqual({ ok: true, record: { name: 'Ada' }, value: { name: 'Ada' } });
    expect(Object.getPrototypeOf(found.ok && found.value)).toBe(Object.prototype);
  });
  it('takes nothing from a prototype', () => {
    const plain = form({ toString: field.string(), constructor: field.string({ optional: true }) });
    expect(reason(plain, {})).toBe('"toString" is required.');
    expect(reason(form({ name: field.string() }), Object.create({ name: 'Ada' }))).toBe(
      'The content of the answer must be an object.',
    );
    expect(
      accept(form({ name: field.string({ optional: true }) }), JSON.parse('{"__proto__":{"name":"Ada"}}')),
    ).toEqual({
      ok: true,
      record: {},
      value: {},
    });
  });
  it('takes objects without a prototype and from another realm', () => {
    const named = form({ name: field.string() });
    expect(accept(named, Object.assign(Object.create(null), { name: 'Ada' })).ok).toBe(true);
    expect(accept(named, runInContext('({ name: "Ada" })', createContext())).ok).toBe(true);
  });
  it('fills absent fields that have a default, optional or not, with a copy', () => {
    const made = form({
      full: field.boolean({ default: true }),
      note: field.string({ optional: true, default: 'none' }),
      sizes: field.choices(['S', 'M'], { default: ['S'] }),
      other: field.string({ optional: true }),
    });
    const found = accept(made, {});
    expect(found).toEqual({
      ok: true,
      record: { full: true, note: 'none', sizes: ['S'] },
      value: { full: true, note: 'none', sizes: ['S'] },
    });
    if (found.ok) found.value.sizes.push('M');
    expect(accept(made, {})).toMatchObject({ record: { sizes: ['S'] } });
    expect(accept(made, { full: false, sizes: [] })).toMatchObject({ value: { full: false, sizes: [] } });
  });
  it('gives the handler a value apart from the record and from the content', () => {
    const content = { sizes: ['S'] };
    const found = accept(form({ sizes: field.choices(['S', 'M']) }), content);
    if (!found.ok) throw new Error(found.reason);
    found.value.sizes.push('M');
    content.sizes.push('M');
    expect(found.record).toEqual({ sizes: ['S'] });
  });
  it('keeps the order of the form, not of the answer', () => {
    const found = accept(form({ zip: field.string(), age: field.integer() }), { age: 3, zip: '1' });
    expect(found.ok && Object.keys(found.record)).toEqual(['zip', 'age']);
  });
});

describe('the reason', () => {
  it('names the field by its title and several fields at once', () => {
    const made = form({ age: field.integer({ title: 'Your age' }), name: field.string(), ok: field.boolean() });
    expect(reason(made, { age: 'old', ok: 1 })).toBe(
      '"Your age" must be a whole number. "name" is required. "ok" must be true or false.',
    );
  });
  it('names at most three fields', () => {
    const made = form({ a: field.string(), b: field.string(), c: field.string(), d: field.string() });
    expect(reason(made, {})).toBe('"a" is required. "b" is required. "c" is required.');
  });
  it('stays within 200 characters whatever the titles and choices are', () => {
    const long = 'x'.repeat(500);
    const made = form({ a: field.choice([long], { title: long }), b: field.choice([long], { title: long }) });
    const text = reason(made, { a: 1, b: 1 });
    expect(text).toBe(
      `"${'x'.repeat(59)}…" must be one of the values on offer. "${'x'.repeat(59)}…" must be one of the values on offer.`,
    );
    expect(text?.length).toBeLessThanOrEqual(200);
  });
  it('never repeats the answer', () => {
    const secret = 'hunter2-hunter2';
    for (const made of [
      field.integer(),
      field.boolean(),
      field.choice(['a']),
      field.choices(['a']),
      field.string({ maxLength: 3 }),
      field.string({ format: 'uri' }),
    ]) {
      expect(one(made, secret)).not.toContain('hunter2');
    }
  });
});

describe('restore', () => {
  it('gives a fresh copy of the record', () => {
    const record = { sizes: ['S'] };
    const restored = compileForm(form({ sizes: field.choices(['S']) })).restore(record);
    expect(restored).toEqual({ ok: true, value: { sizes: ['S'] } });
    expect((restored as { value: { sizes: string[] } }).value.sizes).not.toBe(record.sizes);
  });
});

describe('compileForm', () => {
  it('asks with the very schema of the form', () => {
    const made = form({ name: field.string() });
    expect(compileForm(made).requestedSchema).toBe(made.requestedSchema);
  });
  it('takes a form of another copy of the package', () => {
    let other: { form: typeof form; field: typeof field } | undefined;
    jest.isolateModules(() => {
      other = jest.requireActual('../../lib/elicitation/form.js');
    });
    expect(other?.form).not.toBe(form);
    const foreign = other?.form({ name: other.field.string() }) as never;
    expect(reason(foreign, {})).toBe('"name" is required.');
    expect(reason(form({ it: other?.field.boolean() as never }), {})).toBe('"it" is required.');
  });
  it.each<[unknown, string]>([
    [{ type: 'object', properties: {} }, 'an object'],
    ['{"type":"object"}', 'a text of 17 characters'],
    [undefined, 'undefined'],
    [null, 'null'],
    [[], 'an array of 0'],
    [() => undefined, 'a function'],
    [{ name: field.string() }, 'an object'],
  ])('C129 says what a question takes when it gets %p', (input, shown) => {
    const compile = () => compileForm(input as never);
    expect(compile).toThrow(
      `ctx.elicit: \`form\` must be made by form({...}) or be a Standard Schema; got ${shown}. Wrap fields in form({ … }).`,
    );
    try {
      compile();
    } catch (error) {
      expect(codeOf(error)).toBe('ERR_MRTR_SCHEMA');
    }
  });
});
