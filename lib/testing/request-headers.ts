import { PROTOCOL_VERSION } from '../protocol/wire.js';

const PLAIN = /^[\x21-\x7e](?:[\t\x20-\x7e]*[\x21-\x7e])?$/;
const WRAPPED = /^=\?base64\?.*\?=$/;

/**
 * The value as an `Mcp-Name` header carries it (MCP 2026-07-28, Streamable HTTP, Value Encoding): itself, or Base64 in
 * `=?base64?…?=` for what a header cannot hold and for what would be taken for such a wrapper.
 */
export function encodeHeaderValue(value: string): string {
  if (value === '' || (PLAIN.test(value) && !WRAPPED.test(value))) return value;
  return `=?base64?${Buffer.from(value).toString('base64')}?=`;
}

/** The headers of a request, in lower case; what the test gives replaces them, and `undefined` takes one away. */
export function requestHeaders(
  method: string,
  params: Readonly<Record<string, unknown>>,
  given: Readonly<Record<string, string | undefined>>,
): Record<string, string> {
  const name = params['name'] ?? params['uri'];
  const headers = {
    'content-type': 'application/json',
    accept: 'application/json, text/event-stream',
    'mcp-protocol-version': PROTOCOL_VERSION,
    'mcp-method': method,
    'mcp-name': typeof name === 'string' ? encodeHeaderValue(name) : undefined,
  };
  const all = new Map<string, string | undefined>(Object.entries(headers));
  for (const [header, value] of Object.entries(given)) all.set(header.toLowerCase(), value);
  return Object.fromEntries([...all].filter((entry): entry is [string, string] => entry[1] !== undefined));
}
