import type { IncomingHttpHeaders } from 'node:http';
import type { InputRequest, JsonObject } from '../protocol/wire.js';

/** The JSON-RPC request of a round, as it was sent. */
export interface SentRequest {
  readonly jsonrpc: '2.0';
  readonly id: number;
  readonly method: string;
  readonly params: JsonObject;
}

/** A failure as JSON-RPC carries it. */
export interface TestError {
  readonly code: number;
  readonly message: string;
  readonly data?: Readonly<Record<string, unknown>>;
}

/** The JSON-RPC response of a round, as it arrived. */
export interface ReceivedResponse {
  readonly jsonrpc: '2.0';
  readonly id?: number;
  readonly result?: Readonly<Record<string, unknown>>;
  readonly error?: TestError;
}

/** A notification that came before the response, such as progress. */
export interface ReceivedNotification {
  readonly jsonrpc: '2.0';
  readonly method: string;
  readonly params?: Readonly<Record<string, unknown>>;
}

/** One request of a flow and its reply. */
export interface TestRound {
  readonly request: SentRequest;
  /** `undefined` when the reply was no JSON-RPC: an authentication in front of MCP answers so. Then see `body`. */
  readonly response: ReceivedResponse | undefined;
  /** The HTTP status. */
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  /** The text of the reply. */
  readonly body: string;
  readonly notifications: readonly ReceivedNotification[];
  /** The questions, by key, when the reply is an `InputRequiredResult`. */
  readonly inputRequests?: Readonly<Record<string, InputRequest>>;
}
