import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { z } from 'zod';
import { compileForm } from '../../lib/elicitation/content.js';
import { codeOf } from '../../lib/errors.js';
import type { StandardResult, StandardSchema } from '../../lib/protocol/standard.js';
import type { PrimitiveSchema } from '../../lib/protocol/wire.js';

function wire(schema: StandardSchema): PrimitiveSchema | undefined {
  return compileForm(schema).requestedSchema.properties['it'];
}
/** A Standard Schema of an unknown library, with the JSON Schema and the validator given. */
function handmade<T = unknown>(
  json: Record<string, unknown>,
  validate: (value: unknown) => StandardResult<T> | Promise<StandardResult<T>> = (value) => ({ value: value as T }),
): StandardSchema<unknown, T> {
  return {
    '~standard': { version: 1, vendor: 'handmade', validate, jsonSchema: { input: () => json, output: () => json } },
  };
}
const property = (it: unknown) => handmade({ type: 'object', properties: { it } });

describe('a zod schema as a form', () => {
  it.each<[string, z.ZodType, object]>([
    ['z.string', z.string().min(1).max(5), { type: 'string', minLength: 1, maxLength: 5 }],
    ['z.email, without the pattern', z.email(), { type: 'string', format: 'email' }],
    ['z.url', z.url(), { type: 'string', format: 'uri' }],
    ['z.iso.date, without the pattern', z.iso.date(), { type: 'string', format: 'date' }],
    ['z.iso.datetime, without the pattern', z.iso.datetime(), { type: 'string', format: 'date-time' }],
    ['z.iso.date with a transform', z.iso.date().transform((day) => new Date(day)), { type: 'string', format: 'date' }],
    ['z.number', z.number().min(0).max(1.5), { type: 'number', minimum: 0, maximum: 1.5 }],
    ['z.int, without the safe range', z.int(), { type: 'integer' }],
    ['an integer with bounds', z.number().int().min(0), { type: 'integer', minimum: 0 }],
    ['an integer with exclusive bounds', z.int().gt(3).lt(9), { type: 'integer', minimum: 4, maximum: 8 }],
    ['z.int32', z.int32(), { type: 'integer', minimum: -2147483648, maximum: 2147483647 }],
    ['z.boolean', z.boolean().default(true), { type: 'boolean', default: true }],
    ['z.enum', z.enum(['a', 'b']), { type: 'string', enum: ['a', 'b'] }],
    ['z.literal', z.literal('a'), { type: 'string', enum: ['a'] }],
    [
      'titled literals',
      z.union([z.literal('a').meta({ title: 'A' }), z.literal('b').meta({ title: 'B' })]),
      {
        type: 'string',
        oneOf: [
          { const: 'a', title: 'A' },
          { const: 'b', title: 'B' },
        ],
      },
    ],
    ['untitled literals', z.union([z.literal('a'), z.literal('b')]), { type: 'string', enum: ['a', 'b'] }],
    [
      'an array of z.enum',
      z
        .array(z.enum(['a', 'b']))
        .min(1)
        .max(2)
        .default(['a']),
      { type: 'array', minItems: 1, maxItems: 2, items: { type: 'string', enum: ['a', 'b'] }, default: ['a'] },
    ],
    [
      'an array of titled literals',
      z.array(z.union([z.literal('a').meta({ title: 'A' }), z.literal('b').meta({ title: 'B' })])),
      {
        type: 'array',
        items: {
          anyOf: [
            { const: 'a', title: 'A' },
            { const: 'b', title: 'B' },
          ],
        },
      },
    ],
    [
      'title, description and notes',
      z
        .string()
        .describe('Text')
        .meta({ title: 'T', examples: ['x'], deprecated: true }),
      { type: 'string', title: 'T', description: 'Text' },
    ],
    ['a readonly string', z.string().readonly(), { type: 'string' }],
  ])('converts %s', (_, it, expected) => {
    expect(wire(z.object({ it }))).toEqual(expected);
  });

  it('requires neither optional properties nor those with a default, and keeps the order', () => {
    const schema = z.object({
      zip: z.string(),
      note: z.string().optional(),
      full: z.boolean().default(true),
      caught: z.string().catch('x'),
      age: z.int(),
    });
    const { requestedSchema } = compileForm(schema);
    expect(requestedSchema).toEqual({
      type: 'object',
      properties: {
        zip: { type: 'string' },
        note: { type: 'string' },
        full: { type: 'boolean', default: true },
        caught: { type: 'string', default: 'x' },
        age: { type: 'integer' },
      },
      required: ['zip', 'age'],
    });
    expect(Object.keys(requestedSchema.properties)).toEqual(['zip', 'note', 'full', 'caught', 'age']);
    expect(compileForm(schema)).toBe(compileForm(schema));
  });

  it('drops what the root says without meaning: $schema, title, description, additionalProperties false', () => {
    const schema = z.strictObject({ it: z.string() }).meta({ title: 'T', description: 'D' });
    expect(compileForm(schema).requestedSchema).toEqual({
      type: 'object',
      properties: { it: { type: 'string' } },
      required: ['it'],
    });
  });
});

