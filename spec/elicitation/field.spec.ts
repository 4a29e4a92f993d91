import { codeOf } from '../../lib/errors.js';
import { field, form } from '../../lib/elicitation/form.js';

const titled = [
  { value: '#FF0000', title: 'Red' },
  { value: '#00FF00', title: 'Green' },
  { value: '#0000FF', title: 'Blue' },
] as const;
const texts = { title: 'Color Selection' };

describe('field on the wire (the specification’s examples)', () => {
  it('writes a string', () => {
    const made = field.string({
      title: 'Display Name',
      description: 'Description text',
      minLength: 3,
      maxLength: 50,
      format: 'email',
      default: 'user@example.com',
    });
    expect(made.schema).toEqual({
      type: 'string',
      title: 'Display Name',
      description: 'Description text',
      minLength: 3,
      maxLength: 50,
      format: 'email',
      default: 'user@example.com',
    });
  });

  it.each(['number', 'integer'] as const)('writes a %s', (kind) => {
    const options = { title: 'Display Name', description: 'Description text', minimum: 0, maximum: 100, default: 50 };
    expect(field[kind](options).schema).toEqual({
      type: kind,
      title: 'Display Name',
      description: 'Description text',
      minimum: 0,
      maximum: 100,
      default: 50,
    });
  });

  it('writes a boolean', () => {
    const made = field.boolean({ title: 'Display Name', description: 'Description text', default: false });
    expect(made.schema).toEqual({
      type: 'boolean',
      title: 'Display Name',
      description: 'Description text',
      default: false,
    });
  });

  it('writes a plain single choice', () => {
    const made = field.choice(['Red', 'Green', 'Blue'], {
      ...texts,
      description: 'Choose your favorite color',
      default: 'Red',
    });
    expect(made.schema).toEqual({
      type: 'string',
      title: 'Color Selection',
      description: 'Choose your favorite color',
      enum: ['Red', 'Green', 'Blue'],
      default: 'Red',
    });
  });

  it('writes a titled single choice', () => {
    const made = field.choice(titled, { ...texts, description: 'Choose your favorite color', default: '#FF0000' });
    expect(made.schema).toEqual({
      type: 'string',
      title: 'Color Selection',
      description: 'Choose your favorite color',
      oneOf: [
        { const: '#FF0000', title: 'Red' },
        { const: '#00FF00', title: 'Green' },
        { const: '#0000FF', title: 'Blue' },
      ],
      default: '#FF0000',
    });
  });

  it('writes a plain multiple choice', () => {
    const made = field.choices(['Red', 'Green', 'Blue'], {
      ...texts,
      description: 'Choose your favorite colors',
      minItems: 1,
      maxItems: 2,
      default: ['Red', 'Green'],
    });
    expect(made.schema).toEqual({
      type: 'array',
      title: 'Color Selection',
      description: 'Choose your favorite colors',
      minItems: 1,
      maxItems: 2,
      items: { type: 'string', enum: ['Red', 'Green', 'Blue'] },
      default: ['Red', 'Green'],
    });
  });

  it('writes a titled multiple choice', () => {
    const made = field.choices(titled, {
      ...texts,
      description: 'Choose your favorite colors',
      minItems: 1,
      maxItems: 2,
      default: ['#FF0000', '#00FF00'],
    });
    expect(made.schema).toEqual({
      type: 'array',
      title: 'Color Selection',
      description: 'Choose your favorite colors',
      minItems: 1,
      maxItems: 2,
      items: {
        anyOf: [
          { const: '#FF0000', title: 'Red' },
          { const: '#00FF00', title: 'Green' },
          { const: '#0000FF', title: 'Blue' },
        ],
      },
      default: ['#FF0000', '#00FF00'],
    });
  });

  it('is not changed by what the caller does to its options afterwards', () => {
    const choices = ['Red', 'Green'];
    const made = field.choice(choices);
    choices.push('Blue');
    expect(made.schema).toEqual({ type: 'string', enum: ['Red', 'Green'] });
    expect(Object.isFrozen(made.schema)).toBe(true);
  });
});

/** What the compiler would refuse already, as JavaScript may still write it. */
const untyped = field as unknown as Record<keyof typeof field, (...given: unknown[]) => unknown>;

