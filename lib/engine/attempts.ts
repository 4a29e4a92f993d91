import { roundOver } from './faults.js';

const MAX_REJECTIONS = 64;

export interface AttemptsInput {
  /** Whether the handler has settled or its client is gone, so that calls of `ctx` reject. */
  readonly over: () => boolean;
  /** Told of each call beyond the limit: the execution has to end by itself. */
  readonly exhausted: () => void;
}

/**
 * The calls of `ctx` of one execution: once it is over they reject, and after 64 rejections they never settle, so that no
 * handler can spin by asking.
 */
export class Attempts {
  readonly #input: AttemptsInput;
  #rejected = 0;

  constructor(input: AttemptsInput) {
    this.#input = input;
  }

  /** Makes one call. The promise never causes an unhandled rejection by itself. */
  run<T>(call: () => Promise<T>): Promise<T> {
    if (this.#rejected >= MAX_REJECTIONS) {
      this.#input.exhausted();
      // A promise of its own for each call: one shared by all would hold on to every handler that ever waited for it.
      return new Promise<never>(() => undefined);
    }
    const promise = new Promise<T>((resolve) => {
      if (this.#input.over()) throw roundOver();
      resolve(call());
    });
    promise.catch(() => {
      this.#rejected += 1;
    });
    return promise;
  }
}
