import fc from 'fast-check';
import { decodeEnvelope, encodeEnvelope, ENVELOPE_VERSION } from '../../lib/seal/envelope.js';

const nonce = Buffer.from(Array.from({ length: 24 }, (_, i) => i));
const ALPHABET = Array.from('ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_');

/** One token for each number of bytes modulo 3, that is for each number of stray bits in the last character. */
const tokens = [17, 18, 19].map((size) => encodeEnvelope('Ab-_09', nonce, Buffer.alloc(size, 0xfb)));

describe('the envelope', () => {
  it('has the documented layout', () => {
    expect(ENVELOPE_VERSION).toBe('mrtr1');
    expect(encodeEnvelope('Ab-_09', nonce, Buffer.alloc(16, 0xff))).toBe(
      'mrtr1.Ab-_09.AAECAwQFBgcICQoLDA0ODxAREhMUFRYX_____________________w',
    );
  });

  it('gives back what was encoded', () => {
    const bytes = fc.uint8Array({ minLength: 16, maxLength: 200 });
    fc.assert(
      fc.property(fc.uint8Array({ minLength: 24, maxLength: 24 }), bytes, (anyNonce, sealed) => {
        const envelope = decodeEnvelope(encodeEnvelope('Ab-_09', anyNonce, sealed));
        expect(envelope).toEqual({ keyId: 'Ab-_09', nonce: Buffer.from(anyNonce), sealed: Buffer.from(sealed) });
      }),
    );
  });

  it('C02 has one spelling: whatever decodes encodes to the same string', () => {
    const junk = fc.string({ unit: fc.constantFrom(...ALPHABET, '.', '=', '+', '/', ' ', '\n', 'é'), maxLength: 4 });
    fc.assert(
      fc.property(fc.constantFrom(...tokens), fc.nat(80), fc.nat(3), junk, (token, at, removed, inserted) => {
        const altered = token.slice(0, at) + inserted + token.slice(at + removed);
        const envelope = decodeEnvelope(altered);
        if (envelope) expect(encodeEnvelope(envelope.keyId, envelope.nonce, envelope.sealed)).toBe(altered);
      }),
      { numRuns: 2000 },
    );
  });

  describe.each(tokens)('C02 of %s', (token) => {
    const middle = Math.floor(token.length / 2);
    it.each([
      ['padding', `${token}=`],
      ['double padding', `${token}==`],
      ['padding and more', `${token}=AAAA`],
      ['junk at the end', `${token}!`],
      ['a trailing newline', `${token}\n`],
      ['a newline in the middle', `${token.slice(0, middle)}\n${token.slice(middle)}`],
      ['a space in the middle', `${token.slice(0, middle)} ${token.slice(middle)}`],
      ['a NUL in the middle', `${token.slice(0, middle)}\0${token.slice(middle)}`],
      ['a leading space', ` ${token}`],
      ['a trailing space', `${token} `],
      ['a trailing dot', `${token}.`],
      ['one field more', `${token}.AAAA`],
      ['a doubled dot', token.replace('.Ab', '..Ab')],
      ['the other alphabet', token.replace(/-/g, '+').replace(/_/g, '/')],
      ['percent encoding', encodeURIComponent(token).replace(/-/g, '%2D')],
      ['the version in capitals', token.replace('mrtr1', 'MRTR1')],
      ['a full-width letter', token.replace(/A(?=[^A]*$)/, '\uff21')],
      ['a character with the same low byte', token.replace(/A(?=[^A]*$)/, String.fromCharCode(0x0141))],
      ['a combining mark', `${token}\u0301`],
    ])('refuses %s', (_, altered) => {
      expect(altered).not.toBe(token);
      expect(decodeEnvelope(token)).toBeDefined();
      expect(decodeEnvelope(altered)).toBeUndefined();
    });

    it('gives other bytes, or nothing, for each of the 63 other last characters', () => {
      const original = decodeEnvelope(token)?.sealed.toString('hex');
      const others = ALPHABET.filter((char) => char !== token.at(-1));
      expect(others).toHaveLength(63);
      for (const char of others) {
        expect(decodeEnvelope(token.slice(0, -1) + char)?.sealed.toString('hex')).not.toBe(original);
      }
    });
  });

  it.each([
    ['nothing', ''],
    ['the version alone', 'mrtr1'],
    ['two dots', 'mrtr1..'],
    ['no body', 'mrtr1.Ab-_09.'],
    ['another version', tokens[0]?.replace('mrtr1', 'mrtr2')],
    ['no version', tokens[0]?.slice('mrtr1.'.length)],
    ['a key id one short', tokens[0]?.replace('Ab-_09', 'Ab-_0')],
    ['a key id one long', tokens[0]?.replace('Ab-_09', 'Ab-_099')],
    ['a dot in the key id', tokens[0]?.replace('Ab-_09', 'Ab.-09')],
    ['a foreign character in the key id', tokens[0]?.replace('Ab-_09', 'Ab+_09')],
  ])('is undefined for %s', (_, token) => {
    expect(decodeEnvelope(token ?? 'the token list is empty')).toBeUndefined();
  });

  it.each([0, 1, 11, 12, 23, 24, 27, 28, 39])('C01 is undefined for a body of %i bytes', (size) => {
    expect(decodeEnvelope(`mrtr1.Ab-_09.${Buffer.alloc(size, 1).toString('base64url')}`)).toBeUndefined();
  });

  it('C01 takes a body of 40 bytes, the shortest there is', () => {
    const envelope = decodeEnvelope(`mrtr1.Ab-_09.${Buffer.alloc(40, 1).toString('base64url')}`);
    expect(envelope?.nonce).toHaveLength(24);
    expect(envelope?.sealed).toHaveLength(16);
  });

  it('allocates nothing for long junk without the head of a token', () => {
    const decode = jest.spyOn(Buffer, 'from');
    for (const head of ['', 'mrtr1', 'mrtr1.', 'mrtr1.Ab-_0', 'mrtr1.Ab+_09.', 'mrtr2.Ab-_09.']) {
      expect(decodeEnvelope(head + 'A'.repeat(3_000_000))).toBeUndefined();
    }
    const calls = decode.mock.calls.length;
    decode.mockRestore();
    expect(calls).toBe(0);
  });

  it.each(['.', '=', ' ', 'A ', '\u0141', 'mrtr1.'])('is undefined for three megabytes of %j', (filler) => {
    expect(decodeEnvelope(`mrtr1.Ab-_09.${filler.repeat(3_000_000 / filler.length)}`)).toBeUndefined();
  });
});
