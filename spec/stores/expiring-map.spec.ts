import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import fc from 'fast-check';
import { ExpiringMap } from '../../lib/stores/expiring-map.js';

setFlagsFromString('--expose-gc');
const collectGarbage = runInNewContext('gc') as () => void;

/** Bytes that are in use after the work and were not before. */
function growth(work: () => void): number {
  collectGarbage();
  const before = process.memoryUsage().heapUsed;
  work();
  collectGarbage();
  return process.memoryUsage().heapUsed - before;
}

describe('ExpiringMap', () => {
  it('finds an entry up to and including its last millisecond', () => {
    const map = new ExpiringMap<string>();
    map.set('a', 'value', 2000, 1000);
    expect([map.get('a', 1000), map.get('a', 2000), map.get('a', 2001)]).toEqual(['value', 'value', undefined]);
  });

  it('clears ended entries away when a later second writes', () => {
    const map = new ExpiringMap<number>();
    for (let at = 0; at < 100; at++) map.set(`k${at}`, at, 1000 + at, 0);
    expect(map.size).toBe(100);
    map.set('later', 1, 9000, 2000);
    expect(map.size).toBe(1);
  });

  it('clears away just the ended entries of the second that is running', () => {
    const map = new ExpiringMap<number>();
    map.set('a', 1, 1100, 1000);
    map.set('b', 2, 1900, 1000);
    map.sweep(1500);
    expect([map.size, map.get('b', 1500)]).toEqual([1, 2]);
  });

  it('keeps an entry that was set again for longer', () => {
    const map = new ExpiringMap<number>();
    map.set('a', 1, 1000, 0);
    map.set('a', 2, 9000, 0);
    map.sweep(5000);
    expect([map.size, map.get('a', 5000)]).toEqual([1, 2]);
  });

  it('holds nothing of what was deleted', () => {
    const map = new ExpiringMap<number>();
    map.set('a', 1, 9000, 0);
    map.delete('a');
    map.delete('a');
    expect([map.size, map.get('a', 0)]).toEqual([0, undefined]);
  });

  it.each<[string, (map: ExpiringMap<number>, at: number) => void]>([
    [
      'is deleted, though all would have ended in one second',
      (map, at) => {
        map.set(`key ${at}`, at, 9000, 0);
        map.delete(`key ${at}`);
      },
    ],
    [
      'is deleted, though each would have ended in another second',
      (map, at) => {
        map.set('key', at, at * 1000, 0);
        map.delete('key');
      },
    ],
    ['is set again, to end in another second', (map, at) => map.set('key', at, at * 1000, 0)],
    ['ends', (map, at) => map.set(`key ${at}`, at, at * 1000, at * 1000)],
  ])('stays small when what it holds %s', (_what, step) => {
    const map = new ExpiringMap<number>();
    const bytes = growth(() => {
      for (let at = 1; at <= 100_000; at++) step(map, at);
    });
    expect(bytes).toBeLessThan(2_000_000);
    expect(map.size).toBeLessThanOrEqual(2);
  });

  it('is a Map with entries filtered by their end, whatever happens to it, even when the clock is set back', () => {
    const time = fc.integer({ min: 0, max: 5000 });
    const name = fc.constantFrom('a', 'b', '__proto__');
    const step = fc.oneof(
      fc.record({ do: fc.constant('set' as const), name, until: time, now: time }),
      fc.record({ do: fc.constant('delete' as const), name }),
      fc.record({ do: fc.constant('sweep' as const), now: time }),
    );
    fc.assert(
      fc.property(fc.array(step), time, (steps, end) => {
        const map = new ExpiringMap<number>();
        const plain = new Map<string, { value: number; until: number }>();
        let latest = 0;
        for (const [value, each] of steps.entries()) {
          if (each.do === 'set') {
            map.set(each.name, value, each.until, each.now);
            plain.set(each.name, { value, until: each.until });
            latest = Math.max(latest, each.now);
          } else if (each.do === 'delete') {
            map.delete(each.name);
            plain.delete(each.name);
          } else {
            map.sweep(each.now);
            latest = Math.max(latest, each.now);
          }
        }
        const now = Math.max(latest, end);
        for (const each of ['a', 'b', '__proto__']) {
          const entry = plain.get(each);
          expect(map.get(each, now)).toBe(entry !== undefined && entry.until >= now ? entry.value : undefined);
        }
        map.sweep(now);
        expect(map.size).toBe([...plain.values()].filter(({ until }) => until >= now).length);
      }),
    );
  });
});
