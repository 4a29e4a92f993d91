/** A clock that moves only when it is told to. All members work destructured. */
export interface FakeClock {
  /** Milliseconds of the epoch. */
  now(this: void): number;
  /**
   * Moves on, and runs what is due on the way, each at its time and in the order of times.
   *
   * @throws RangeError for what is no number of milliseconds from 0 upward.
   */
  advance(this: void, ms: number): void;
  /** Runs `task` once `ms` milliseconds have passed; the returned function calls it off. */
  after(this: void, ms: number, task: () => void): () => void;
}

interface Due {
  readonly at: number;
  readonly task: () => void;
}

/**
 * Makes a clock for {@link testMrtr}, for stores that take `now`, and for the contract of such stores. `Date` goes on as ever:
 * a handler sees this clock only if it is given it.
 *
 * @param startMs - milliseconds of the epoch. Default 28 July 2026, 0:00 UTC.
 * @example
 * ```ts
 * const clock = fakeClock();
 * const client = testClient(testMrtr({ tools: [refund], ttlSeconds: 300 }, { clock }), { user });
 * const asked = await client.request('tools/call', { name: 'refund' });
 * clock.advance(300_001); // the state has expired
 * ```
 */
export function fakeClock(startMs: number = Date.UTC(2026, 6, 28)): FakeClock {
  let now = startMs;
  let due: readonly Due[] = [];
  const next = (until: number): Due | undefined =>
    due.filter(({ at }) => at <= until).reduce<Due | undefined>((first, each) => earlier(first, each), undefined);
  return {
    now: () => now,
    after(ms, task) {
      const entry = { at: now + ms, task };
      due = [...due, entry];
      return () => void (due = due.filter((each) => each !== entry));
    },
    advance(ms) {
      if (typeof ms !== 'number' || !Number.isFinite(ms) || ms < 0) {
        throw new RangeError(`advance() takes milliseconds, 0 or more; got ${String(ms)}. A clock does not go back.`);
      }
      const until = now + ms;
      for (let entry = next(until); entry !== undefined; entry = next(until)) {
        const { at, task } = entry;
        due = due.filter((each) => each !== entry);
        now = Math.max(now, at);
        task();
      }
      now = until;
    },
  };
}

/** Of two that are due at the same time, the one that was set first. */
function earlier(first: Due | undefined, second: Due): Due {
  return first === undefined || second.at < first.at ? second : first;
}
