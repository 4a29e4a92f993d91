import { codeOf, MrtrTypeError } from '../../lib/errors.js';
import { paramHeadersOf } from '../../lib/protocol/headers.js';

const string = (header: unknown): object => ({ type: 'string', 'x-mcp-header': header });
const withRegion = (schema: object): Record<string, unknown> => ({ type: 'object', properties: { region: schema } });

function refusal(schema: Record<string, unknown>): string {
  try {
    paramHeadersOf(schema, 'query');
  } catch (error) {
    expect(error).toBeInstanceOf(MrtrTypeError);
    expect(codeOf(error)).toBe('ERR_MRTR_DEFINITION');
    return (error as Error).message;
  }
  throw new Error(`accepted: ${JSON.stringify(schema)}`);
}

describe('paramHeadersOf', () => {
  it('finds the annotation of the example in the specification', () => {
    const schema = {
      type: 'object',
      properties: {
        region: { type: 'string', description: 'The region to execute the query in', 'x-mcp-header': 'Region' },
        query: { type: 'string', description: 'The SQL query to execute' },
      },
      required: ['region', 'query'],
    };
    expect(paramHeadersOf(schema, 'execute_sql')).toEqual([
      { header: 'mcp-param-region', path: ['region'], type: 'string' },
    ]);
  });

  it('finds every permitted type and nested objects', () => {
    const schema = {
      properties: {
        n: { type: 'integer', 'x-mcp-header': 'N' },
        b: { type: 'boolean', 'x-mcp-header': 'B!#$%' },
        deep: { properties: { er: { properties: { s: string('Deep.Er') } } } },
      },
    };
    expect(paramHeadersOf(schema, 'query')).toEqual([
      { header: 'mcp-param-n', path: ['n'], type: 'integer' },
      { header: 'mcp-param-b!#$%', path: ['b'], type: 'boolean' },
      { header: 'mcp-param-deep.er', path: ['deep', 'er', 's'], type: 'string' },
    ]);
  });

  it('finds none in a schema without annotations', () => {
    expect(paramHeadersOf({}, 'query')).toEqual([]);
    expect(paramHeadersOf({ type: 'object', properties: { a: true, b: { type: 'number' } } }, 'query')).toEqual([]);
  });

  it('returns frozen entries', () => {
    const found = paramHeadersOf(withRegion(string('R')), 'query');
    expect([Object.isFrozen(found), Object.isFrozen(found[0]), Object.isFrozen(found[0]?.path)]).toEqual([
      true,
      true,
      true,
    ]);
  });

  it.each([
    [''],
    ['my region'],
    ['Region\r\nX: y'],
    ['a\u0000'],
    ['Größe'],
    ['a:b'],
    ['a/b'],
    ['"a"'],
    [7],
    [null],
    [['a']],
    [{}],
  ])('refuses the annotation %j, which is no token', (annotation) => {
    expect(refusal(withRegion(string(annotation)))).toBe(
      `tool "query": the property "region" has x-mcp-header ${JSON.stringify(annotation)}, which is no HTTP token. ` +
        'Use letters, digits and hyphens.',
    );
  });

  it.each([['number'], ['object'], ['array'], ['null'], [['string', 'null']], [['string']], [undefined]])(
    'refuses an annotation on type %j',
    (type) => {
      expect(refusal(withRegion({ type, 'x-mcp-header': 'Region' }))).toBe(
        `tool "query": the property "region" has x-mcp-header "Region" on type ${JSON.stringify(type)}. ` +
          'Give it the one type "string", "integer" or "boolean"; to allow no value, leave the property optional.',
      );
    },
  );

  it('refuses two annotations that differ in case only', () => {
    const schema = { properties: { a: string('Region'), b: { properties: { c: string('REGION') } } } };
    expect(refusal(schema)).toBe(
      'tool "query": the property "b.c" has x-mcp-header "REGION", which "a" has already (case does not count). ' +
        'Give each its own.',
    );
  });

  it('refuses an annotation on the root', () => {
    expect(refusal({ ...string('Region') })).toContain(
      'the root of inputSchema carries x-mcp-header where no fixed path',
    );
  });

  it.each([
    ['items', (s: object) => ({ items: s })],
    ['items of an older draft', (s: object) => ({ items: [s] })],
    ['prefixItems', (s: object) => ({ prefixItems: [s] })],
    ['contains', (s: object) => ({ contains: s })],
    ['additionalProperties', (s: object) => ({ additionalProperties: s })],
    ['unevaluatedProperties', (s: object) => ({ unevaluatedProperties: s })],
    ['unevaluatedItems', (s: object) => ({ unevaluatedItems: s })],
    ['propertyNames', (s: object) => ({ propertyNames: s })],
    ['patternProperties', (s: object) => ({ patternProperties: { '^a': s } })],
    ['dependentSchemas', (s: object) => ({ dependentSchemas: { a: s } })],
    ['oneOf', (s: object) => ({ oneOf: [{}, s] })],
    ['anyOf', (s: object) => ({ anyOf: [s] })],
    ['allOf', (s: object) => ({ allOf: [s] })],
    ['not', (s: object) => ({ not: s })],
    ['if', (s: object) => ({ if: s })],
    ['then', (s: object) => ({ then: s })],
    ['else', (s: object) => ({ else: s })],
    ['$defs', (s: object) => ({ $defs: { region: s } })],
    ['definitions', (s: object) => ({ definitions: { region: s } })],
    ['an unknown keyword that $ref could reach', (s: object) => ({ 'x-shared': s })],
    ['properties below anyOf', (s: object) => ({ anyOf: [{ properties: { a: s } }] })],
    ['properties below items', (s: object) => ({ properties: { list: { items: { properties: { a: s } } } } })],
  ])('refuses an annotation under %s', (_where, place) => {
    for (const schema of [place(string('Region')), withRegion(place(string('Region')))]) {
      expect(refusal(schema as Record<string, unknown>)).toMatch(
        /^tool "query": .* carries x-mcp-header where no fixed path leads/,
      );
    }
  });

  it('refuses one under items also when the same schema object stands on a property', () => {
    const shared = string('Region');
    expect(refusal({ properties: { a: shared, list: { items: shared } } })).toContain('"list"');
  });

  it('takes a property that is called x-mcp-header, or like a keyword, for a property', () => {
    const schema = {
      properties: { 'x-mcp-header': { type: 'string' }, items: string('Items'), default: string('Default') },
    };
    expect(paramHeadersOf(schema, 'query').map(({ path }) => path)).toEqual([['items'], ['default']]);
  });

  it('takes data that looks like an annotation for data', () => {
    const data = { 'x-mcp-header': 'no token' };
    expect(paramHeadersOf(withRegion({ default: data, const: data, enum: [data], examples: [data] }), 'query')).toEqual(
      [],
    );
  });

  it('takes no annotation from a prototype', () => {
    expect(paramHeadersOf(withRegion(Object.create(string('Region')) as object), 'query')).toEqual([]);
  });

  it('ends on a cycle and names a schema that is too deep', () => {
    const cyclic: Record<string, unknown> = { properties: { region: string('Region') } };
    cyclic['not'] = { anyOf: [cyclic] };
    (cyclic['properties'] as Record<string, unknown>)['self'] = cyclic;
    expect(paramHeadersOf(cyclic, 'query')).toHaveLength(1);

    let deep: Record<string, unknown> = {};
    for (let i = 0; i < 20_000; i += 1) deep = { not: deep };
    expect(refusal(deep)).toContain('nests deeper than 100 levels. Flatten the schema.');
    const list: unknown[] = [];
    list.push(list);
    expect(refusal({ allOf: list })).toContain('nests deeper than 100 levels');
  });
});
