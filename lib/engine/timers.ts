/** The little of a clock that the engine needs: both members can be replaced in tests. */
export interface Timers {
  /** Runs `task` once the current turn of the event loop, microtasks included, is over. */
  endOfTurn(task: () => void): void;
  /** Runs `task` after `ms` milliseconds; the returned function calls it off. Never keeps a process alive. */
  after(ms: number, task: () => void): () => void;
}

// Captured once, so that a test runner's fake timers in an application's tests cannot stop a round half way.
const { setImmediate, setTimeout, clearTimeout } = globalThis;

/** A longer one would run out at once. */
const LONGEST_TIMER_MS = 2 ** 31 - 1;

export const systemTimers: Timers = {
  endOfTurn: (task) => void setImmediate(task),
  after(ms, task) {
    const timer = setTimeout(task, Math.min(ms, LONGEST_TIMER_MS));
    timer.unref();
    return () => clearTimeout(timer);
  },
};
