import { field, form } from '../elicitation/form.js';
import type { CapabilityName } from '../protocol/capabilities.js';
import type { ClientCapabilities, CreateMessageResult, Implementation, LoggingLevel, Root } from '../protocol/wire.js';
import {
  elicitQuestion,
  rootsQuestion,
  sampleQuestion,
  urlQuestion,
  type ElicitOptions,
  type ElicitResult,
  type ElicitUrlOptions,
  type QuestionOptions,
  type SampleOptions,
  type UrlElicitResult,
} from './ask.js';
import type { Question } from './question.js';

/** The client of this request, as it described itself. */
export interface ClientView {
  /** Name and version, self-reported: for display, never for decisions. */
  readonly info: Implementation | undefined;
  readonly capabilities: ClientCapabilities;
  /** Whether the client declared a capability on this request, as in `supports('elicitation.form')`. */
  supports(capability: CapabilityName): boolean;
}

/** What a handler can ask and say. Every method works destructured: `async (args, { elicit, log }) => …`. */
export interface Asking {
  /**
   * Asks a person to fill in a form. The first time, the handler ends here and the client is asked; once answered, the
   * handler runs again from the top and this call returns the recorded answer.
   *
   * Rejects with `ERR_MRTR_QUESTION` or `ERR_MRTR_SCHEMA` when the question cannot be put on the wire, with
   * `ERR_MRTR_DUPLICATE_KEY` or `ERR_MRTR_DUPLICATE_QUESTION` when it cannot be told apart from another, with
   * `ERR_MRTR_ROUND_OVER` when the handler has already settled (MCP 2026-07-28, Elicitation).
   *
   * For a client of MCP 2025-11-25 or 2025-06-18 the handler runs once and waits here: then it may also reject with
   * `ElicitationTimeoutError`, and with `ERR_MRTR_CLIENT` when the client answers with an error.
   *
   * @example
   * ```ts
   * const answer = await ctx.elicit({ message: 'Which size?', form: form({ size: field.choice(['S', 'M', 'L']) }) });
   * if (answer.action !== 'accept') return 'Nothing was ordered.';
   * ```
   */
  elicit<T>(this: void, options: ElicitOptions<T>): Promise<ElicitResult<T>>;
  /**
   * Asks a person to open a page. `accept` means that they agreed to, not that they are done there: with `until` it is
   * recorded only once that holds (MCP 2026-07-28, Elicitation, URL Mode).
   *
   * @example
   * ```ts
   * const { action } = await ctx.elicitUrl({
   *   message: 'Link your bank account.',
   *   url: 'https://shop.example/link',
   *   until: () => accounts.isLinked(ctx.principal),
   * });
   * ```
   */
  elicitUrl(this: void, options: ElicitUrlOptions): Promise<UrlElicitResult>;
  /**
   * Asks a yes-or-no question; `true` only when the person accepted and ticked yes.
   *
   * @example
   * ```ts
   * if (!(await ctx.confirm('Delete 3 files?'))) return 'Nothing was deleted.';
   * ```
   */
  confirm(this: void, message: string, options?: QuestionOptions): Promise<boolean>;
  /**
   * Asks the client's model for a message. For a client of an earlier revision it may reject with `SamplingTimeoutError`.
   * @deprecated Sampling is in the deprecated features registry of MCP 2026-07-28; call a model of your own instead.
   */
  sample(this: void, options: SampleOptions): Promise<CreateMessageResult>;
  /**
   * Asks the client for its workspace roots.
   * @deprecated Roots are in the deprecated features registry of MCP 2026-07-28; take locations as arguments instead.
   */
  listRoots(this: void, options?: QuestionOptions): Promise<Root[]>;
}

/**
 * What puts a handler's questions to the client.
 * @internal
 */
export interface Asker {
  ask<T>(question: () => Question<T>): Promise<T>;
}

const CONFIRMATION = form({ confirm: field.boolean({ title: 'Yes' }) });

/**
 * The asking half of a handler's context, on one execution.
 * @internal
 */
export function asking(round: Asker): Asking {
  return {
    elicit: (options) => round.ask(() => elicitQuestion(options)),
    elicitUrl: (options) => round.ask(() => urlQuestion(options)),
    confirm(message, options) {
      const answer = round.ask(() => elicitQuestion({ ...options, message, form: CONFIRMATION }, 'ctx.confirm'));
      const confirmed = answer.then((given) => given.action === 'accept' && given.content.confirm);
      confirmed.catch(() => undefined);
      return confirmed;
    },
    /* eslint-disable @typescript-eslint/no-deprecated -- whoever calls them is told; the engine goes on serving them */
    sample: (options) => round.ask(() => sampleQuestion(options)),
    listRoots: (options) => round.ask(() => rootsQuestion(options)),
    /* eslint-enable @typescript-eslint/no-deprecated */
  };
}

/** What a handler can tell the client while it works. */
export interface Telling {
  /**
   * Reports progress, if the request carries a progress token; a value that is not above the last one is left out
   * (MCP 2026-07-28, Progress).
   */
  progress(this: void, value: number, total?: number, message?: string): void;
  /**
   * Sends a log message, if the request asked for this level (MCP 2026-07-28, Logging). `data` is any JSON value.
   */
  log(this: void, level: LoggingLevel, data: unknown): void;
}
