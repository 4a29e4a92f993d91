import type { Timers } from '../engine/timers.js';

/** The time that a handler may take by itself: it stands still while a question is open, and begins anew after it. */
export class HandlerTime {
  readonly #ms: number;
  readonly #timers: Timers;
  readonly #expired: () => void;
  #open = 0;
  #running = false;
  #cancel: (() => void) | undefined;

  /** @param ms - 0 is without limit. */
  constructor(ms: number, timers: Timers, expired: () => void) {
    this.#ms = ms;
    this.#timers = timers;
    this.#expired = expired;
  }

  start(): void {
    this.#running = true;
    this.#begin();
  }

  stop(): void {
    this.#running = false;
    this.#cancel?.();
  }

  /** Waits for what is not the handler's to hurry. */
  async pausedFor<R>(work: () => Promise<R>): Promise<R> {
    this.#open += 1;
    this.#cancel?.();
    try {
      return await work();
    } finally {
      this.#open -= 1;
      this.#begin();
    }
  }

  #begin(): void {
    if (this.#running && this.#ms > 0 && this.#open === 0) this.#cancel = this.#timers.after(this.#ms, this.#expired);
  }
}
