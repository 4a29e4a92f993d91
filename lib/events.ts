import { channel, type Channel } from 'node:diagnostics_channel';
import type { MrtrErrorCode } from './errors.js';

/** A question as events name it: never its text, never its answer. */
export interface QuestionEvent {
  readonly key: string;
  readonly kind: string;
  /** The first 128 bits of the SHA-256 of the question as the person sees it, base64url. */
  readonly fingerprint: string;
}

/** What all events of one request share. */
export interface EventBase {
  readonly method: string;
  /** The name of the tool, prompt, resource or template. */
  readonly target: string;
  /** The flow that the request belongs to; absent while no state could be opened. */
  readonly flowId?: string;
  /** The execution of this flow's handler, 1-based; absent while no state could be opened. */
  readonly round?: number;
}

/** `mrtr:round`: a round was answered. */
export interface RoundEvent extends EventBase {
  readonly flowId: string;
  readonly round: number;
  /** `repeated`: single use answered with the recorded result, the handler did not run. */
  readonly outcome: 'complete' | 'input_required' | 'failed' | 'repeated';
  /** Milliseconds from the request's arrival at this package to its reply. */
  readonly durationMs: number;
  /** Milliseconds since the last round's state was sealed: how long the client took to answer. */
  readonly answerMs?: number;
  /** Bytes of the state sealed in this round. */
  readonly stateBytes?: number;
  /** Usable answers that this round brought. */
  readonly answered: number;
  /** The questions that this round opened. */
  readonly questions: readonly QuestionEvent[];
}

/** `mrtr:refused`: a request was refused for what the client sent or cannot do. */
export interface RefusedEvent extends EventBase {
  readonly reason: MrtrErrorCode;
  /** Of `ERR_MRTR_LEDGER_MISMATCH`: the key of the question that the ledger holds. */
  readonly expected?: string;
  /** Of `ERR_MRTR_LEDGER_MISMATCH`: the key or kind of the question that the handler reached. */
  readonly actual?: string;
}

/** `mrtr:warning`: the reply is right, but the handler or the set-up invites trouble. */
export interface WarningEvent extends EventBase {
  readonly warning: 'swallowed_signal' | 'slow_unwind' | 'unconsumed_answer' | 'changed_question' | 'nondeterminism';
  readonly questions: readonly QuestionEvent[];
  /** What to do about it. */
  readonly advice: string;
}

/** `mrtr:error`: a fault of the server. The error itself goes to the `onError` option only. */
export interface ErrorEvent extends EventBase {
  readonly code: MrtrErrorCode;
  /** The class of the error that caused it, such as `TypeError`. */
  readonly errorClass?: string;
}

/** The names of the channels of `node:diagnostics_channel`, and what each carries. */
export interface MrtrEvents {
  'mrtr:round': RoundEvent;
  'mrtr:refused': RefusedEvent;
  'mrtr:warning': WarningEvent;
  'mrtr:error': ErrorEvent;
}

const channels: { readonly [Name in keyof MrtrEvents]: Channel } = {
  'mrtr:round': channel('mrtr:round'),
  'mrtr:refused': channel('mrtr:refused'),
  'mrtr:warning': channel('mrtr:warning'),
  'mrtr:error': channel('mrtr:error'),
};

/** Publishes an event; its payload is built only if somebody listens. */
export function publish<Name extends keyof MrtrEvents>(name: Name, payload: () => MrtrEvents[Name]): void {
  const target = channels[name];
  if (target.hasSubscribers) target.publish(payload());
}
