import fc from 'fast-check';
import { runInNewContext } from 'node:vm';
import { jsonOf } from '../../lib/engine/json.js';
import { codeOf } from '../../lib/errors.js';

function refusalOf(value: unknown): string {
  try {
    jsonOf(value, 'ctx.step("load")');
  } catch (error) {
    expect(codeOf(error)).toBe('ERR_MRTR_STEP');
    return (error as Error).message;
  }
  throw new Error('it was taken');
}

describe('what survives a round', () => {
  it('is any JSON data, as a copy', () => {
    fc.assert(
      fc.property(fc.jsonValue(), (value) => {
        const text = JSON.stringify(value);
        expect(JSON.stringify(jsonOf(value, 'it'))).toBe(text);
      }),
    );
    const list = [{ a: 1 }];
    const copy = jsonOf(list, 'it') as typeof list;
    expect(copy).toEqual(list);
    expect(copy[0]).not.toBe(list[0]);
  });

  it('leaves out members that are undefined, as JSON does', () => {
    expect(jsonOf({ a: undefined, b: { c: undefined, d: null } }, 'it')).toEqual({ b: { d: null } });
  });

  it('keeps an own member called __proto__, and pollutes nothing', () => {
    const copy = jsonOf(JSON.parse('{"__proto__":{"admin":true},"constructor":1}'), 'it');
    expect(JSON.stringify(copy)).toBe('{"__proto__":{"admin":true},"constructor":1}');
    expect((copy as { admin?: unknown }).admin).toBeUndefined();
    expect(({} as { admin?: unknown }).admin).toBeUndefined();
  });

  it('takes plain objects of another realm and without a prototype', () => {
    expect(jsonOf(runInNewContext('({ a: [1] })'), 'it')).toEqual({ a: [1] });
    expect(jsonOf(Object.assign(Object.create(null), { a: 1 }), 'it')).toEqual({ a: 1 });
  });

  it('has no -0, which JSON would lose', () => {
    expect(Object.is(jsonOf(-0, 'it'), 0)).toBe(true);
  });
});

describe('what does not survive a round is refused, with a word on what to return', () => {
  class Order {
    constructor(readonly id: string) {}
    total(): number {
      return this.id.length;
    }
  }
  const circle: Record<string, unknown> = {};
  circle['again'] = { circle };

  it.each<[string, unknown, string]>([
    [
      'a function',
      () => 1,
      'a function, which does not survive a round as it is. Return the data that you need of it.',
    ],
    [
      'a bigint',
      10n,
      'a bigint, which does not survive a round as it is. Return String(value), and BigInt(text) after the step.',
    ],
    ['a symbol', Symbol('x'), 'a symbol, which does not survive a round as it is. Return its description.'],
    ['NaN', Number.NaN, 'NaN, which does not survive a round as it is. Return a finite number, or null.'],
    [
      'an infinite number',
      { a: [1, -Infinity] },
      '-Infinity (at a[1]), which does not survive a round as it is. Return a finite number, or null.',
    ],
    [
      'a Date',
      { when: new Date() },
      'a Date (at when), which does not survive a round as it is. Return date.toISOString().',
    ],
    [
      'a Map',
      new Map(),
      'a Map, which does not survive a round as it is. Return [...map], and new Map(entries) after the step.',
    ],
    ['a Set', [new Set()], 'a Set (at [0]), which does not survive a round as it is. Return [...set].'],
    [
      'a Buffer',
      Buffer.from('a'),
      'bytes, which does not survive a round as it is. Return a text of them, such as buffer.toString("base64").',
    ],
    [
      'a promise',
      { a: Promise.resolve() },
      'a promise (at a), which does not survive a round as it is. Return what it resolves to: await it.',
    ],
    [
      'a class',
      { order: new Order('A') },
      'an instance of Order (at order), which does not survive a round as it is. Return a plain object with the members that you need, as in ({ id, total }) => ({ id, total }).',
    ],
    [
      'a hole in an array',
      new Array<number>(1),
      'undefined in an array (at [0]), which does not survive a round as it is. Return null.',
    ],
    [
      'a toJSON of its own',
      { toJSON: () => 1 },
      'a function (at toJSON), which does not survive a round as it is. Return the data that you need of it.',
    ],
  ])('%s', (_what, value, message) => {
    expect(refusalOf(value)).toBe(`ctx.step("load") gave ${message}`);
  });

  it('a cycle, without exhausting the stack', () => {
    expect(refusalOf(circle)).toContain('gave a cycle, or a very deep structure (at again.circle.again');
  });

  it('an object that hides its class', () => {
    expect(refusalOf(Object.create({ inherited: 1 }))).toContain('an instance of Object');
    expect(refusalOf(Object.create({ constructor: 'none' }))).toContain('an instance of a class');
  });

  it('without quoting a member name that may be data, or any value', () => {
    const message = refusalOf({ 'hunter2 is the password': { secret: new Date() }, text: 'hunter3' });
    expect(message).toContain('(at […].secret)');
    expect(message).not.toContain('hunter');
  });
});
