import type { ClientResponse } from './correspondent.js';
import { MAX_ANSWER_DEPTH, nestsWithin } from '../protocol/depth.js';
import { aimOf } from '../protocol/parse.js';
import { isObject, type OwnedMethod, type RequestId } from '../protocol/wire.js';

/** A request of one of the three methods, as earlier revisions write it. */
export interface LegacyCall {
  readonly id: RequestId;
  readonly method: OwnedMethod;
  readonly target: string;
  readonly params: Readonly<Record<string, unknown>>;
  readonly progressToken: RequestId | undefined;
}

/** What a message of an earlier revision is to this package. */
export type LegacyMessage =
  | { readonly kind: 'batch' }
  | { readonly kind: 'initialize'; readonly params: Readonly<Record<string, unknown>> }
  | { readonly kind: 'call'; readonly call: LegacyCall }
  | { readonly kind: 'response'; readonly id: unknown; readonly response: ClientResponse }
  | { readonly kind: 'cancelled'; readonly requestId: RequestId }
  /** Everything else, which the SDK answers. */
  | { readonly kind: 'other' };

/** Reads a body that the classifier has found to be a message of an earlier revision. */
export function legacyMessageOf(body: unknown): LegacyMessage {
  if (Array.isArray(body)) return { kind: 'batch' };
  if (!isObject(body)) return { kind: 'other' };
  const { id, method } = body;
  const params = isObject(body['params']) ? body['params'] : {};
  if (method === undefined) return { kind: 'response', id, response: responseOf(body) };
  if (id === undefined) {
    const { requestId } = params;
    return method === 'notifications/cancelled' && isRequestId(requestId)
      ? { kind: 'cancelled', requestId }
      : { kind: 'other' };
  }
  if (method === 'initialize') return { kind: 'initialize', params };
  const aim = aimOf(body);
  return aim !== undefined && isRequestId(id)
    ? { kind: 'call', call: { id, ...aim, params, progressToken: progressTokenOf(params) } }
    : { kind: 'other' };
}

function responseOf(body: Record<string, unknown>): ClientResponse {
  if (isObject(body['error'])) {
    const { code } = body['error'];
    return { kind: 'error', code: Number.isSafeInteger(code) ? (code as number) : 0 };
  }
  const { result } = body;
  // Null stands for what is no answer to anything, so that the question is asked again rather than never answered.
  return { kind: 'result', result: nestsWithin(result, MAX_ANSWER_DEPTH) ? result : null };
}

function progressTokenOf(params: Record<string, unknown>): RequestId | undefined {
  const token = isObject(params['_meta']) ? params['_meta']['progressToken'] : undefined;
  return isRequestId(token) ? token : undefined;
}

function isRequestId(value: unknown): value is RequestId {
  return typeof value === 'string' || Number.isSafeInteger(value);
}
