import { createCipheriv, createDecipheriv, type Cipher } from 'node:crypto';
import { MrtrRangeError } from '../errors.js';

export const KEY_LENGTH = 32;
export const NONCE_LENGTH = 24;
export const TAG_LENGTH = 16;

const ALGORITHM = 'aes-256-gcm';
/** Without it `setAuthTag` takes a tag cut to four bytes. */
const OPTIONS = { authTagLength: TAG_LENGTH } as const;

/**
 * XAES-256-GCM (https://c2sp.org/XAES-256-GCM): AES-256-GCM under a key derived per message from the first half of a
 * 192-bit nonce, so that nonces may be random for as long as the key lives.
 *
 * @example
 * ```ts
 * const cipher = new Xaes(key);
 * const sealed = cipher.seal(nonce, plaintext, aad);
 * cipher.unseal(nonce, sealed, aad); // the plaintext, or undefined
 * ```
 */
export class Xaes {
  /** One object for all messages: setting up AES costs four times the two blocks it has to encrypt. ECB carries no state over. */
  readonly #aes: Cipher;
  /** The two CMAC input blocks, `i ‖ 'X' ‖ 0 ‖ N[:12]` for i = 1, 2, under the CMAC subkey K1, with the nonce still zero. */
  readonly #mask: Buffer;
  readonly #blocks: Buffer;

  /** @param key - 32 bytes; copied. */
  constructor(key: Uint8Array) {
    this.#aes = createCipheriv('aes-256-ecb', key, null).setAutoPadding(false);
    const subkey = double(this.#aes.update(Buffer.alloc(16)));
    this.#mask = Buffer.concat([block(subkey ^ (0x00015800n << 96n)), block(subkey ^ (0x00025800n << 96n))]);
    this.#blocks = Buffer.from(this.#mask);
  }

  /**
   * Encrypts and authenticates.
   *
   * @param nonce - 24 bytes, never used before under this key; random is fine.
   * @param aad - authenticated, not contained in the result.
   * @returns `ciphertext ‖ 16-byte tag`.
   * @throws MrtrRangeError `ERR_MRTR_CODEC` when the nonce is not 24 bytes long.
   */
  seal(nonce: Uint8Array, plaintext: Uint8Array, aad: Uint8Array): Buffer {
    if (nonce.length !== NONCE_LENGTH) {
      throw new MrtrRangeError('ERR_MRTR_CODEC', `A nonce must be ${NONCE_LENGTH} bytes long, not ${nonce.length}.`);
    }
    const cipher = createCipheriv(ALGORITHM, this.#messageKey(nonce), nonce.subarray(12), OPTIONS).setAAD(aad);
    const ciphertext = cipher.update(plaintext);
    // Counter mode holds nothing back: this yields no bytes, it computes the tag.
    cipher.final();
    return Buffer.concat([ciphertext, cipher.getAuthTag()]);
  }

  /**
   * The plaintext, or `undefined` for whatever this key did not seal under this nonce and this `aad`. Never throws.
   */
  unseal(nonce: Uint8Array, sealed: Uint8Array, aad: Uint8Array): Buffer | undefined {
    const end = sealed.length - TAG_LENGTH;
    if (end < 0 || nonce.length !== NONCE_LENGTH) return undefined;
    try {
      const decipher = createDecipheriv(ALGORITHM, this.#messageKey(nonce), nonce.subarray(12), OPTIONS)
        .setAAD(aad)
        .setAuthTag(sealed.subarray(end));
      const plaintext = decipher.update(sealed.subarray(0, end));
      decipher.final();
      return plaintext;
    } catch {
      return undefined;
    }
  }

  #messageKey(nonce: Uint8Array): Buffer {
    // Both blocks have the same mask where the nonce goes.
    for (let i = 0; i < 12; i++) {
      const byte = (nonce[i] as number) ^ (this.#mask[4 + i] as number);
      this.#blocks[4 + i] = byte;
      this.#blocks[20 + i] = byte;
    }
    return this.#aes.update(this.#blocks);
  }
}

/** Doubling in GF(2^128), as CMAC makes its first subkey (NIST SP 800-38B, 6.1). */
function double(bytes: Buffer): bigint {
  const value = BigInt(`0x${bytes.toString('hex')}`) << 1n;
  return value >> 128n === 0n ? value : BigInt.asUintN(128, value) ^ 0x87n;
}

function block(value: bigint): Buffer {
  return Buffer.from(value.toString(16).padStart(32, '0'), 'hex');
}
