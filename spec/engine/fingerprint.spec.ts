import { createHash } from 'node:crypto';
import { digestOf, fingerprintOf } from '../../lib/engine/fingerprint.js';

describe('a fingerprint', () => {
  it('is the first 128 bits of the SHA-256, a digest all of it', () => {
    const sha256 = Buffer.from('ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad', 'hex');
    expect(fingerprintOf('abc')).toBe(sha256.subarray(0, 16).toString('base64url'));
    expect(digestOf('abc')).toBe(sha256.toString('base64url'));
  });

  it('is cut at the bit, whatever the bits after it are', () => {
    for (let number = 0; number < 200; number += 1) {
      const sha256 = createHash('sha256').update(String(number)).digest();
      expect(fingerprintOf(String(number))).toBe(sha256.subarray(0, 16).toString('base64url'));
    }
  });

  it('tells texts apart', () => {
    expect(fingerprintOf('Delete 3 files?')).not.toBe(fingerprintOf('Delete 400 files?'));
  });
});
