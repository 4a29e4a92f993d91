import { nestsWithin } from '../../lib/protocol/depth.js';

const arrays = (depth: number): unknown => JSON.parse('['.repeat(depth) + ']'.repeat(depth));

describe('the depth of a JSON value', () => {
  it('counts arrays and objects, each on its deepest path', () => {
    expect([7, 'x', null].every((value) => nestsWithin(value, 0))).toBe(true);
    expect([{}, []].some((value) => nestsWithin(value, 0))).toBe(false);
    expect(nestsWithin({ a: [1, { b: {} }], c: 1 }, 4)).toBe(true);
    expect(nestsWithin({ a: [1, { b: {} }], c: 1 }, 3)).toBe(false);
    expect(nestsWithin(JSON.parse('{"__proto__":{"a":{}}}'), 2)).toBe(false);
  });

  it('looks no deeper than it must, so that no value exhausts the stack', () => {
    expect(nestsWithin(arrays(256), 256)).toBe(true);
    expect(nestsWithin(arrays(1_000_000), 256)).toBe(false);
  });
});
