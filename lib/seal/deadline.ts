/** The clock of what is cached and awaited here; replaced in tests. */
export interface Clock {
  /** Milliseconds of any epoch, never going back. */
  now(): number;
  /** Runs `task` after `ms` milliseconds; the returned function calls it off. Never keeps a process alive. */
  after(ms: number, task: () => void): () => void;
}

// Captured once, so that a test runner's fake timers in an application's tests do not take the time-out away.
const { setTimeout, clearTimeout, performance } = globalThis;
const LONGEST_TIMER_MS = 2 ** 31 - 1;

export const systemClock: Clock = {
  now: () => performance.now(),
  after(ms, task) {
    const timer = setTimeout(task, Math.min(ms, LONGEST_TIMER_MS));
    timer.unref();
    return () => clearTimeout(timer);
  },
};

/**
 * What `work` gives or throws, or the error of `late` when that takes longer than `ms`. Then the signal aborts, and whatever
 * the work still comes to is ignored.
 */
export function within<T>(
  ms: number,
  clock: Clock,
  work: (signal: AbortSignal) => T | Promise<T>,
  late: () => Error,
): Promise<T> {
  const controller = new AbortController();
  return new Promise<T>((resolve, reject) => {
    const cancel = clock.after(ms, () => {
      const error = late();
      reject(error);
      controller.abort(error);
    });
    const working = new Promise<T>((settle) => settle(work(controller.signal)));
    void working.then(resolve, reject).finally(cancel);
  });
}
