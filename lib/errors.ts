/**
 * Every code that an error of this package can carry. The set is closed: a switch over it can be exhaustive.
 *
 * Codes that begin with `ERR_MRTR_STATE_` name why a `requestState` was refused. They reach the operator
 * (events, `error.code`), never the wire, where all of them are one message.
 */
export type MrtrErrorCode =
  | 'ERR_MRTR_OPTION'
  | 'ERR_MRTR_DEFINITION'
  | 'ERR_MRTR_SCHEMA'
  | 'ERR_MRTR_QUESTION'
  | 'ERR_MRTR_STEP'
  | 'ERR_MRTR_DUPLICATE_KEY'
  | 'ERR_MRTR_DUPLICATE_QUESTION'
  | 'ERR_MRTR_ROUND_OVER'
  | 'ERR_MRTR_LEDGER_MISMATCH'
  | 'ERR_MRTR_TOO_MANY_REJECTIONS'
  | 'ERR_MRTR_ATTEMPTS'
  | 'ERR_MRTR_CAPABILITY'
  | 'ERR_MRTR_PRINCIPAL'
  | 'ERR_MRTR_UNAUTHENTICATED'
  | 'ERR_MRTR_HANDLER'
  | 'ERR_MRTR_HANDLER_TIMEOUT'
  | 'ERR_MRTR_RESULT'
  | 'ERR_MRTR_OUTPUT_SCHEMA'
  | 'ERR_MRTR_TOOL'
  | 'ERR_MRTR_RESOURCE_NOT_FOUND'
  | 'ERR_MRTR_CODEC'
  | 'ERR_MRTR_KEYS'
  | 'ERR_MRTR_STORE'
  | 'ERR_MRTR_MAILBOX'
  | 'ERR_MRTR_SESSION'
  | 'ERR_MRTR_SESSION_EXPIRED'
  | 'ERR_MRTR_REQUEST_ID'
  | 'ERR_MRTR_CLIENT'
  | 'ERR_MRTR_ELICITATION_TIMEOUT'
  | 'ERR_MRTR_SAMPLING_TIMEOUT'
  | 'ERR_MRTR_STATE_TOO_LARGE'
  | 'ERR_MRTR_STATE_MALFORMED'
  | 'ERR_MRTR_STATE_UNKNOWN_KEY'
  | 'ERR_MRTR_STATE_UNVERIFIED'
  | 'ERR_MRTR_STATE_EXPIRED'
  | 'ERR_MRTR_STATE_FLOW_EXPIRED'
  | 'ERR_MRTR_STATE_FUTURE'
  | 'ERR_MRTR_STATE_PARAMS'
  | 'ERR_MRTR_STATE_ROUNDS'
  | 'ERR_MRTR_STATE_SPENT'
  | 'ERR_MRTR_STATE_IN_FLIGHT'
  | 'ERR_MRTR_INTERNAL';

const MARK = markOf('MrtrError');

function markOf(kind: string): symbol {
  return Symbol.for(`express-mrtr.${kind}`);
}

function isMarked(value: unknown, mark: symbol): boolean {
  return typeof value === 'object' && value !== null && mark in value;
}

/**
 * Lets `instanceof` accept the errors of every copy of this package: by a mark, since identity differs between copies and
 * names do not survive a minifier. A subclass of somebody's own keeps the ordinary rule.
 */
function brand(target: { readonly prototype: object }, kind: string): void {
  const mark = markOf(kind);
  for (const each of new Set([mark, MARK])) Object.defineProperty(target.prototype, each, { value: true });
  Object.defineProperty(target, Symbol.hasInstance, {
    value(this: unknown, value: unknown) {
      return this === target ? isMarked(value, mark) : Function.prototype[Symbol.hasInstance].call(this, value);
    },
  });
}

/**
 * The base of all errors of this package. `instanceof` works across copies of the package (one loaded by
 * `import`, one by `require`), since it looks at a mark and not at the class.
 *
 * @example
 * ```ts
 * if (error instanceof MrtrError && error.code === 'ERR_MRTR_ROUND_OVER') …
 * ```
 */
export class MrtrError extends Error {
  static {
    brand(this, 'MrtrError');
  }

  /** One of the closed set {@link MrtrErrorCode}. */
  readonly code: MrtrErrorCode;

  constructor(code: MrtrErrorCode, message: string, options?: ErrorOptions) {
    super(message, options);
    this.name = 'MrtrError';
    this.code = code;
  }
}

/**
 * A failure whose message is meant for the model: a tool that throws it answers `isError: true` with exactly this text.
 * Any other error of a tool reaches the wire as a generic text (MCP 2026-07-28, Tools, Error Handling).
 *
 * @example
 * ```ts
 * throw new ToolError('No order has this number. Ask the customer for the order number.');
 * ```
 */
