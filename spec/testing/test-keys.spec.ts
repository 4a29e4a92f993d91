import { keyring } from '../../lib/index.js';
import { testKeys } from '../../lib/testing/test-keys.js';

describe('test keys', () => {
  it('are a key of 32 bytes, the same in every run', () => {
    expect(testKeys()).toMatch(/^mrtrk_[\w-]{43}$/);
    expect(testKeys()).toBe(testKeys(''));
    expect(keyring(testKeys('a')).keyIds).toEqual(keyring(testKeys('a')).keyIds);
  });

  it('are other keys for other seeds, which go into one ring', () => {
    expect(new Set([testKeys(), testKeys('a'), testKeys('b')]).size).toBe(3);
    expect(keyring([testKeys(), testKeys('a'), testKeys('b')]).size).toBe(3);
  });
});
