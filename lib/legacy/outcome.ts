import type { Timers } from '../engine/timers.js';
import type { MrtrErrorCode } from '../errors.js';
import type { ClientCapabilities, JsonObject } from '../protocol/wire.js';
import type { Correspondent } from './correspondent.js';

/** What one call of an earlier revision is given. */
export interface ConversationInput {
  readonly correspondent: Correspondent;
  readonly capabilities: ClientCapabilities;
  /** Unusable answers to one question that end the call. */
  readonly maxAttempts: number;
  /** Milliseconds; 0 is without limit. */
  readonly handlerTimeoutMs: number;
  readonly elicitationTimeoutMs: number;
  readonly samplingTimeoutMs: number;
  readonly timers: Timers;
  /** Milliseconds of any epoch. */
  readonly now: () => number;
  /** Whether nobody waits for the result any more. */
  readonly gone: () => boolean;
}

export type ConversationOutcome =
  | { readonly kind: 'complete'; readonly result: unknown }
  | {
      readonly kind: 'failed';
      readonly code: MrtrErrorCode;
      readonly error: unknown;
      readonly requiredCapabilities?: JsonObject;
    };
