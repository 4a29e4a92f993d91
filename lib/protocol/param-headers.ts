import { headerMismatch, readField, type RequestHeaders } from './header-field.js';
import type { ParamHeader } from './param-annotations.js';
import { isObject, type Fault } from './wire.js';

export { paramHeadersOf, type ParamHeader } from './param-annotations.js';

// Number() alone would read "0x10", "1e3" and " 42" as well.
const INTEGER = /^-?(?:0|[1-9]\d*)(?:\.0+)?$/;

/**
 * Checks the `Mcp-Param-*` headers that a tool declares against the call's arguments
 * (MCP 2026-07-28, Streamable HTTP, Server Behavior for Custom Headers).
 *
 * A value needs its header, `''` included; `null` and absent need none. Integers compare as numbers (`42.0` is `42`),
 * strings and booleans as text.
 *
 * @returns the first fault, -32020 on HTTP 400, or `undefined`
 *
 * @example
 * ```ts
 * const fault = paramHeaderFault(paramHeadersOf(schema, 'query'), params.arguments, req.headers, req.rawHeaders);
 * ```
 */
export function paramHeaderFault(
  declared: readonly ParamHeader[],
  args: unknown,
  headers: RequestHeaders,
  rawHeaders?: readonly string[],
): Fault | undefined {
  for (const param of declared) {
    const fault = oneFault(param, valueAt(args, param.path), headers, rawHeaders);
    if (fault !== undefined) return fault;
  }
  return undefined;
}

function oneFault(
  param: ParamHeader,
  value: unknown,
  headers: RequestHeaders,
  rawHeaders: readonly string[] | undefined,
): Fault | undefined {
  const source = `arguments.${param.path.join('.')}`;
  if (value === undefined || value === null) {
    // A gateway may have routed by this header; a call without the value contradicts it like one with another value.
    if (headers[param.header] === undefined) return undefined;
    return headerMismatch(`${param.header} was sent, but ${source} is not in the body. Leave the header out.`);
  }
  // No header can carry such a value. Leaving it to the schema would let a validator that coerces see what a gateway
  // did not.
  if (!hasHeaderText(value)) {
    return headerMismatch(`${source} is repeated in ${param.header} and must be of type ${param.type}.`);
  }
  const field = { header: param.header, label: param.header, encodable: true };
  const sent = readField(headers, rawHeaders, field, source);
  if (typeof sent !== 'string') return sent;
  if (matches(param, value, sent)) return undefined;
  // Arguments can be anybody's secret, and gateways keep the bodies of errors.
  return headerMismatch(`${param.header} is not the value of ${source} in the body.`);
}

/** A whole number beyond the safe range has none: two of them can be one number. */
function hasHeaderText(value: unknown): value is string | number | boolean {
  if (typeof value === 'number')
    return Number.isFinite(value) && (!Number.isInteger(value) || Number.isSafeInteger(value));
  return typeof value === 'string' || typeof value === 'boolean';
}

/** A value of another type than declared compares as text: the schema refuses it afterwards, naming the field. */
function matches(param: ParamHeader, value: string | number | boolean, sent: string): boolean {
  if (param.type === 'integer' && typeof value === 'number' && INTEGER.test(sent)) return Number(sent) === value;
  return sent === String(value);
}

function valueAt(args: unknown, path: readonly string[]): unknown {
  let value = args;
  for (const name of path) {
    if (!isObject(value) || !Object.hasOwn(value, name)) return undefined;
    value = value[name];
  }
  return value;
}