describe('C59 whatever a form cannot express throws before anything is sent', () => {
  it.each<[string, StandardSchema, string]>([
    [
      'a nested object',
      z.object({ it: z.object({ street: z.string() }) }),
      'ctx.elicit: property "it" has "type": "object", which a form cannot express; use text, a number, a boolean or string choices, optional instead of null.',
    ],
    ['a nullable string', z.object({ it: z.string().nullable() }), 'property "it" has "type": ["string","null"]'],
    [
      'a pattern',
      z.object({ it: z.string().regex(/^a/) }),
      'property "it" has "pattern": "^a", which a form cannot express; drop it and check the answer with refine() or in the handler.',
    ],
    ['another format', z.object({ it: z.uuid() }), 'property "it" has "pattern"'],
    [
      'another format alone',
      property({ type: 'string', format: 'uuid' }),
      'property "it": format must be "email", "uri", "date" or "date-time"; got "uuid".',
    ],
    ['a format with two patterns', z.object({ it: z.email().regex(/x/) }), 'property "it" has "allOf"'],
    ['a union', z.object({ it: z.union([z.email(), z.literal('none')]) }), 'property "it" has "anyOf"'],
    [
      'half a titled union',
      z.object({ it: z.union([z.literal('a').meta({ title: 'A' }), z.literal('b')]) }),
      'property "it" has "anyOf"',
    ],
    [
      'a named definition',
      z.object({ it: z.string().meta({ id: 'form-spec-name' }) }),
      'property "it" has "$ref": "#/$defs/form-spec-name"',
    ],
    [
      'a number with an exclusive bound',
      z.object({ it: z.number().positive() }),
      'property "it" has "exclusiveMinimum": 0',
    ],
    ['multipleOf', z.object({ it: z.number().multipleOf(2) }), 'property "it" has "multipleOf": 2'],
    ['a number literal', z.object({ it: z.literal(3) }), 'property "it" has "const": 3'],
    ['a boolean literal', z.object({ it: z.literal(true) }), 'property "it" has "const": true'],
    [
      'an array of strings',
      z.object({ it: z.array(z.string()) }),
      'property "it" has "items": {"type":"string"}, which a form cannot express; use a list of string choices as items.',
    ],
    ['anything', z.object({ it: z.any() }), 'property "it" has no "type"'],
    [
      'a Date',
      z.object({ it: z.date() }),
      'ctx.elicit: "zod" cannot convert this schema to JSON Schema (Date cannot be represented in JSON Schema); use only what JSON has, or form({...}).',
    ],
    [
      'a default that its input refuses',
      property({ type: 'string', default: 5 }),
      'property "it": default must be text; got a number.',
    ],
    [
      'a loose object',
      z.looseObject({ it: z.string() }),
      'ctx.elicit: the schema has "additionalProperties", which a form cannot express; name every property, since only those reach the handler.',
    ],
    ['a catchall', z.object({ it: z.string() }).catchall(z.string()), 'the schema has "additionalProperties"'],
    ['a named object', z.object({ it: z.string() }).meta({ id: 'form-spec-root' }), 'the schema has "$ref"'],
    [
      'no object',
      z.string(),
      'the schema has "type": "string", which a form cannot express; describe an object, without an id in its meta().',
    ],
    [
      'C60 an index-like name',
      z.object({ zip: z.string(), 2: z.string() }),
      'ctx.elicit: property "2" looks like an array index',
    ],
    [
      'the name __proto__',
      handmade({ type: 'object', properties: { ['__proto__']: { type: 'string' } } }),
      'ctx.elicit: property cannot be named "__proto__"',
    ],
    ['no properties', handmade({ type: 'object' }), 'the schema has no "properties"'],
    ['allOf at the root', handmade({ type: 'object', properties: {}, allOf: [] }), 'the schema has "allOf": []'],
    [
      'a missing required property',
      handmade({ type: 'object', properties: {}, required: ['gone'] }),
      'the schema has "required" with "gone", no property of it',
    ],
    [
      'required that is no list',
      handmade({ type: 'object', properties: {}, required: true }),
      'the schema has "required": true',
    ],
    ['a property that is true', property(true), 'property "it" has true, which a form cannot express; give it a type.'],
    [
      'an old exclusive bound',
      property({ type: 'integer', minimum: 0, exclusiveMinimum: true }),
      'property "it" has "exclusiveMinimum": true',
    ],
    [
      'a bound that is no number',
      property({ type: 'integer', minimum: '0' }),
      'property "it": minimum must be a finite number; got "0".',
    ],
    ['choices that are no strings', property({ enum: ['a', null] }), 'property "it" has "enum": "…"'],
    ['no choices', property({ enum: [] }), 'property "it": there must be at least one choice.'],
    [
      'choices with a length',
      property({ type: 'string', enum: ['a'], minLength: 1 }),
      'property "it" has "minLength": 1',
    ],
    [
      'a list of a list',
      property({ type: 'array', items: { enum: ['a'] }, contains: { const: 'a' } }),
      'property "it" has "contains"',
    ],
    [
      'a JSON Schema that is none',
      handmade(7 as never),
      'ctx.elicit: "handmade" converted this schema to 7, not to an object.',
    ],
  ])('%s', (_, schema, message) => {
    const compile = () => compileForm(schema);
    expect(compile).toThrow(message);
    expect(codeIn(compile)).toBe('ERR_MRTR_SCHEMA');
  });

  it('names the versions that bring the conversion when the library has none', () => {
    const bare = { '~standard': { version: 1 as const, vendor: 'valibot', validate: (value: unknown) => ({ value }) } };
    const compile = () => compileForm(bare);
    expect(compile).toThrow(
      'ctx.elicit: this schema of "valibot" cannot give its JSON Schema. zod does from 4.2, arktype from 2.1.28, valibot through ' +
        'toStandardJsonSchema() of @valibot/to-json-schema; form({...}) always works.',
    );
    expect(codeIn(compile)).toBe('ERR_MRTR_SCHEMA');
  });

  it('asks for the input side of draft 2020-12', () => {
    const asked: unknown[] = [];
    const base = handmade({ type: 'object', properties: {} })['~standard'];
    const input = (options: unknown) => {
      asked.push(options);
      return { type: 'object', properties: {} };
    };
    compileForm({ '~standard': { ...base, jsonSchema: { input, output: () => ({}) } } });
    expect(asked).toEqual([{ target: 'draft-2020-12' }]);
  });

  it('never fetches a $ref', async () => {
    let connections = 0;
    const server = createServer().on('connection', () => connections++);
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/x.json`;
    expect(() => compileForm(property({ $ref: url }))).toThrow(`ctx.elicit: property "it" has "$ref": "${url}"`);
    expect(() => compileForm(handmade({ $ref: url }))).toThrow(`ctx.elicit: the schema has "$ref": "${url}"`);
    await new Promise((resolve) => setImmediate(resolve));
    await new Promise((resolve) => server.close(resolve));
    expect(connections).toBe(0);
  });
});

describe('a Standard Schema stays the validator of the answer', () => {
  it('gives its output as the value and seals the answer as it came', async () => {
    const schema = z.object({ day: z.iso.date().transform((day) => new Date(day)), full: z.boolean().default(true) });
    const compiled = compileForm(schema);
    const value = { day: new Date('2026-01-31'), full: true };
    expect(await compiled.accept({ day: '2026-01-31', more: 1 })).toEqual({
      ok: true,
      record: { day: '2026-01-31', full: true },
      value,
    });
    expect(await compiled.restore({ day: '2026-01-31', full: true })).toEqual({
      ok: true,
      value,
      record: expect.anything(),
    });
  });

  it('fills in a default that is an output, and so is not on the wire', async () => {
    const compiled = compileForm(
      z.object({
        size: z
          .string()
          .transform((text) => text.length)
          .default(5),
      }),
    );
    expect(compiled.requestedSchema).toEqual({ type: 'object', properties: { size: { type: 'string' } } });
    expect(await compiled.accept({})).toEqual({ ok: true, record: {}, value: { size: 5 } });
    expect(await compiled.restore({})).toMatchObject({ ok: true, value: { size: 5 } });
  });

  it('checks the structure first, without coercion, and does not trouble the validator with what fails it', async () => {
    expect(await compileForm(z.object({ age: z.coerce.number() })).accept({ age: '30' })).toEqual({
      ok: false,
      reason: '"age" must be a number.',
    });
    let called = 0;
    const schema = handmade({ type: 'object', properties: { it: { type: 'boolean' } } }, (value) => {
      called++;
      return { value };
    });
    expect(await compileForm(schema).accept({ it: 'yes' })).toEqual({
      ok: false,
      reason: '"it" must be true or false.',
    });
    expect(called).toBe(0);
  });

  it('asks a refinement of the whole object', async () => {
    const schema = z
      .object({ from: z.int(), to: z.int() })
      .refine(({ from, to }) => from < to, 'The end is before the beginning');
    expect(compileForm(schema).accept({ from: 1, to: 2 })).toMatchObject({ ok: true, value: { from: 1, to: 2 } });
    expect(compileForm(schema).accept({ from: 2, to: 1 })).toEqual({
      ok: false,
      reason: 'The end is before the beginning',
    });
  });

  it('waits for an asynchronous refinement', async () => {
    const schema = z.object({
      name: z
        .string()
        .meta({ title: 'Your name' })
        .refine(async (name) => name !== 'taken', 'Choose another'),
    });
    expect(await compileForm(schema).accept({ name: 'free' })).toMatchObject({ ok: true });
    expect(await compileForm(schema).accept({ name: 'taken' })).toEqual({
      ok: false,
      reason: '"Your name": Choose another',
    });
    expect(await compileForm(schema).restore({ name: 'taken' })).toMatchObject({ ok: false });
  });

  it('never repeats the answer, even where the library does', async () => {
    const echo = z.object({
      name: z.string().refine(() => false, { error: (issue) => `${String(issue.input)} is taken` }),
    });
    expect(await compileForm(echo).accept({ name: 'hunter2' })).toEqual({
      ok: false,
      reason: '"name": this answer is not accepted',
    });
  });

  it.each<[string, (value: unknown) => unknown]>([
    [
      'throws',
      () => {
        throw new Error('hunter2');
      },
    ],
    ['rejects', () => Promise.reject(new Error('hunter2'))],
    ['gives nothing', () => undefined],
    ['promises nothing', () => Promise.resolve(undefined)],
    ['gives an issue without a message', () => ({ issues: [{}] })],
  ])('refuses the answer when the validator %s', async (_, validate) => {
    const compiled = compileForm(handmade({ type: 'object', properties: {} }, validate as never));
    expect(await compiled.accept({})).toEqual({ ok: false, reason: 'The answer could not be checked.' });
    expect(await compiled.restore({})).toMatchObject({ ok: false });
  });

  it('makes one short line of an issue, whatever its path and text', async () => {
    const issue = { message: `line\none ${'x'.repeat(300)}`, path: [{ key: 'it' }, 0] };
    const compiled = compileForm(
      handmade({ type: 'object', properties: { it: { type: 'string' } } }, () => ({ issues: [issue] })),
    );
    const found = await compiled.accept({ it: 'a' });
    expect(found).toEqual({ ok: false, reason: `"it": line one ${'x'.repeat(185)}…`.slice(0, 199) + '…' });
    const none = compileForm(handmade({ type: 'object', properties: {} }, () => ({ issues: [] })));
    expect(await none.accept({})).toEqual({ ok: false, reason: 'The answer does not fit the form.' });
  });

  it('keeps the record when the validator changes its input', async () => {
    const schema = handmade(
      { type: 'object', properties: { it: { type: 'array', items: { enum: ['a', 'b'] }, uniqueItems: true } } },
      (value) => {
        (value as { it: string[] }).it.push('b');
        return { value };
      },
    );
    expect(await compileForm(schema).accept({ it: ['a'] })).toEqual({
      ok: true,
      record: { it: ['a'] },
      value: { it: ['a', 'b'] },
    });
  });
});

function codeIn(run: () => unknown): string | undefined {
  try {
    run();
  } catch (error) {
    return codeOf(error);
  }
  return undefined;
}
