import fc from 'fast-check';
import { codeOf, MrtrError, MrtrRangeError, MrtrTypeError } from '../../lib/errors.js';
import { MemoryReplayStore, type MemoryReplayStoreOptions } from '../../lib/stores/memory.js';
import { replayStoreContract } from '../../lib/testing/replay-store-contract.js';
import { Clock } from '../support/clock.js';
import { agree, histories } from '../support/store-model.js';

function thrown(work: () => unknown): unknown {
  try {
    work();
  } catch (error) {
    return error;
  }
  throw new Error('nothing was thrown');
}

describe('MemoryReplayStore', () => {
  const clock = new Clock();
  const make = (maxEntries?: number): MemoryReplayStore =>
    new MemoryReplayStore({ now: clock.now, ...(maxEntries !== undefined && { maxEntries }) });
  const soon = (ms = 5000): number => clock.now() + ms;

  describe('fulfils the contract: it', () => {
    for (const { title, run } of replayStoreContract(make, { now: clock.now, advance: clock.advance })) it(title, run);
  });

  it('agrees with the model, whatever happens', async () => {
    const steps = histories(1, [0, 10, 1000, 20_000], [1, 9, 990, 5000]);
    await fc.assert(
      fc.asyncProperty(steps, async (history) => {
        const store = make();
        const world = { stores: [store], lifetimeMs: 5000, now: clock.now, pass: clock.advance };
        const model = await agree(history, world);
        expect(store.size).toBe(model.size);
      }),
      { numRuns: 1000 },
    );
  });

  it('C35 lets one of 20 claims through', () => {
    const store = make();
    const kinds = Array.from({ length: 20 }, () => store.claim('id', 'd', 1000, soon()).kind);
    expect(kinds).toEqual(['claimed', ...Array.from({ length: 19 }, () => 'in_flight')]);
  });

  it('holds a lease up to the millisecond at which it runs out', () => {
    const store = make();
    store.claim('id', 'd', 1000, soon());
    clock.advance(999);
    expect(store.claim('id', 'other', 1000, soon())).toEqual({ kind: 'conflict' });
    clock.advance(1);
    expect(store.claim('id', 'other', 1000, soon())).toEqual({ kind: 'claimed' });
  });

  it('keeps a claim for its lease when the state expires before', () => {
    const store = make();
    store.claim('id', 'd', 1000, soon(1));
    clock.advance(500);
    expect(store.claim('id', 'd', 1000, soon(1))).toEqual({ kind: 'in_flight' });
  });

  it('keeps a reply up to and including the millisecond of expiry', () => {
    const store = make();
    store.claim('id', 'd', 10, soon(1000));
    store.settle('id', 'reply');
    clock.advance(1000);
    expect(store.claim('id', 'd', 10, soon())).toEqual({ kind: 'done', reply: 'reply' });
    clock.advance(1);
    expect(store.size).toBe(0);
  });

  it('C119 fails closed when it is full: it throws and forgets nothing', () => {
    const store = make(2);
    store.claim('a', 'd', 1000, soon());
    store.claim('b', 'd', 1000, soon());
    store.settle('b', 'reply');
    const error = thrown(() => store.claim('c', 'd', 1000, soon()));
    expect(error).toBeInstanceOf(MrtrError);
    expect(codeOf(error)).toBe('ERR_MRTR_STORE');
    expect((error as Error).message).toBe(
      'MemoryReplayStore is full: it remembers 2 states that have not expired. ' +
        'Raise its option "maxEntries", lower "ttlSeconds" of mrtr(), or use a shared store such as RedisReplayStore.',
    );
    expect(store.claim('a', 'd', 1000, soon())).toEqual({ kind: 'in_flight' });
    expect(store.claim('b', 'd', 1000, soon())).toEqual({ kind: 'done', reply: 'reply' });
  });

  it('has room again once an entry expired or was released, to the millisecond', () => {
    const store = make(1);
    store.claim('a', 'd', 100, soon(100));
    clock.advance(100);
    expect(codeOf(thrown(() => store.claim('b', 'd', 100, soon())))).toBe('ERR_MRTR_STORE');
    clock.advance(1);
    expect(store.claim('b', 'd', 100, soon())).toEqual({ kind: 'claimed' });
    store.release('b');
    expect(store.claim('c', 'd', 100, soon())).toEqual({ kind: 'claimed' });
  });

  it('needs no room for an id whose lease ran out', () => {
    const store = make(1);
    store.claim('a', 'd', 100, soon());
    clock.advance(100);
    expect(store.claim('a', 'other', 100, soon())).toEqual({ kind: 'claimed' });
    expect(store.size).toBe(1);
  });

  it('does not grow with states that have expired, though nobody asks for its size', () => {
    const store = make(1000);
    for (let at = 0; at < 20_000; at++) {
      expect(store.claim(`id-${at}`, 'd', 10, soon(5000))).toEqual({ kind: 'claimed' });
      clock.advance(10);
    }
    expect(store.size).toBeLessThanOrEqual(501);
  });

  it('holds 10 000 states unless told otherwise', () => {
    const store = make();
    for (let at = 0; at < 10_000; at++) store.claim(`id-${at}`, 'd', 1000, soon());
    expect(store.size).toBe(10_000);
    expect(codeOf(thrown(() => store.claim('more', 'd', 1000, soon())))).toBe('ERR_MRTR_STORE');
  });

  it('C119 forgets everything with the process: a new store knows nothing of the claims of an old one', () => {
    make().claim('id', 'd', 1000, soon());
    expect(make().claim('id', 'd', 1000, soon())).toEqual({ kind: 'claimed' });
  });

  it('keeps no timer, so that a process can end', () => {
    const timer = jest.spyOn(globalThis, 'setTimeout');
    const interval = jest.spyOn(globalThis, 'setInterval');
    make().claim('id', 'd', 1000, soon());
    expect([timer, interval].flatMap((spy) => spy.mock.calls)).toEqual([]);
    timer.mockRestore();
    interval.mockRestore();
  });

  it.each([
    [Number.NaN, 1],
    [-1, 1],
    [1, Number.NaN],
    [1, Infinity],
    [Infinity, 1],
  ])('refuses the times %p and %p, which would hold nothing or for ever', (leaseMs, expiresAt) => {
    const error = thrown(() => make().claim('id', 'd', leaseMs, expiresAt));
    expect(error).toBeInstanceOf(MrtrRangeError);
    expect(codeOf(error)).toBe('ERR_MRTR_STORE');
    expect((error as Error).message).toBe(
      'claim() takes leaseMs of 0 or more and expiresAt in milliseconds of the epoch; ' +
        `got ${leaseMs} and ${expiresAt}.`,
    );
  });

  it.each<[unknown, string]>([
    [{ maxEntries: 0 }, 'MemoryReplayStore: option "maxEntries" must be a whole number of 1 or more; got 0.'],
    [{ maxEntries: 1.5 }, 'MemoryReplayStore: option "maxEntries" must be a whole number of 1 or more; got 1.5.'],
    [{ maxEntries: '9' }, 'MemoryReplayStore: option "maxEntries" must be a whole number of 1 or more; got a text.'],
    [
      { maxEntries: Infinity },
      'MemoryReplayStore: option "maxEntries" must be a whole number of 1 or more; got Infinity.',
    ],
    [{ now: 5 }, 'MemoryReplayStore: option "now" must be a function; got 5.'],
    [{ max: 5 }, 'MemoryReplayStore: option "max" is not known; it takes maxEntries, now.'],
    [5, 'MemoryReplayStore takes an object of options (maxEntries, now); got 5.'],
    [null, 'MemoryReplayStore takes an object of options (maxEntries, now); got null.'],
    [[], 'MemoryReplayStore takes an object of options (maxEntries, now); got an array.'],
  ])('refuses the options %j', (options, message) => {
    const error = thrown(() => new MemoryReplayStore(options as MemoryReplayStoreOptions));
    expect(error instanceof MrtrTypeError || error instanceof MrtrRangeError).toBe(true);
    expect([codeOf(error), (error as Error).message]).toEqual(['ERR_MRTR_OPTION', message]);
  });
});
