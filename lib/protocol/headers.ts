import { headerMismatch, readField, type HeaderField, type RequestHeaders } from './header-field.js';
import { quote } from './quote.js';
import { META, type Fault } from './wire.js';

export type { RequestHeaders } from './header-field.js';
export { decodeHeaderValue } from './header-value.js';
export { paramHeaderFault, paramHeadersOf, type ParamHeader } from './param-headers.js';

const VERSION: HeaderField = { header: 'mcp-protocol-version', label: 'MCP-Protocol-Version', encodable: false };
const METHOD: HeaderField = { header: 'mcp-method', label: 'Mcp-Method', encodable: false };
const NAME: HeaderField = { header: 'mcp-name', label: 'Mcp-Name', encodable: true };
const VERSION_SOURCE = `_meta[${JSON.stringify(META.protocolVersion)}]`;

/**
 * Checks the three standard headers against the body, in the order version, method, name
 * (MCP 2026-07-28, Streamable HTTP, Standard Request Headers): each there, once, and equal.
 *
 * @param headers - `req.headers`
 * @param rawHeaders - `req.rawHeaders`; without it a doubled header shows only by its joined value
 * @param method - `method` of the body, one of `tools/call`, `prompts/get`, `resources/read`
 * @param target - `params.name`, or `params.uri` of `resources/read`
 * @param bodyVersion - the protocol version of the body's `_meta`
 * @returns the first fault, -32020 on HTTP 400, or `undefined`
 *
 * @example
 * ```ts
 * const fault = standardHeaderFault(req.headers, req.rawHeaders, 'tools/call', 'refund', '2026-07-28');
 * ```
 */
export function standardHeaderFault(
  headers: RequestHeaders,
  rawHeaders: readonly string[] | undefined,
  method: string,
  target: string,
  bodyVersion: string,
): Fault | undefined {
  return (
    fieldFault(headers, rawHeaders, VERSION, VERSION_SOURCE, bodyVersion) ??
    fieldFault(headers, rawHeaders, METHOD, 'method', method) ??
    fieldFault(headers, rawHeaders, NAME, method === 'resources/read' ? 'params.uri' : 'params.name', target)
  );
}

function fieldFault(
  headers: RequestHeaders,
  rawHeaders: readonly string[] | undefined,
  field: HeaderField,
  source: string,
  expected: string,
): Fault | undefined {
  const value = readField(headers, rawHeaders, field, source);
  if (typeof value !== 'string') return value;
  if (value === expected) return undefined;
  return headerMismatch(`${field.label} is ${quote(value)}, but ${source} in the body is ${quote(expected)}.`);
}
