import type { ClientCapabilities, InputRequest, JsonObject } from '../protocol/wire.js';
import { isObject, META, PROTOCOL_VERSION } from '../protocol/wire.js';
import type { RequestOptions } from './client-options.js';
import { post } from './http-exchange.js';
import { messagesOf } from './messages.js';
import { requestHeaders } from './request-headers.js';
import type { ReceivedNotification, ReceivedResponse, SentRequest, TestRound } from './test-round.js';

/** Sends one request of a flow. */
export type Send = (method: string, params: Readonly<Record<string, unknown>>) => Promise<TestRound>;

const EVERYTHING: ClientCapabilities = {
  elicitation: { form: {}, url: {} },
  sampling: { context: {}, tools: {} },
  roots: {},
};
const CLIENT = { name: 'express-mrtr/testing', version: '1.0.0' };

/** Sends requests of this revision to a port, numbered from 1. */
export function sender(port: number, path: string, options: RequestOptions): Send {
  const { capabilities = EVERYTHING, clientInfo = CLIENT, headers = {}, meta = {} } = options;
  let id = 0;
  return async (method, given) => {
    const _meta = {
      [META.protocolVersion]: PROTOCOL_VERSION,
      [META.clientInfo]: clientInfo,
      [META.clientCapabilities]: capabilities,
      ...meta,
      ...(isObject(given['_meta']) && given['_meta']),
    };
    id += 1;
    const body = JSON.stringify({ jsonrpc: '2.0', id, method, params: { ...given, _meta } });
    const reply = await post(port, path, requestHeaders(method, given, headers), body);
    const messages = messagesOf(reply);
    const response = messages.find((message) => 'result' in message || 'error' in message);
    const inputRequests = questionsOf(response);
    return {
      // Parsed from the text, so that it is what went out: without members that JSON leaves out.
      request: JSON.parse(body) as SentRequest,
      response: response as ReceivedResponse | undefined,
      ...reply,
      notifications: messages.filter((message) => 'method' in message) as unknown as ReceivedNotification[],
      ...(inputRequests !== undefined && { inputRequests }),
    };
  };
}

function questionsOf(response: JsonObject | undefined): Record<string, InputRequest> | undefined {
  const result = response?.['result'];
  if (!isObject(result) || result['resultType'] !== 'input_required') return undefined;
  return (result['inputRequests'] ?? {}) as Record<string, InputRequest>;
}
