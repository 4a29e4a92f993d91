import { SealedCodec, type RequestStateCodec, type UnsealFailure } from './codec.js';
import { decodeEnvelope } from './envelope.js';
import type { Keyring, Purpose } from './keyring.js';
import { ProvidedKeys } from './provided-keys.js';

/** The built-in codec, over keys that are at hand or over those of a provider. */
export function sealedCodec(keys: Keyring | ProvidedKeys, purpose: Purpose = 'state'): RequestStateCodec {
  return keys instanceof ProvidedKeys ? new ProvidedCodec(keys, purpose) : new SealedCodec({ keyring: keys, purpose });
}

/** {@link SealedCodec} under whichever ring the provider names. Rejects with `ERR_MRTR_KEYS` when the provider is down. */
class ProvidedCodec implements RequestStateCodec {
  readonly #keys: ProvidedKeys;
  readonly #purpose: Purpose;
  readonly #codecs = new WeakMap<Keyring, SealedCodec>();

  constructor(keys: ProvidedKeys, purpose: Purpose) {
    this.#keys = keys;
    this.#purpose = purpose;
  }

  async ready(): Promise<void> {
    await this.#keys.current();
  }

  async seal(state: Record<string, unknown>, aad: Uint8Array): Promise<string> {
    return this.#over(await this.#keys.sealing()).seal(state, aad);
  }

  async unseal(token: string, aad: Uint8Array): Promise<Record<string, unknown> | undefined> {
    const envelope = decodeEnvelope(token);
    if (envelope === undefined) return undefined;
    const ring = await this.#keys.find(this.#purpose, envelope.keyId);
    return ring && this.#over(ring).unseal(token, aad);
  }

  async diagnose(token: string): Promise<UnsealFailure> {
    const envelope = decodeEnvelope(token);
    if (envelope === undefined) return 'malformed';
    return (await this.#keys.find(this.#purpose, envelope.keyId)) === undefined ? 'unknown_key' : 'unverified';
  }

  #over(keyring: Keyring): SealedCodec {
    const known = this.#codecs.get(keyring);
    if (known !== undefined) return known;
    const codec = new SealedCodec({ keyring, purpose: this.#purpose });
    this.#codecs.set(keyring, codec);
    return codec;
  }
}
