import type { Target } from '../catalog.js';
import type { RoundOutcome } from '../engine/outcome.js';
import { codeOf, ResourceNotFoundError, type MrtrErrorCode } from '../errors.js';
import { missingCapabilityFault } from '../protocol/capabilities.js';
import { toolFailure } from '../protocol/result.js';
import { isObject, type Fault, type JsonObject } from '../protocol/wire.js';
import { INTERNAL, INVALID_STATE, invalidParams } from './faults.js';

export type Failed = Extract<RoundOutcome, { kind: 'failed' }>;

/** How a failed round is answered, and whether it is the server's fault, the client's, or nobody's. */
export type FailureReply =
  | { readonly kind: 'fault'; readonly fault: Fault; readonly report: MrtrErrorCode | undefined }
  | { readonly kind: 'refused'; readonly fault: Fault; readonly reason: MrtrErrorCode }
  | { readonly kind: 'tool_error'; readonly result: JsonObject; readonly report: MrtrErrorCode | undefined };

const TOOL_FAILED = 'The tool failed.';

/** Decides what a failed round says to the client: never more than it may know. */
export function failureReply(failed: Failed, target: Target, exposeErrors: boolean): FailureReply {
  const { code, error } = failed;
  const serverFault: FailureReply = { kind: 'fault', fault: internal(error, exposeErrors), report: code };
  switch (code) {
    case 'ERR_MRTR_CAPABILITY':
      return { kind: 'refused', fault: missingCapabilityFault(failed.requiredCapabilities ?? {}), reason: code };
    case 'ERR_MRTR_LEDGER_MISMATCH':
      return { kind: 'refused', fault: INVALID_STATE, reason: code };
    case 'ERR_MRTR_ATTEMPTS': {
      const text = 'A question of this call was given too many unusable answers. Call again to start over.';
      return target.kind === 'tool'
        ? { kind: 'tool_error', result: toolFailure(text), report: undefined }
        : { kind: 'refused', fault: invalidParams(text), reason: code };
    }
    case 'ERR_MRTR_HANDLER':
      return target.kind === 'tool' ? toolError(error, exposeErrors) : handlerFault(error, serverFault);
    default:
      return serverFault;
  }
}

/** A fault of the server in the words that may go out. */
export function internal(error: unknown, exposeErrors: boolean): Fault {
  if (!exposeErrors || !(error instanceof Error)) return INTERNAL;
  return { ...INTERNAL, message: `${error.name}: ${error.message}` };
}

function toolError(error: unknown, exposeErrors: boolean): FailureReply {
  if (isMeantForTheModel(error)) return { kind: 'tool_error', result: toolFailure(error.message), report: undefined };
  const text = exposeErrors && error instanceof Error ? `${error.name}: ${error.message}` : TOOL_FAILED;
  return { kind: 'tool_error', result: toolFailure(text), report: codeOf(error) ?? 'ERR_MRTR_HANDLER' };
}

function handlerFault(error: unknown, serverFault: FailureReply): FailureReply {
  if (!(error instanceof ResourceNotFoundError)) return serverFault;
  return { kind: 'refused', fault: invalidParams('Resource not found.', 200, { uri: error.uri }), reason: error.code };
}

/** A `ToolError`, or an error that says by `expose: true` that its message is fit for the outside, as http-errors do. */
function isMeantForTheModel(error: unknown): error is Error {
  return error instanceof Error && isObject(error) && error['expose'] === true;
}