describe('C59 an impossible field fails at once', () => {
  it.each<[string, () => unknown, string]>([
    [
      'bounds that are crossed',
      () => field.string({ minLength: 5, maxLength: 2 }),
      'field.string: minLength 5 is more than maxLength 2; swap them.',
    ],
    [
      'crossed numbers',
      () => field.number({ minimum: 2, maximum: 1 }),
      'field.number: minimum 2 is more than maximum 1',
    ],
    [
      'crossed items',
      () => field.choices(['a', 'b'], { minItems: 2, maxItems: 1 }),
      'field.choices: minItems 2 is more than maxItems 1',
    ],
    [
      'more items than choices',
      () => field.choices(['a'], { minItems: 2 }),
      'field.choices: minItems 2 is more than the 1 choices on offer.',
    ],
    [
      'bounds without a whole number between',
      () => field.integer({ minimum: 0.2, maximum: 0.8 }),
      'field.integer: no whole number lies between minimum 0.2 and maximum 0.8.',
    ],
    [
      'a negative length',
      () => field.string({ minLength: -1 }),
      'field.string: minLength must be a whole number of at least 0; got -1.',
    ],
    [
      'a broken length',
      () => field.string({ maxLength: 1.5 }),
      'field.string: maxLength must be a whole number of at least 0; got 1.5.',
    ],
    [
      'a bound that is no number',
      () => field.number({ minimum: NaN }),
      'field.number: minimum must be a finite number; got null.',
    ],
    ['an endless bound', () => field.number({ maximum: Infinity }), 'field.number: maximum must be a finite number'],
    [
      'an undefined bound',
      () => untyped.string({ maxLength: undefined }),
      'maxLength must be a whole number of at least 0; got undefined.',
    ],
    [
      'an unknown format',
      () => untyped.string({ format: 'uuid' }),
      'field.string: format must be "email", "uri", "date" or "date-time"; got "uuid".',
    ],
    [
      'an unknown option',
      () => untyped.string({ pattern: '^a' }),
      'field.string: there is no option "pattern"; it takes title, description, minLength, maxLength, format, default, optional.',
    ],
    ['an option of another kind', () => untyped.boolean({ minimum: 1 }), 'field.boolean: there is no option "minimum"'],
    [
      'a title that is no text',
      () => untyped.string({ title: 3 }),
      'field.string: title must be a string; got a number.',
    ],
    [
      'options that are no object',
      () => untyped.string('name'),
      'field.string: the options must be an object; got a text of 4 characters.',
    ],
    [
      'a wrong optional',
      () => untyped.string({ optional: 'yes' }),
      'field.string: optional must be true or false; got "yes".',
    ],
    ['no choices', () => field.choice([]), 'field.choice: there must be at least one choice.'],
    [
      'choices that are no list',
      () => untyped.choices('Red'),
      'field.choices: the choices must be an array; got a text of 3 characters.',
    ],
    ['a choice twice', () => field.choice(['a', 'b', 'a']), 'field.choice: choices 1 and 3 are the same; remove one.'],
    [
      'a titled choice twice',
      () =>
        field.choices([
          { value: 'a', title: 'A' },
          { value: 'a', title: 'B' },
        ]),
      'field.choices: choices 1 and 2 are the same; remove one.',
    ],
    [
      'plain and titled choices',
      () => field.choice(['a', { value: 'b', title: 'B' }]),
      'field.choice: the choices must be all strings or all { value, title } of strings; got an object.',
    ],
    ['a choice without a title', () => untyped.choice([{ value: 'b' }]), 'got an object.'],
    ['a hole in the choices', () => untyped.choice(['a', , 'b']), 'got undefined.'], // eslint-disable-line no-sparse-arrays
    [
      'a default too short',
      () => field.string({ minLength: 1, default: '' }),
      'field.string: default must have at least 1 character; got an empty text.',
    ],
    [
      'a default out of range',
      () => field.integer({ maximum: 3, default: 4 }),
      'field.integer: default must be a whole number of at most 3; got a number.',
    ],
    [
      'a default of another type',
      () => untyped.boolean({ default: 'true' }),
      'field.boolean: default must be true or false; got a text of 4 characters.',
    ],
    [
      'a default in another format',
      () => field.string({ format: 'date', default: '2026-02-30' }),
      'field.string: default must be a date',
    ],
    [
      'a default off the list',
      () => untyped.choice(['a'], { default: 'b' }),
      'field.choice: default must be among the choices, and within the bounds; got a text of 1 characters.',
    ],
    [
      'a default with too few choices',
      () => field.choices(['a'], { minItems: 1, default: [] }),
      'default must be among the choices, and within the bounds; got an array of 0.',
    ],
    [
      'an undefined default',
      () => untyped.string({ default: undefined }),
      'field.string: default must be text; got undefined.',
    ],
  ])('%s', (_, make, message) => {
    const error = thrownBy(make);
    expect(error.message).toContain(message);
    expect(codeOf(error)).toBe('ERR_MRTR_SCHEMA');
    expect(error).toBeInstanceOf(TypeError);
  });
});