export class ToolError extends MrtrError {
  static {
    brand(this, 'ToolError');
  }

  /** Marks the message as fit for the wire. */
  readonly expose = true;

  constructor(message: string, options?: ErrorOptions) {
    super('ERR_MRTR_TOOL', message, options);
    this.name = 'ToolError';
  }
}

/**
 * A resource handler throws it when nothing stands behind the URI: the wire says -32602 with `data.uri`
 * (MCP 2026-07-28, Resources, Error Handling).
 */
export class ResourceNotFoundError extends MrtrError {
  static {
    brand(this, 'ResourceNotFoundError');
  }

  /** The URI that was asked for. */
  readonly uri: string;

  constructor(uri: string) {
    super('ERR_MRTR_RESOURCE_NOT_FOUND', `Resource not found: ${uri}`);
    this.name = 'ResourceNotFoundError';
    this.uri = uri;
  }
}

/**
 * Under `onLedgerMismatch: 'reject'`: the handler reached another question than the ledger holds at this place.
 */
export class LedgerMismatchError extends MrtrError {
  static {
    brand(this, 'LedgerMismatchError');
  }

  /** Place in the ledger, 1-based. */
  readonly ordinal: number;
  /** The question the ledger holds there, by key. */
  readonly expected: string;
  /** The question the handler reached, by key or kind. */
  readonly actual: string;

  constructor(ordinal: number, expected: string, actual: string) {
    super(
      'ERR_MRTR_LEDGER_MISMATCH',
      `Question ${ordinal} of this flow was ${JSON.stringify(expected)}, but the handler now reached ${JSON.stringify(actual)}. ` +
        'What stands before a question must not change which question is asked; or use onLedgerMismatch: "reask".',
    );
    this.name = 'LedgerMismatchError';
    this.ordinal = ordinal;
    this.expected = expected;
    this.actual = actual;
  }
}

/**
 * A person did not answer in time (`legacy.elicitationTimeoutSeconds`), for a client of MCP 2025-11-25 or earlier: what
 * `ctx.elicit`, `ctx.elicitUrl`, `ctx.confirm` and `ctx.listRoots` reject with then. A tool that lets it pass answers
 * `isError: true` with its message.
 *
 * @example
 * ```ts
 * if (error instanceof ElicitationTimeoutError) return 'Nobody answered, so nothing was refunded.';
 * ```
 */
export class ElicitationTimeoutError extends MrtrError {
  static {
    brand(this, 'ElicitationTimeoutError');
  }

  /** Marks the message as fit for the wire. */
  readonly expose = true;

  constructor(key: string, ms: number) {
    super(
      'ERR_MRTR_ELICITATION_TIMEOUT',
      `The question ${JSON.stringify(key)} was not answered within ${ms / 1000} s.`,
    );
    this.name = 'ElicitationTimeoutError';
  }
}

/**
 * The client's model did not answer `ctx.sample` in time (`legacy.samplingTimeoutSeconds`), for a client of MCP 2025-11-25
 * or earlier. A tool that lets it pass answers `isError: true` with its message.
 *
 * @example
 * ```ts
 * if (error instanceof SamplingTimeoutError) return summaryWithoutModel(text);
 * ```
 */
export class SamplingTimeoutError extends MrtrError {
  static {
    brand(this, 'SamplingTimeoutError');
  }

  /** Marks the message as fit for the wire. */
  readonly expose = true;

  constructor(key: string, ms: number) {
    super('ERR_MRTR_SAMPLING_TIMEOUT', `No model answered the request ${JSON.stringify(key)} within ${ms / 1000} s.`);
    this.name = 'SamplingTimeoutError';
  }
}

/** A caller's mistake in a type (a wrong option, definition or question). Carries a code like every {@link MrtrError}. */
export class MrtrTypeError extends TypeError {
  static {
    brand(this, 'MrtrTypeError');
  }

  readonly code: MrtrErrorCode;

  constructor(code: MrtrErrorCode, message: string) {
    super(message);
    this.code = code;
  }
}

/** A caller's mistake in a value (a number out of range). Carries a code like every {@link MrtrError}. */
export class MrtrRangeError extends RangeError {
  static {
    brand(this, 'MrtrRangeError');
  }

  readonly code: MrtrErrorCode;

  constructor(code: MrtrErrorCode, message: string) {
    super(message);
    this.code = code;
  }
}

/** The code of any error that this package made, whichever copy of it did; otherwise `undefined`. */
export function codeOf(error: unknown): MrtrErrorCode | undefined {
  return isMarked(error, MARK) ? (error as { code: MrtrErrorCode }).code : undefined;
}
