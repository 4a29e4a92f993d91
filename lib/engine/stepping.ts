import { kindOf } from '../elicitation/property.js';
import { MrtrTypeError } from '../errors.js';
import { keyedDigestOf } from './fingerprint.js';

/** How a handler does something once, although it runs in every round. Both methods work destructured. */
export interface Stepping {
  /**
   * Runs `fn` once in a flow: its result is sealed, and later rounds get it back, on any node, without running `fn`.
   * Steps are told apart by name and, within a name, by the order of their calls, so loops can use one name; branches
   * under `Promise.all` need a name each. A step that throws is not recorded and runs again. Once a question is open,
   * or the round has a fault, no step starts.
   *
   * The result must be JSON data of at most what `maxStateBytes` has room for, or `undefined`; the caller gets a copy.
   * Until the client has the reply of the round in which a step ran, the step may run again, as when a node dies or a
   * request is repeated: at least once, not exactly once.
   *
   * Rejects with what `fn` throws, or with `ERR_MRTR_STEP` for a result that is no JSON data and for a step that is
   * started while it is running.
   *
   * @example
   * ```ts
   * const order = await ctx.step('load', () => orders.get(orderId));
   * ```
   */
  step<T>(this: void, name: string, fn: () => T | Promise<T>): Promise<T>;
  /**
   * A key for the idempotency of another system: the same for a label in all rounds of a flow, on every node and across
   * a rotation of the keys; another one for another label or flow. 43 characters of base64url that a client cannot guess.
   *
   * Throws `ERR_MRTR_STEP` when the label is no text or empty.
   *
   * @example
   * ```ts
   * await payments.refund(orderId, { idempotencyKey: ctx.idempotencyKey('refund') });
   * ```
   */
  idempotencyKey(this: void, label: string): string;
}

/**
 * What runs a handler's steps.
 * @internal
 */
export interface Stepper {
  step(name: string, fn: () => unknown): Promise<unknown>;
}

/**
 * The stepping half of a handler's context, on one execution.
 *
 * @param secret - of the flow: sealed in its state, so the client never sees it
 * @internal
 */
export function stepping(round: Stepper, secret: string): Stepping {
  return {
    step: <T>(name: string, fn: () => T | Promise<T>) => round.step(name, fn) as Promise<T>,
    idempotencyKey(label) {
      if (typeof label === 'string' && label !== '') return keyedDigestOf(secret, label);
      throw new MrtrTypeError(
        'ERR_MRTR_STEP',
        `ctx.idempotencyKey needs a label that says what for, as in ctx.idempotencyKey("refund"); got ${kindOf(label)}.`,
      );
    },
  };
}
