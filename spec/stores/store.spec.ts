import { MemoryReplayStore } from '../../lib/stores/memory.js';
import { isReplayStore } from '../../lib/stores/store.js';

describe('isReplayStore', () => {
  const method = (): void => {};

  it('takes what has the three methods, of its own or from a class', () => {
    expect(isReplayStore(new MemoryReplayStore())).toBe(true);
    expect(isReplayStore({ claim: method, settle: method, release: method })).toBe(true);
  });

  it.each<[string, unknown]>([
    ['undefined', undefined],
    ['null', null],
    ['a text', 'memory'],
    ['the class in place of an instance', MemoryReplayStore],
    ['a Map', new Map()],
    ['a store without claim', { settle: method, release: method }],
    ['a store without settle', { claim: method, release: method }],
    ['a store without release', { claim: method, settle: method }],
    ['a store with a method that is none', { claim: method, settle: method, release: true }],
  ])('refuses %s', (_what, value) => {
    expect(isReplayStore(value)).toBe(false);
  });
});
