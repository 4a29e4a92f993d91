import fc from 'fast-check';
import { lengthPrefixed } from '../../lib/seal/aad.js';

/** The reading that makes the encoding injective: what can be read back cannot have come from another list. */
function read(bytes: Buffer): string[] {
  const fields: string[] = [];
  for (let at = 0; at < bytes.length;) {
    const length = bytes.readUInt32BE(at);
    fields.push(bytes.toString('utf16le', at + 4, at + 4 + length));
    at += 4 + length;
  }
  return fields;
}

const anyUnit = fc.integer({ min: 0, max: 0xffff }).map((unit) => String.fromCharCode(unit));
const field = fc.oneof(fc.string({ unit: anyUnit }), fc.constantFrom('', '\0', '\0\0\0\0', ':', '|', '#', 'ann:pay'));

describe('lengthPrefixed', () => {
  it('writes the byte length, big-endian, and the UTF-16LE units of each field', () => {
    expect(lengthPrefixed(['aé', '', '€']).toString('hex')).toBe('000000046100e9000000000000000002ac20');
  });

  it('C19 can be read back to exactly the fields it was given, lone surrogates included', () => {
    fc.assert(
      fc.property(fc.array(field), (fields) => {
        expect(read(lengthPrefixed(fields))).toEqual(fields);
      }),
      { numRuns: 1000 },
    );
  });

  it.each([':', '|', '\0', '#'])('C19 keeps fields apart that read the same when joined by %j', (separator) => {
    const left = [`ann${separator}pay`, 'x'];
    const right = ['ann', `pay${separator}x`];
    expect(left.join(separator)).toBe(right.join(separator));
    expect(lengthPrefixed(left)).not.toEqual(lengthPrefixed(right));
  });

  it('C19 keeps lists of different length apart', () => {
    const lists = [[], [''], ['', ''], ['\0\0'], ['ab'], ['a', 'b'], ['ab', '']];
    expect(new Set(lists.map((list) => lengthPrefixed(list).toString('hex'))).size).toBe(lists.length);
  });

  it('keeps lone surrogates distinct, from each other and from the replacement character', () => {
    const fields = ['\ud800', '\ud801', '\udc00', '\ufffd'];
    expect(new Set(fields.map((each) => lengthPrefixed([each]).toString('hex'))).size).toBe(fields.length);
  });
});
