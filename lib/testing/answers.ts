import type { CreateMessageResult, InputRequest, Root } from '../protocol/wire.js';

const LEAVE = Symbol.for('express-mrtr.leave');

/** What {@link leave} makes: no answer in this round. */
export interface Left {
  readonly [LEAVE]: true;
}

/** An answer of the person to an elicitation. */
export interface ElicitAnswer {
  readonly action: 'accept' | 'decline' | 'cancel';
  readonly content?: Readonly<Record<string, unknown>>;
}

/**
 * What a question is answered with: made by {@link accept}, {@link decline}, {@link cancel} or {@link leave}, or any other
 * object, which is sent as it is: the model's message, the roots, or something that no client should send.
 */
export type Answer =
  ElicitAnswer | CreateMessageResult | { readonly roots: readonly Root[] } | Left | Readonly<Record<string, unknown>>;

/** Where a question was asked. */
export interface AskedAt {
  readonly key: string;
  /** Which request of the flow its reply asked it in; 1 is the first. */
  readonly round: number;
}

type MaybePromise<T> = T | Promise<T>;

/** The answers to one key: the same whenever it is asked, one for each asking in turn, or computed from the question. */
export type ScriptedAnswer =
  Answer | readonly Answer[] | ((request: InputRequest, at: AskedAt) => MaybePromise<Answer | undefined>);

/** The answers of a flow by key, or one function that answers every question. */
export type Answers =
  | Readonly<Record<string, ScriptedAnswer>>
  | ((key: string, request: InputRequest, round: number) => MaybePromise<Answer | undefined>);

/**
 * The person accepts.
 *
 * @param content - what the form was filled in with. It is not checked here, so that a test can send what does not fit.
 *   Leave it out for a URL, which carries none.
 * @example
 * ```ts
 * await client.callTool('refund', { orderId: 'A-1' }, { answers: { confirm: accept({ reason: 'Broken.' }) } });
 * ```
 */
export function accept(content?: Readonly<Record<string, unknown>>): ElicitAnswer {
  return content === undefined ? { action: 'accept' } : { action: 'accept', content };
}

/**
 * The person says no.
 *
 * @example
 * ```ts
 * await client.callTool('refund', { orderId: 'A-1' }, { answers: { confirm: decline() } });
 * ```
 */
export function decline(): ElicitAnswer {
  return { action: 'decline' };
}

/**
 * The person closes the question without a choice.
 *
 * @example
 * ```ts
 * await client.callTool('refund', { orderId: 'A-1' }, { answers: { confirm: cancel() } });
 * ```
 */
export function cancel(): ElicitAnswer {
  return { action: 'cancel' };
}

/**
 * The next request carries no answer to this question, so that it is asked again: for tests of partial answers.
 *
 * @example
 * ```ts
 * const answers = { address: [leave(), accept({ city: 'Bern' })], delivery: accept({ speed: 'express' }) };
 * const { asked } = await client.callTool('checkout', { item: 'lamp' }, { answers });
 * // ['address', 'delivery', 'address']
 * ```
 */
export function leave(): Left {
  return { [LEAVE]: true };
}

/** Whether an answer is none. */
export function isLeft(answer: Answer): answer is Left {
  return LEAVE in answer;
}
