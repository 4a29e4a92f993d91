/** What may be there already. Waiting for what is there costs more than the rest of an answered question. */
export type MaybePromise<T> = T | Promise<T>;

/** Whether there is something to wait for: a promise of whatever making. */
export function isPending<T>(value: T | PromiseLike<T>): value is PromiseLike<T> {
  return typeof (value as { then?: unknown } | null | undefined)?.then === 'function';
}

/** What a call gives; a promise that is rejected with what it throws. */
export function attempted<T>(call: () => MaybePromise<T>): MaybePromise<T> {
  try {
    return call();
  } catch (error) {
    return new Promise<never>(() => {
      throw error;
    });
  }
}

/** Does something with a value, now or once it is there. */
export function once<T, R>(value: MaybePromise<T>, use: (value: T) => MaybePromise<R>): MaybePromise<R> {
  return value instanceof Promise ? value.then(use) : use(value);
}
