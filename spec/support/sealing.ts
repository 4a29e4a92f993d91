import fc from 'fast-check';
import { sealingOf, type Sealing } from '../../lib/legacy/sealing.js';
import { Keyring } from '../../lib/seal/keyring.js';

export const KEY = Buffer.from(Array.from({ length: 32 }, (_, at) => at + 1));
export const OTHER = Buffer.from(Array.from({ length: 32 }, (_, at) => 255 - at));

export const SHOP: Sealing = sealingOf(Keyring.from(KEY), 'shop');

/** Another spelling of a sealed text: a character replaced, left out or put in. */
export function altered(text: string): fc.Arbitrary<string> {
  const character = fc.string({ unit: 'grapheme', minLength: 1, maxLength: 1 });
  return fc
    .tuple(fc.nat(text.length), fc.constantFrom(0, 1), fc.oneof(fc.constant(''), character))
    .map(([at, cut, put]) => text.slice(0, at) + put + text.slice(at + cut))
    .filter((other) => other !== text);
}

/** Whatever a client may send in place of a text. */
export const HOSTILE: readonly string[] = [
  '',
  ' ',
  'mrtr1',
  'mrtr1..',
  'mrtr1.AAAAAA.',
  '\0',
  '\ud800',
  '__proto__',
  '../../etc/passwd',
  '{"m":"a"}',
  'a'.repeat(1_000_000),
  `mrtr1.AAAAAA.${'A'.repeat(1_000_000)}`,
];
