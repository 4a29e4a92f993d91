/**
 * Joins fields so that no two lists of fields give the same bytes: before each field stands its length, 4 bytes,
 * big-endian. Fields are UTF-16LE, since UTF-8 turns every lone surrogate into one and the same character.
 *
 * @example
 * ```ts
 * lengthPrefixed(['ann:pay', 'x']); // differs from lengthPrefixed(['ann', 'pay:x'])
 * ```
 */
export function lengthPrefixed(fields: readonly string[]): Buffer {
  let size = 0;
  for (const field of fields) size += 4 + 2 * field.length;
  const joined = Buffer.allocUnsafe(size);
  let at = 0;
  for (const field of fields) {
    at = joined.writeUInt32BE(2 * field.length, at);
    at += joined.write(field, at, 'utf16le');
  }
  return joined;
}
