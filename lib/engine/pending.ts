import type { Timers } from './timers.js';

/** Work that a round may have to wait for after its handler settled: answers being validated, or steps that run. */
export class Pending {
  readonly #timers: Timers;
  #count = 0;
  #idle: (() => void) | undefined;

  constructor(timers: Timers) {
    this.#timers = timers;
  }

  get any(): boolean {
    return this.#count > 0;
  }

  async track<V>(work: Promise<V>): Promise<V> {
    this.#count += 1;
    try {
      return await work;
    } finally {
      this.#count -= 1;
      if (this.#count === 0) this.#idle?.();
    }
  }

  /** Resolves once nothing is under way. */
  done(): Promise<void> {
    return new Promise((resolve) => {
      // A turn later, so that what the last piece of work leads to (a question, another step) comes first.
      this.#idle = () =>
        this.#timers.endOfTurn(() => {
          if (this.#count === 0) resolve();
        });
    });
  }
}