describe('form', () => {
  it('writes the specification’s example of one field', () => {
    expect(form({ name: field.string() }).requestedSchema).toEqual({
      type: 'object',
      properties: { name: { type: 'string' } },
      required: ['name'],
    });
  });

  it('writes the specification’s example of several fields', () => {
    const contact = form({
      name: field.string({ description: 'Your full name' }),
      email: field.string({ format: 'email', description: 'Your email address' }),
      age: field.number({ minimum: 18, description: 'Your age', optional: true }),
    });
    expect(contact.requestedSchema).toEqual({
      type: 'object',
      properties: {
        name: { type: 'string', description: 'Your full name' },
        email: { type: 'string', format: 'email', description: 'Your email address' },
        age: { type: 'number', minimum: 18, description: 'Your age' },
      },
      required: ['name', 'email'],
    });
  });

  it('requires neither optional fields nor fields with a default, and leaves out an empty list', () => {
    const made = form({ a: field.string({ optional: true }), b: field.boolean({ default: true }) });
    expect(made.requestedSchema).toEqual({
      type: 'object',
      properties: { a: { type: 'string' }, b: { type: 'boolean', default: true } },
    });
  });

  it('may have no fields, a question of yes or no', () => {
    expect(form({}).requestedSchema).toEqual({ type: 'object', properties: {} });
  });

  it('C60 keeps the order of the fields', () => {
    const { requestedSchema } = form({ zip: field.string(), email: field.string(), first: field.string() });
    expect(JSON.stringify(requestedSchema)).toBe(
      '{"type":"object","properties":{"zip":{"type":"string"},"email":{"type":"string"},"first":{"type":"string"}},' +
        '"required":["zip","email","first"]}',
    );
  });

  it.each(['0', '2', '10', '4294967295'])('C60 refuses the name %s, which JavaScript would move', (name) => {
    const error = thrownBy(() => form({ zip: field.string(), [name]: field.string() }));
    expect(error.message).toBe(
      `form: field "${name}" looks like an array index, and JavaScript moves such names to the front, ` +
        `so the form would lose its order; rename it, e.g. "field${name}".`,
    );
    expect(codeOf(error)).toBe('ERR_MRTR_SCHEMA');
  });

  it.each(['01', '-1', '1.5', 'constructor', 'toString'])('takes the name %s', (name) => {
    const { properties } = form({ z: field.string(), [name]: field.boolean() }).requestedSchema;
    expect(Object.keys(properties)).toEqual(['z', name]);
    expect(properties[name]).toEqual({ type: 'boolean' });
  });

  it('refuses the name __proto__ in either spelling', () => {
    expect(() => form({ ['__proto__']: field.string() })).toThrow('form: field cannot be named "__proto__"');
    expect(() => form({ __proto__: field.string() } as never)).toThrow('form: field cannot be named "__proto__"');
  });

  it('refuses what is no field, and fields that are no object', () => {
    const error = thrownBy(() => form({ name: { type: 'string' } } as never));
    expect(error.message).toBe(
      'form: field "name" must be made by field.string(), field.choice(…) or the like; got an object.',
    );
    expect(codeOf(error)).toBe('ERR_MRTR_SCHEMA');
    expect(() => form('name' as never)).toThrow(
      'form: the fields must be an object of fields; got a text of 4 characters.',
    );
    expect(() => form([field.string()] as never)).toThrow('form: the fields must be an object of fields');
  });

  it('is frozen all the way down', () => {
    const { requestedSchema } = form({ color: field.choice(['Red']) });
    expect(Object.isFrozen(requestedSchema)).toBe(true);
    expect(Object.isFrozen(requestedSchema.properties)).toBe(true);
    expect(Object.isFrozen(requestedSchema.required)).toBe(true);
    expect(Object.isFrozen((requestedSchema.properties['color'] as { enum: string[] }).enum)).toBe(true);
  });
});

function thrownBy(make: () => unknown): Error {
  try {
    make();
  } catch (error) {
    return error as Error;
  }
  throw new Error('Nothing was thrown.');
}
