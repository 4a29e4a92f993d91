/** How deep an answer may nest. */
export const MAX_ANSWER_DEPTH = 64;

/** Whether a JSON value nests at most `depth` levels deep. Looks no further, so that no value can exhaust the stack. */
export function nestsWithin(value: unknown, depth: number): boolean {
  if (typeof value !== 'object' || value === null) return true;
  return depth > 0 && Object.values(value).every((member) => nestsWithin(member, depth - 1));
}
