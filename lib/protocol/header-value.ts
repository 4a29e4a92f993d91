const PREFIX = '=?base64?';
const SUFFIX = '?=';
const VISIBLE = /^[\t\x20-\x7e]*$/;

// ignoreBOM keeps a leading U+FEFF: it belongs to the value.
const utf8 = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });

/**
 * A header value as sent, outer spaces and tabs removed.
 *
 * @returns `undefined` when it holds anything but visible ASCII, space and tab.
 */
export function plainHeaderValue(raw: string): string | undefined {
  const value = trimOws(raw);
  return VISIBLE.test(value) ? value : undefined;
}

/**
 * The value that an `Mcp-Name` or `Mcp-Param-*` header stands for (MCP 2026-07-28, Streamable HTTP, Value Encoding):
 * `=?base64?…?=` is decoded, anything else is itself.
 *
 * @returns `undefined` when the header holds anything but visible ASCII, space and tab, or when the wrapper holds
 * something else than canonical, padded, standard Base64 of well-formed UTF-8.
 *
 * @example
 * ```ts
 * decodeHeaderValue('us-west1'); // 'us-west1'
 * decodeHeaderValue('=?base64?Z3LDtsOfZQ==?='); // 'größe'
 * ```
 */
export function decodeHeaderValue(raw: string): string | undefined {
  const value = plainHeaderValue(raw);
  if (value === undefined || !value.startsWith(PREFIX) || !value.endsWith(SUFFIX)) return value;
  // In "=?base64?=" prefix and suffix share a character.
  if (value.length < PREFIX.length + SUFFIX.length) return undefined;
  const payload = value.slice(PREFIX.length, -SUFFIX.length);
  const bytes = Buffer.from(payload, 'base64');
  // Buffer skips what it does not know, so only the way back proves that there was one spelling.
  if (bytes.toString('base64') !== payload) return undefined;
  try {
    return utf8.decode(bytes);
  } catch {
    return undefined;
  }
}

/** RFC 9110 knows two kinds of optional whitespace; `trim()` would also take U+00A0 and others off. */
function trimOws(raw: string): string {
  let start = 0;
  let end = raw.length;
  while (start < end && isOws(raw.charCodeAt(start))) start += 1;
  while (end > start && isOws(raw.charCodeAt(end - 1))) end -= 1;
  return start === 0 && end === raw.length ? raw : raw.slice(start, end);
}

function isOws(code: number): boolean {
  return code === 0x20 || code === 0x09;
}
