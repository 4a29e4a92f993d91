import fc from 'fast-check';
import { canonicalJson, MAX_DEPTH } from '../../lib/protocol/canonical.js';

const parse = (text: string): unknown => JSON.parse(text) as unknown;
const canonicalOf = (text: string): string | undefined => canonicalJson(parse(text));

/** JSON text in which the members of every object stand in the reverse of their order. */
function reversedText(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(reversedText).join(',')}]`;
  if (typeof value !== 'object' || value === null) return JSON.stringify(value);
  const members = Object.entries(value).reverse();
  return `{${members.map(([name, member]) => `${JSON.stringify(name)}:${reversedText(member)}`).join(',')}}`;
}

describe('canonicalJson', () => {
  it('C18 gives one text to every order of members', () => {
    expect(canonicalOf('{"b":1,"a":{"y":2,"x":3}}')).toBe('{"a":{"x":3,"y":2},"b":1}');
    expect(canonicalOf('{"a":{"x":3,"y":2},"b":1}')).toBe('{"a":{"x":3,"y":2},"b":1}');
  });

  it('C18 keeps the order of arrays', () => {
    expect(canonicalOf('{"b":[2,1],"a":0}')).toBe('{"a":0,"b":[2,1]}');
    expect(canonicalOf('[2,1]')).not.toBe(canonicalOf('[1,2]'));
  });

  it('C16 keeps an own __proto__ and constructor as members and pollutes nothing', () => {
    const plain = canonicalOf('{"amount":1}');
    for (const text of [
      '{"amount":1,"__proto__":{"currency":"XXX"}}',
      '{"amount":1,"a":{"__proto__":{"currency":"XXX"}}}',
      '{"amount":1,"constructor":{"prototype":{"x":1}}}',
    ]) {
      expect(canonicalOf(text)).not.toBe(plain);
    }
    expect(canonicalOf('{"b":1,"__proto__":{"d":1,"c":2}}')).toBe('{"__proto__":{"c":2,"d":1},"b":1}');
    expect(canonicalOf('{"x":1,"constructor":{"prototype":{"x":1}}}')).toBe(
      '{"constructor":{"prototype":{"x":1}},"x":1}',
    );
    expect('currency' in {} || 'x' in {}).toBe(false);
  });

  it('sorts integer-like names as text, where JavaScript would sort them as numbers', () => {
    expect(canonicalOf('{"9":1,"10":2}')).toBe('{"10":2,"9":1}');
  });

  it('sorts by UTF-16 code units, not by code points or locale', () => {
    expect(canonicalJson({ '\uffff': 1, '\u{1f600}': 2, é: 3, z: 4, Z: 5 })).toBe(
      '{"Z":5,"z":4,"é":3,"\u{1f600}":2,"\uffff":1}',
    );
  });

  it('keeps lone surrogates distinct from each other and from their escaped spelling', () => {
    const texts = ['"\\ud800"', '"\\ud801"', '"\\ufffd"', '"\\\\ud800"'].map((text) =>
      canonicalOf(`{"b":${text},"a":1}`),
    );
    expect(new Set(texts).size).toBe(4);
  });

  it('refuses a number that is not finite, wherever it stands', () => {
    for (const text of ['1e999', '[-1e999]', '{"b":1,"a":{"c":[1e999]}}']) expect(canonicalOf(text)).toBeUndefined();
  });

  it('refuses what is no JSON data', () => {
    for (const value of [undefined, 1n, Symbol('s'), () => 1, { a: undefined }, { b: 1, a: () => 1 }]) {
      expect(canonicalJson(value)).toBeUndefined();
    }
  });

  it('takes 256 levels and refuses 257', () => {
    const nested = (levels: number): string => '['.repeat(levels) + ']'.repeat(levels);
    expect(canonicalOf(nested(MAX_DEPTH))).toBe(nested(MAX_DEPTH));
    expect(canonicalOf(nested(MAX_DEPTH + 1))).toBeUndefined();
    const members = (levels: number): string => '{"b":0,"a":'.repeat(levels) + '0' + '}'.repeat(levels);
    expect(canonicalOf(members(MAX_DEPTH))).toBe('{"a":'.repeat(MAX_DEPTH) + '0' + ',"b":0}'.repeat(MAX_DEPTH));
    expect(canonicalOf(members(MAX_DEPTH + 1))).toBeUndefined();
  });

  it('survives a megabyte of opening brackets', () => {
    let value: unknown[] = [];
    for (let i = 0; i < 500_000; i += 1) value = [value];
    expect(canonicalJson(value)).toBeUndefined();
  });

  it('never asks a member called toJSON', () => {
    expect(canonicalOf('{"toJSON":"x","a":1}')).toBe('{"a":1,"toJSON":"x"}');
  });

  it('gives the same text however the members are shuffled, and that text is its own canonical text', () => {
    fc.assert(
      fc.property(fc.json(), (text) => {
        const value = parse(text);
        const canonical = canonicalJson(value) ?? 'none';
        expect(canonicalOf(reversedText(value))).toBe(canonical);
        expect(canonicalOf(canonical)).toBe(canonical);
        expect(parse(canonical)).toEqual(value);
      }),
    );
  });

  it('equals JSON.stringify for what is sorted already', () => {
    fc.assert(
      fc.property(fc.dictionary(fc.stringMatching(/^[a-z]{1,5}$/), fc.oneof(fc.integer(), fc.string())), (members) => {
        const sorted = Object.fromEntries(Object.entries(members).sort(([a], [b]) => (a < b ? -1 : 1)));
        expect(canonicalJson(sorted)).toBe(JSON.stringify(sorted));
      }),
    );
  });

  it('spells every string and number as JSON.stringify does, in the unsorted case too', () => {
    const text = fc.array(fc.nat(0xffff)).map((codes) => String.fromCharCode(...codes));
    fc.assert(
      fc.property(fc.oneof(text, fc.string(), fc.double({ noNaN: true, noDefaultInfinity: true })), (value) => {
        expect(canonicalJson({ b: value, a: 0 })).toBe(`{"a":0,"b":${JSON.stringify(value)}}`);
        const name = `z${value}`;
        expect(canonicalJson({ [name]: 0, a: 0 })).toBe(`{"a":0,${JSON.stringify(name)}:0}`);
      }),
    );
    for (let code = 0; code < 0x80; code += 1) {
      const character = String.fromCharCode(code);
      expect(canonicalJson({ b: character, a: 0 })).toBe(`{"a":0,"b":${JSON.stringify(character)}}`);
    }
  });

  it('tells distinct values apart', () => {
    fc.assert(
      fc.property(fc.jsonValue({ maxDepth: 3 }), fc.jsonValue({ maxDepth: 3 }), (a, b) => {
        const same = reversedText(sortedCopy(a)) === reversedText(sortedCopy(b));
        expect(canonicalJson(a) === canonicalJson(b)).toBe(same);
      }),
    );
    const near = [
      '0',
      '"0"',
      'null',
      '"null"',
      'false',
      '[]',
      '{}',
      '[[]]',
      '[{}]',
      '{"a":null}',
      '{"a":[]}',
      '""',
      '[""]',
    ];
    expect(new Set(near.map(canonicalOf)).size).toBe(near.length);
  });
});

/** An independent way to one order of members: entries sorted into an array of pairs. */
function sortedCopy(value: unknown): unknown {
  if (Array.isArray(value)) return ['array', ...value.map(sortedCopy)];
  if (typeof value !== 'object' || value === null) return value;
  return [
    'object',
    ...Object.entries(value)
      .sort(([a], [b]) => (a < b ? -1 : 1))
      .map(([k, v]) => [k, sortedCopy(v)]),
  ];
}
