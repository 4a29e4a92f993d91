import { CODE, type Fault } from '../protocol/wire.js';

/** What goes out when things fail (the true reason goes to the events). */

/** Every refused `requestState`, whatever was wrong with it: nobody can learn from it which check failed. */
export const INVALID_STATE: Fault = Object.freeze({
  code: CODE.invalidParams,
  message: 'The requestState is not valid for this request. Call again without it to start over.',
  status: 200,
  data: Object.freeze({ reason: 'invalid_request_state' }),
});

export const INTERNAL: Fault = Object.freeze({
  code: CODE.internalError,
  message: 'Internal error. The operator of this server can see the reason in its events.',
  status: 200,
});

/** A repeat of a request that is still being served. */
export const IN_FLIGHT: Fault = Object.freeze({
  code: CODE.internalError,
  message: 'This very request is still being served. Send it again later to get its result.',
  status: 200,
  data: Object.freeze({ reason: 'request_in_flight' }),
});

export const PRINCIPAL_FAILED: Fault = Object.freeze({ ...INTERNAL, status: 500 });

export const UNAUTHENTICATED: Fault = Object.freeze({
  code: CODE.invalidRequest,
  message: 'Authentication is required.',
  status: 401,
});

export const NOTIFICATION: Fault = Object.freeze({
  code: CODE.invalidRequest,
  message: 'This method is a request; send it with an id.',
  status: 400,
});

export const METHOD_NOT_ALLOWED: Fault = Object.freeze({
  code: CODE.invalidRequest,
  message: 'Send MCP messages by POST.',
  status: 405,
});

export const UNSUPPORTED_MEDIA_TYPE: Fault = Object.freeze({
  code: CODE.invalidRequest,
  message: 'The content type must be application/json, in UTF-8.',
  status: 415,
});

export const TOO_LARGE: Fault = Object.freeze({
  code: CODE.invalidRequest,
  message: 'The body is larger than this server takes.',
  status: 413,
});

export const NOT_JSON: Fault = Object.freeze({
  code: CODE.parseError,
  message: 'The body is not valid JSON.',
  status: 400,
});

export const TOO_DEEP: Fault = Object.freeze({
  code: CODE.invalidRequest,
  message: 'The message nests too deeply.',
  status: 400,
});

export function invalidParams(message: string, status: 200 | 400 = 200, data?: Fault['data']): Fault {
  return { code: CODE.invalidParams, message, status, ...(data !== undefined && { data }) };
}

export const BATCH: Fault = Object.freeze({
  code: CODE.invalidRequest,
  message: 'Batches are not served. Send each message by a POST of its own.',
  status: 400,
});

export const SESSION_NOT_FOUND: Fault = Object.freeze({
  code: CODE.invalidRequest,
  message: 'The Mcp-Session-Id is not valid, or no longer. Send initialize again, without it.',
  status: 404,
});

export const SESSION_REQUIRED: Fault = Object.freeze({
  code: CODE.invalidRequest,
  message: 'A response needs the Mcp-Session-Id of the call that asked.',
  status: 400,
});

export const CANCELLED: Fault = Object.freeze({
  code: CODE.invalidRequest,
  message: 'The client has cancelled this request.',
  status: 200,
});
