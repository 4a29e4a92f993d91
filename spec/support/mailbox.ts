import type { Clock } from '../../lib/seal/deadline.js';

/** A clock whose timers run when it is moved on, and which tells how many are left. */
export class ManualClock implements Clock {
  readonly #timers = new Map<object, { readonly at: number; readonly task: () => void }>();
  #at = 0;

  /** Timers that have neither run nor been called off. */
  get pending(): number {
    return this.#timers.size;
  }

  readonly now = (): number => this.#at;

  readonly after = (ms: number, task: () => void): (() => void) => {
    const name = {};
    this.#timers.set(name, { at: this.#at + ms, task });
    return () => void this.#timers.delete(name);
  };

  /** Moves on timer by timer; what a timer sets off has its turn before the next. */
  readonly advance = async (ms: number): Promise<void> => {
    const end = this.#at + ms;
    for (;;) {
      const [next] = [...this.#timers].filter(([, { at }]) => at <= end).sort(([, a], [, b]) => a.at - b.at);
      if (next === undefined) break;
      const [name, { at, task }] = next;
      this.#timers.delete(name);
      this.#at = at;
      task();
      await turn();
    }
    this.#at = end;
  };
}

/** Until all that is under way has had its turn. */
export function turn(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve));
}

/** A signal that counts who listens. */
export class CountedSignal {
  readonly controller = new AbortController();
  listeners = 0;

  get signal(): AbortSignal {
    const { signal } = this.controller;
    const add = signal.addEventListener.bind(signal);
    const remove = signal.removeEventListener.bind(signal);
    signal.addEventListener = (...args: Parameters<typeof add>) => {
      this.listeners += 1;
      add(...args);
    };
    signal.removeEventListener = (...args: Parameters<typeof remove>) => {
      this.listeners -= 1;
      remove(...args);
    };
    return signal;
  }
}
