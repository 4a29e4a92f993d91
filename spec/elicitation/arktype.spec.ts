import { execFileSync } from 'node:child_process';
import { join } from 'node:path';

describe('an arktype schema as a form', () => {
  const output = execFileSync(process.execPath, ['--import', 'tsx', join(__dirname, 'arktype.ts')], {
    encoding: 'utf8',
  });
  const results = JSON.parse(output) as Record<string, unknown>;

  it('converts', () => {
    const { properties, required } = results['requestedSchema'] as { properties: object; required: string[] };
    expect(properties).toEqual({
      mail: { type: 'string', format: 'email' },
      nick: { type: 'string', maxLength: 5 },
      color: { type: 'string', enum: expect.arrayContaining(['Red', 'Green']) },
      sizes: {
        type: 'array',
        minItems: 1,
        maxItems: 2,
        items: { type: 'string', enum: expect.arrayContaining(['S', 'M']) },
      },
      age: { type: 'integer', minimum: 18 },
      full: { type: 'boolean' },
    });
    expect(required.sort()).toEqual(['age', 'color', 'mail', 'sizes']);
  });

  it('validates the answer and fills in its own defaults', () => {
    const record = { mail: 'a@example.com', color: 'Red', sizes: ['S'], age: 18 };
    expect(results['accepted']).toEqual({ ok: true, record, value: { ...record, full: true } });
    expect(results['wrong']).toEqual({ ok: false, reason: '"age" must be a whole number of at least 18.' });
  });

  it('gives its reason without the value', () => {
    expect(results['picky']).toEqual({ ok: false, reason: '"name": name must be known' });
  });

  it('C59 is refused where a form cannot express it', () => {
    expect(results['refused']).toBe(
      'ctx.elicit: property "name" has "anyOf": [{"type":"string"},{"type":"null"}], which a form cannot express; ' +
        'use text, a number, a boolean or string choices, optional instead of null.',
    );
  });
});
