import { isObject } from '../protocol/wire.js';

const ACTIONS = ['accept', 'decline', 'cancel'] as const;

/** What a person can do with an elicitation. */
export type Action = (typeof ACTIONS)[number];

/** The action of an incoming answer, if it has one. */
export function actionOf(answer: unknown): Action | undefined {
  const action = ownValue(answer, 'action');
  return isAction(action) ? action : undefined;
}

export function isAction(value: unknown): value is Action {
  return ACTIONS.includes(value as Action);
}

/** An own member of an answer; what a prototype lends was not sent. */
export function ownValue(value: unknown, name: string): unknown {
  return isObject(value) && Object.hasOwn(value, name) ? value[name] : undefined;
}

export function unusable(reason: string): { readonly ok: false; readonly reason: string } {
  return { ok: false, reason };
}
