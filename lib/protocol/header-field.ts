import { decodeHeaderValue, plainHeaderValue } from './header-value.js';
import { CODE, type Fault } from './wire.js';

/** The headers of a Node request: names in lower case, doubled ones joined by `, `. */
export interface RequestHeaders {
  [name: string]: string | string[] | undefined;
}

/** A header that repeats a value of the body. */
export interface HeaderField {
  /** Its name in lower case, as Node keeps it. */
  readonly header: string;
  /** Its name as messages show it. */
  readonly label: string;
  /** Whether `=?base64?…?=` stands for what it encodes. */
  readonly encodable: boolean;
}

/** The failure of every header rule: -32020, HTTP 400 (MCP 2026-07-28, Streamable HTTP, Server Validation). */
export function headerMismatch(detail: string): Fault {
  return { code: CODE.headerMismatch, message: `Header mismatch: ${detail}`, status: 400 };
}

/**
 * Reads one header, which must be there exactly once.
 *
 * @param source - where the body has the value, for the message, such as `params.name`
 * @returns the decoded value, or the fault
 */
export function readField(
  headers: RequestHeaders,
  rawHeaders: readonly string[] | undefined,
  field: HeaderField,
  source: string,
): string | Fault {
  const raw = headers[field.header];
  if (raw === undefined) return headerMismatch(`${field.label} is missing. Send it with the value of ${source}.`);
  if (typeof raw !== 'string' || isRepeated(raw, rawHeaders, field.header)) {
    return headerMismatch(`${field.label} was sent more than once. Send it once, with the value of ${source}.`);
  }
  const value = field.encodable ? decodeHeaderValue(raw) : plainHeaderValue(raw);
  if (value !== undefined) return value;
  return headerMismatch(
    field.encodable
      ? `${field.label} is malformed. Send visible ASCII, or =?base64?…?= around the padded Base64 of the UTF-8 text.`
      : `${field.label} is malformed. Send visible ASCII.`,
  );
}

/** Only a value with a comma can be a joined pair; whether it is, the raw headers tell. */
function isRepeated(raw: string, rawHeaders: readonly string[] | undefined, header: string): boolean {
  if (rawHeaders === undefined || !raw.includes(',')) return false;
  let count = 0;
  for (let i = 0; i < rawHeaders.length; i += 2) {
    if (rawHeaders[i]?.toLowerCase() === header) count += 1;
  }
  return count > 1;
}
