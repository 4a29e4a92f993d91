import { MrtrTypeError } from '../errors.js';
import { lengthPrefixed } from './aad.js';
import { decodeEnvelope, encodeEnvelope, ENVELOPE_VERSION } from './envelope.js';
import type { Keyring, Purpose, PurposeKeys } from './keyring.js';
import { pooledRandom } from './random.js';
import { NONCE_LENGTH } from './xaes.js';

/** Why a token did not open. `unverified` covers a change of any byte, another `aad` and another purpose alike. */
export type UnsealFailure = 'malformed' | 'unknown_key' | 'unverified';

/** Whose state it is; `null` is an anonymous caller. */
export type StatePrincipal = {
  readonly issuer?: string;
  readonly subject: string;
  readonly client?: string;
} | null;

/**
 * Turns the state of a flow into the string that the client carries, and back. Implement it to keep keys in a KMS or to
 * store the state on a server; the built-in one is {@link SealedCodec}.
 *
 * The contract: `unseal` gives back exactly what `seal` took (a JSON object), and `undefined` for every other string and for
 * every other `aad`; it neither throws nor allocates by what a token claims. Expiry is the caller's business. A method that
 * rejects or throws means that the codec is out of order, and the caller answers with a server fault.
 *
 * @example
 * ```ts
 * const codec: RequestStateCodec = {
 *   seal: async (state, aad, principal) => vault.encrypt(JSON.stringify(state), aad),
 *   unseal: async (token, aad, principal) => …,
 * };
 * ```
 */
export interface RequestStateCodec {
  /** Called before a handler runs. A rejection says that nothing could be sealed now, so that the handler must not run. */
  ready?(): void | Promise<void>;
  /** @param aad - names the call and the principal; must be authenticated, need not be contained. */
  seal(state: Record<string, unknown>, aad: Uint8Array, principal: StatePrincipal): string | Promise<string>;
  /** @param token - hostile, of bounded length. */
  unseal(
    token: string,
    aad: Uint8Array,
    principal: StatePrincipal,
  ): Record<string, unknown> | undefined | Promise<Record<string, unknown> | undefined>;
  /** Why `unseal` refused a token, for the operator's eyes only. Without it every refusal counts as `unverified`. */
  diagnose?(token: string): UnsealFailure | Promise<UnsealFailure>;
}

/** Options of {@link SealedCodec}. */
export interface SealedCodecOptions {
  readonly keyring: Keyring;
  /** @default 'state' */
  readonly purpose?: Purpose;
  /** Source of nonces. @default random bytes of the operating system, pooled */
  readonly random?: (size: number) => Uint8Array;
}

/**
 * The built-in codec: XAES-256-GCM under a {@link Keyring}, nothing kept on the server. Purpose, envelope version, key id
 * and the caller's `aad` are authenticated, and only the key that the envelope names is tried.
 *
 * @example
 * ```ts
 * const codec = new SealedCodec({ keyring: Keyring.from(key) });
 * const token = codec.seal({ round: 1 }, aad);
 * codec.unseal(token, aad); // { round: 1 }
 * ```
 */
export class SealedCodec implements RequestStateCodec {
  readonly #keys: PurposeKeys;
  readonly #purpose: Purpose;
  /** By key id; asked only for ids of the ring, so no token can make it grow. */
  readonly #heads = new Map<string, Buffer>();
  readonly #random: (size: number) => Uint8Array;

  constructor({ keyring, purpose = 'state', random = pooledRandom }: SealedCodecOptions) {
    this.#keys = keyring.for(purpose);
    this.#purpose = purpose;
    this.#random = random;
  }

  /**
   * Seals under the first key of the ring.
   *
   * @param principal - not looked at: the caller's `aad` names it.
   * @throws MrtrTypeError `ERR_MRTR_CODEC` when `state` has no JSON text or is not an object.
   */
  seal(state: Record<string, unknown>, aad: Uint8Array, principal?: StatePrincipal): string;
  seal(state: Record<string, unknown>, aad: Uint8Array): string {
    const { keyId, cipher } = this.#keys.sealing;
    const nonce = this.#random(NONCE_LENGTH);
    return encodeEnvelope(keyId, nonce, cipher.seal(nonce, serialise(state), this.#cipherAad(keyId, aad)));
  }

  /** What was sealed for this purpose with this `aad`; otherwise `undefined`, whatever the string. Never throws. */
  unseal(token: string, aad: Uint8Array, principal?: StatePrincipal): Record<string, unknown> | undefined;
  unseal(token: string, aad: Uint8Array): Record<string, unknown> | undefined {
    const envelope = decodeEnvelope(token);
    if (envelope === undefined) return undefined;
    const key = this.#keys.find(envelope.keyId);
    if (key === undefined) return undefined;
    const plaintext = key.cipher.unseal(envelope.nonce, envelope.sealed, this.#cipherAad(key.keyId, aad));
    return plaintext && parse(plaintext);
  }

  diagnose(token: string): UnsealFailure {
    const envelope = decodeEnvelope(token);
    if (envelope === undefined) return 'malformed';
    return this.#keys.find(envelope.keyId) === undefined ? 'unknown_key' : 'unverified';
  }

  #cipherAad(keyId: string, aad: Uint8Array): Buffer {
    let head = this.#heads.get(keyId);
    if (head === undefined) {
      head = lengthPrefixed([this.#purpose, ENVELOPE_VERSION, keyId]);
      this.#heads.set(keyId, head);
    }
    const joined = Buffer.allocUnsafe(head.length + 4 + aad.length);
    joined.set(head);
    joined.set(aad, joined.writeUInt32BE(aad.length, head.length));
    return joined;
  }
}

function serialise(state: unknown): Buffer {
  let text: unknown;
  try {
    text = JSON.stringify(state);
  } catch {
    // A cycle or a bigint; the message of the runtime would quote member names of the state.
  }
  if (typeof text === 'string' && text.startsWith('{')) return Buffer.from(text);
  throw new MrtrTypeError('ERR_MRTR_CODEC', 'Only an object that JSON can express can be sealed.');
}

function parse(plaintext: Buffer): Record<string, unknown> | undefined {
  const text = plaintext.toString();
  if (!text.startsWith('{')) return undefined;
  try {
    return JSON.parse(text) as Record<string, unknown>;
  } catch {
    return undefined;
  }
}
