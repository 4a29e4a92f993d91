import { pooledRandom } from '../../lib/seal/random.js';

describe('pooledRandom', () => {
  it('never repeats a nonce in 100,000 draws', () => {
    const seen = new Set<string>();
    for (let i = 0; i < 100_000; i++) seen.add(pooledRandom(24).toString('latin1'));
    expect(seen.size).toBe(100_000);
  });

  it.each([0, 1, 16, 24, 4095, 4096, 4097, 10_000])('gives %i bytes when asked for so many', (size) => {
    expect(pooledRandom(size)).toHaveLength(size);
  });

  it('hands out bytes that are random to the last one, whatever sizes are drawn', () => {
    // Twelve zero bytes in a row come from the generator once in 2^96 draws, and from an erased region at once.
    for (let size = 12; size < 5000; size += 7) {
      const bytes = pooledRandom(size);
      expect(bytes.includes(Buffer.alloc(12))).toBe(false);
    }
  });

  it('lets every byte of a draw take every value', () => {
    const draws = Array.from({ length: 10_000 }, () => pooledRandom(24));
    for (let at = 0; at < 24; at++) {
      expect(new Set(draws.map((bytes) => bytes.readUInt8(at))).size).toBe(256);
    }
  });

  it('never hands out overlapping windows of one pool', () => {
    const seen = new Set<string>();
    let windows = 0;
    for (let i = 0; i < 2000; i++) {
      const bytes = pooledRandom(13 + (i % 40));
      for (let at = 0; at + 8 <= bytes.length; at++, windows++) seen.add(bytes.toString('latin1', at, at + 8));
    }
    expect(seen.size).toBe(windows);
  });

  it('hands out copies, so that what a caller writes reaches no other draw', () => {
    const first = pooledRandom(24);
    const before = first.toString('hex');
    const next = pooledRandom(24);
    next.fill(0);
    expect(first.toString('hex')).toBe(before);
    first.fill(0);
    expect(pooledRandom(24).equals(Buffer.alloc(24))).toBe(false);
  });
});
