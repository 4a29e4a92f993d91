import { publish } from '../events.js';
import type { ErrorInfo, ResolvedOptions } from '../options.js';

/** Tells the operator of a fault of the server: the event carries code and class, `onError` the error itself. */
export function report(onError: ResolvedOptions['onError'], error: unknown, info: ErrorInfo): void {
  publish('mrtr:error', () => {
    const errorClass = classOf(error);
    return { ...info, ...(errorClass !== undefined && { errorClass }) };
  });
  try {
    onError?.(error, info);
  } catch {
    // A reporter that fails must not take the reply with it.
  }
}

/** By the prototype, since an own member of an error that is called `constructor` may hold anything. */
function classOf(error: unknown): string | undefined {
  if (!(error instanceof Error)) return undefined;
  const made: unknown = (Object.getPrototypeOf(error) as { constructor?: unknown } | null)?.constructor;
  return typeof made === 'function' && typeof (made.name as unknown) === 'string' ? made.name : undefined;
}
