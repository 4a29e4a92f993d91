import type { MrtrErrorCode } from '../errors.js';
import type { ClientCapabilities, InputRequest, JsonObject } from '../protocol/wire.js';
import type { Ledger } from './ledger.js';
import type { SlotsInput } from './slots.js';
import type { Timers } from './timers.js';

/** What one round is given. */
export interface RoundInput extends SlotsInput {
  readonly ledger: Ledger;
  readonly capabilities: ClientCapabilities;
  /** Unusable answers to one question that end the flow. */
  readonly maxAttempts: number;
  /** Milliseconds; 0 is without limit. */
  readonly handlerTimeoutMs: number;
  /** Whether steps that are not recorded stay undone, in an execution whose outcome is only looked at. */
  readonly recordedStepsOnly?: boolean;
  readonly timers: Timers;
  /** Whether nobody waits for the outcome any more, so that later asks reject quietly. */
  readonly gone: () => boolean;
}

/** A question as events may name it: never its text, never its answer. */
export interface QuestionName {
  readonly key: string;
  readonly kind: string;
  readonly fingerprint: string;
}

export interface RoundWarning {
  readonly kind: 'swallowed_signal' | 'slow_unwind' | 'unconsumed_answer' | 'changed_question' | 'nondeterminism';
  readonly questions: readonly QuestionName[];
}

export type RoundOutcome =
  | {
      readonly kind: 'complete';
      readonly result: unknown;
      readonly answered: number;
      readonly warnings: readonly RoundWarning[];
    }
  | {
      readonly kind: 'input_required';
      readonly requests: ReadonlyMap<string, InputRequest>;
      readonly ledger: Ledger;
      /** Usable answers that this round brought. */
      readonly answered: number;
      readonly warnings: readonly RoundWarning[];
    }
  | {
      readonly kind: 'failed';
      readonly code: MrtrErrorCode;
      readonly error: unknown;
      readonly requiredCapabilities?: JsonObject;
    };
