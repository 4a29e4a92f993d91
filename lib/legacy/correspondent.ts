import type { InputRequest } from '../protocol/wire.js';

/** What became of a request to the client. */
export type ClientResponse =
  | { readonly kind: 'result'; readonly result: unknown }
  /** The client answered with a JSON-RPC error. */
  | { readonly kind: 'error'; readonly code: number }
  /** The time was up first. */
  | { readonly kind: 'late' }
  /** The call ended first, or its client went away. */
  | { readonly kind: 'withdrawn' };

/** Puts requests to the client of one call. */
export interface Correspondent {
  /**
   * Sends a request and waits for its response. Rejects with `ERR_MRTR_MAILBOX` when it cannot be received, with
   * `ERR_MRTR_KEYS` when the key provider is down.
   */
  put(request: InputRequest, timeoutMs: number): Promise<ClientResponse>;
}
