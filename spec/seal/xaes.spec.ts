import { createHash } from 'node:crypto';
import fc from 'fast-check';
import { codeOf } from '../../lib/errors.js';
import { Xaes } from '../../lib/seal/xaes.js';

const hex = (text: string): Buffer => Buffer.from(text, 'hex');
const nonce = Buffer.from('ABCDEFGHIJKLMNOPQRSTUVWX');
const plaintext = Buffer.from('XAES-256-GCM');
const none = Buffer.alloc(0);

/** The accumulated test of https://c2sp.org/XAES-256-GCM: inputs out of one SHAKE128 stream, outputs into another. */
function accumulate(rounds: number): string {
  const stream = createHash('shake128', { outputLength: rounds * 340 }).digest();
  const outputs = createHash('shake128', { outputLength: 32 });
  let at = 0;
  const take = (size: number): Buffer => {
    if (at + size > stream.length) throw new Error('The stream is too short for this number of rounds.');
    return stream.subarray(at, (at += size));
  };
  const takePrefixed = (): Buffer => take(take(1).readUInt8());
  for (let round = 0; round < rounds; round++) {
    const cipher = new Xaes(take(32));
    outputs.update(cipher.seal(take(24), takePrefixed(), takePrefixed()));
  }
  return outputs.digest('hex');
}

describe('XAES-256-GCM', () => {
  it('seals the first C2SP vector, where the top bit of L is clear', () => {
    const sealed = new Xaes(Buffer.alloc(32, 1)).seal(nonce, plaintext, none);
    expect(sealed.toString('hex')).toBe('ce546ef63c9cc60765923609b33a9a1974e96e52daf2fcf7075e2271');
  });

  it('seals the second C2SP vector, where the top bit of L is set and there is an AAD', () => {
    const sealed = new Xaes(Buffer.alloc(32, 3)).seal(nonce, plaintext, Buffer.from('c2sp.org/XAES-256-GCM'));
    expect(sealed.toString('hex')).toBe('986ec1832593df5443a179437fd083bf3fdb41abd740a21f71eb769d');
  });

  it('unseals both vectors', () => {
    const first = hex('ce546ef63c9cc60765923609b33a9a1974e96e52daf2fcf7075e2271');
    const second = hex('986ec1832593df5443a179437fd083bf3fdb41abd740a21f71eb769d');
    expect(new Xaes(Buffer.alloc(32, 1)).unseal(nonce, first, none)?.toString()).toBe('XAES-256-GCM');
    expect(new Xaes(Buffer.alloc(32, 3)).unseal(nonce, second, Buffer.from('c2sp.org/XAES-256-GCM'))?.toString()).toBe(
      'XAES-256-GCM',
    );
  });

  it('meets the accumulated C2SP vector of 10,000 rounds', () => {
    expect(accumulate(10_000)).toBe('e6b9edf2df6cec60c8cbd864e2211b597fb69a529160cd040d56c0c210081939');
  });

  it('gives the same result with a cipher used many times as with a fresh one', () => {
    const key = Buffer.alloc(32, 7);
    const reused = new Xaes(key);
    for (let i = 0; i < 20_000; i++) {
      const each = Buffer.alloc(24, i % 251);
      each.writeUInt32BE(i, 4);
      const sealed = reused.seal(each, plaintext, none);
      if (i % 500 === 0) expect(sealed).toEqual(new Xaes(key).seal(each, plaintext, none));
      if (reused.unseal(each, sealed, none)?.equals(plaintext) !== true) throw new Error(`Round ${i} did not open.`);
    }
  });

  it('accepts a nonce that is a view into a larger buffer', () => {
    const cipher = new Xaes(Buffer.alloc(32, 1));
    const larger = new Uint8Array(64);
    larger.set(nonce, 5);
    expect(cipher.seal(larger.subarray(5, 29), plaintext, none)).toEqual(cipher.seal(nonce, plaintext, none));
  });

  it('copies its key', () => {
    const key = Buffer.alloc(32, 1);
    const cipher = new Xaes(key);
    key.fill(9);
    expect(cipher.seal(nonce, plaintext, none)).toEqual(new Xaes(Buffer.alloc(32, 1)).seal(nonce, plaintext, none));
  });

  it('C01 refuses every truncation, down to nothing', () => {
    const cipher = new Xaes(Buffer.alloc(32, 1));
    const sealed = cipher.seal(nonce, plaintext, none);
    for (let length = 0; length < sealed.length; length++) {
      expect(cipher.unseal(nonce, sealed.subarray(0, length), none)).toBeUndefined();
    }
    expect(cipher.unseal(nonce, sealed, none)).toEqual(plaintext);
  });

  it('C01 refuses every prefix of a right tag', () => {
    const cipher = new Xaes(Buffer.alloc(32, 1));
    const tagOnly = cipher.seal(nonce, none, none);
    expect(tagOnly).toHaveLength(16);
    for (const length of [15, 14, 13, 12, 8, 4, 0]) {
      expect(cipher.unseal(nonce, tagOnly.subarray(0, length), none)).toBeUndefined();
    }
    expect(cipher.unseal(nonce, tagOnly, none)).toEqual(none);
  });

  it('refuses another nonce, another AAD, another key and a nonce of another length', () => {
    const cipher = new Xaes(Buffer.alloc(32, 1));
    const sealed = cipher.seal(nonce, plaintext, none);
    for (let i = 0; i < nonce.length; i++) {
      const other = Buffer.from(nonce);
      other.writeUInt8(other.readUInt8(i) ^ 1, i);
      expect(cipher.unseal(other, sealed, none)).toBeUndefined();
    }
    expect(cipher.unseal(nonce, sealed, Buffer.from([0]))).toBeUndefined();
    expect(new Xaes(Buffer.alloc(32, 2)).unseal(nonce, sealed, none)).toBeUndefined();
    expect(cipher.unseal(nonce.subarray(0, 23), sealed, none)).toBeUndefined();
    expect(cipher.unseal(Buffer.concat([nonce, nonce]), sealed, none)).toBeUndefined();
  });

  it.each([0, 12, 23, 25])('throws rather than seal under a nonce of %i bytes', (length) => {
    const cipher = new Xaes(Buffer.alloc(32, 1));
    let thrown: unknown;
    try {
      cipher.seal(Buffer.alloc(length), plaintext, none);
    } catch (error) {
      thrown = error;
    }
    expect(thrown).toBeInstanceOf(RangeError);
    expect(codeOf(thrown)).toBe('ERR_MRTR_CODEC');
    expect((thrown as Error).message).toBe(`A nonce must be 24 bytes long, not ${length}.`);
  });

  it('never throws and never opens arbitrary bytes', () => {
    const cipher = new Xaes(Buffer.alloc(32, 1));
    const bytes = fc.uint8Array({ maxLength: 80 });
    fc.assert(
      fc.property(bytes, bytes, bytes, (anyNonce, sealed, aad) => cipher.unseal(anyNonce, sealed, aad) === undefined),
    );
  });
});
