/** Tokens that nobody sealed. */
export const JUNK: readonly string[] = [
  '',
  ' ',
  '\0',
  '.',
  '...',
  ':',
  'null',
  'undefined',
  'true',
  '0',
  '{}',
  '[]',
  '{"round":1}',
  '"',
  '%',
  '%00',
  '../../etc/passwd',
  '__proto__',
  'constructor',
  'toString',
  'e30',
  'e30=',
  'e30.e30.e30',
  'eyJhbGciOiJub25lIn0.eyJyb3VuZCI6MX0.',
  'mrtr1.',
  'mrtr1.AAAAAA.',
  `mrtr1.AAAAAA.${'A'.repeat(100)}`,
  'mrtr9.AAAAAA.AAAA',
  '\ud800',
  '\u{1f600}'.repeat(50),
  'A'.repeat(49_152),
  '.'.repeat(49_152),
  '['.repeat(49_152),
  '\0'.repeat(49_152),
];

const EDGE = 40;

/** All places in a short token; in a long one its edges and some between, since a codec may have to ask a service each time. */
export function placesIn({ length }: string): readonly number[] {
  const step = Math.max(1, Math.floor((length - 2 * EDGE) / EDGE));
  const all = Array.from({ length }, (_, at) => at);
  return all.filter((at) => at < EDGE || at >= length - EDGE || at % step === 0);
}

/** Beginnings and ends of a token. */
export function truncated(token: string): readonly string[] {
  const places = placesIn(token);
  return [...places.map((at) => token.slice(0, at)), ...places.slice(1).map((at) => token.slice(at))];
}

/** The token with one character changed, left out or added, at each place, and in spellings a lenient decoder takes for it. */
export function altered(token: string): readonly string[] {
  const variants = placesIn(token).flatMap((at) => {
    const [before, character, after] = [token.slice(0, at), token.charAt(at), token.slice(at + 1)];
    return [
      'A',
      'B',
      '0',
      '\ud800',
      neighbour(character),
      caseFlipped(character),
      '',
      `${character}A`,
      ` ${character}`,
    ].map((other) => before + other + after);
  });
  const around = [' ', '\n', '\0', '=', '==', '.', '.A', 'A', '\ud800'].flatMap((extra) => [
    token + extra,
    extra + token,
  ]);
  const spellings = [token + token, token.replaceAll('-', '+').replaceAll('_', '/'), encodeURIComponent(token)];
  return [...variants, ...around, ...spellings].filter((each) => each !== token);
}

function neighbour(character: string): string {
  return String.fromCharCode(character.charCodeAt(0) ^ 1);
}

function caseFlipped(character: string): string {
  const upper = character.toUpperCase();
  return upper === character ? character.toLowerCase() : upper;
}

const CLAIMED = 128 * 1024 * 1024;
const BASE64 = /[A-Za-z0-9_+/-]{8,}/g;

/** The token, and short ones like it, with a large number wherever a length could stand: in digits, or in 4 bytes of base64. */
export function claimingLengths(token: string): readonly string[] {
  const written = Array.from(token.matchAll(/\d+/g), ({ 0: digits, index }) =>
    replaced(token, index, digits.length, String(CLAIMED)),
  );
  const encoded = Array.from(token.matchAll(BASE64), ({ 0: text, index }) =>
    claimingIn(text).map((other) => replaced(token, index, text.length, other)),
  ).flat();
  const bare = [`${CLAIMED}`, `${CLAIMED}.`, `${CLAIMED}:`, `${CLAIMED}.A`, `${CLAIMED}:A`];
  return [...written, ...encoded, ...bare].filter((each) => each !== token);
}

function claimingIn(text: string): string[] {
  const bytes = Buffer.from(text, 'base64url');
  const places = Array.from({ length: Math.min(64, Math.max(0, bytes.length - 3)) }, (_, at) => at);
  return places.flatMap((at) => {
    const [big, little] = [Buffer.from(bytes), Buffer.from(bytes)];
    big.writeUInt32BE(CLAIMED, at);
    little.writeUInt32LE(CLAIMED, at);
    return [big.toString('base64url'), little.toString('base64url')];
  });
}

function replaced(text: string, at: number, length: number, by: string): string {
  return text.slice(0, at) + by + text.slice(at + length);
}
