import { publish } from '../events.js';
import type { ErrorInfo, ResolvedOptions } from '../options.js';

/** Tells the operator of a fault of the server: the event carries code and class, `onError` the error itself. */
export function report(onError: ResolvedOptions['onError'], error: unknown, info: ErrorInfo): void {
  publish('mrtr:error', () => {
    const errorClass = classOf(error);
    return { ...info, ...(errorClass !== undefined && { errorClass }) };
  });
  try {
    // A reporter that fails, at once or later, must not take the reply or the process with it.
    const reported: unknown = onError?.(error, info);
    if (reported instanceof Promise) reported.catch(() => undefined);
  } catch {
    return;
  }
}

/** By the prototype, since an own member of an error that is called `constructor` may hold anything. */
function classOf(error: unknown): string | undefined {
  if (!(error instanceof Error)) return undefined;
  const made: unknown = (Object.getPrototypeOf(error) as { constructor?: unknown } | null)?.constructor;
  return typeof made === 'function' && typeof (made.name as unknown) === 'string' ? made.name : undefined;
}
