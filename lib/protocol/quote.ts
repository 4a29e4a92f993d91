const MAX_LENGTH = 100;
// Everything that could break a log line or reorder a terminal: controls, format characters (bidi), lone surrogates.
const UNPRINTABLE = /[\p{C}\p{Zl}\p{Zp}]/gu;

/** Text of a client, fit to stand in a message: quoted, without control characters, at most 100 characters of it. */
export function quote(text: string): string {
  const shown = text.slice(0, MAX_LENGTH).replace(UNPRINTABLE, '');
  return JSON.stringify(text.length > MAX_LENGTH ? `${shown}…` : shown);
}
