import type { Express } from 'express';
import request from 'supertest';

export interface CallOptions {
  readonly token?: string;
  readonly capabilities?: object;
}

/** The body of a reply, with the members that the tests look at. */
export interface Reply {
  readonly result: {
    readonly resultType: string;
    readonly inputRequests: Record<string, { readonly params: { readonly message: string } }>;
    readonly requestState: string;
    readonly content: readonly { readonly text: string }[];
    readonly messages: readonly { readonly content: { readonly text: string } }[];
    readonly contents: readonly unknown[];
    readonly tools: readonly { readonly name: string }[];
  };
  readonly error?: unknown;
}

/** A request of MCP 2026-07-28 with the headers that go with it. */
export function call(
  to: Express | string,
  method: string,
  params: Record<string, unknown>,
  { token, capabilities = { elicitation: {} } }: CallOptions = {},
): request.Test {
  const test = request(to)
    .post('/mcp')
    .set('accept', 'application/json, text/event-stream')
    .set('mcp-protocol-version', '2026-07-28')
    .set('mcp-method', method)
    .set('mcp-name', String(params['uri'] ?? params['name']));
  if (token !== undefined) void test.set('authorization', `Bearer ${token}`);
  const _meta = {
    'io.modelcontextprotocol/protocolVersion': '2026-07-28',
    'io.modelcontextprotocol/clientCapabilities': capabilities,
  };
  return test.send({ jsonrpc: '2.0', id: 1, method, params: { _meta, ...params } });
}
