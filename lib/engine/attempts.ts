import { roundOver } from './faults.js';
import { attempted, type MaybePromise } from './maybe.js';

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
  run<T>(call: () => MaybePromise<T>): Promise<T> {
    if (this.#rejected >= MAX_REJECTIONS) {
      this.#input.exhausted();
      // A promise of its own for each call: one shared by all would hold on to every handler that ever waited for it.
      return new Promise<never>(() => undefined);
    }
    const given = attempted(() => {
      if (this.#input.over()) throw roundOver();
      return call();
    });
    // What is there already cannot be rejected any more.
    if (!(given instanceof Promise)) return Promise.resolve(given);
    given.catch(() => {
      this.#rejected += 1;
    });
    return given;
  }
}
