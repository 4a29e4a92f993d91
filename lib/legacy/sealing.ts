import { fieldsOf, type Principal } from '../principal.js';
import { lengthPrefixed } from '../seal/aad.js';
import type { RequestStateCodec } from '../seal/codec.js';
import type { Keyring } from '../seal/keyring.js';
import { sealedCodec } from '../seal/provided-codec.js';
import type { ProvidedKeys } from '../seal/provided-keys.js';

/** By what a service seals what it hands out to clients of earlier revisions, one codec a purpose. */
export interface Sealing {
  readonly audience: string;
  readonly session: RequestStateCodec;
  readonly requestId: RequestStateCodec;
  readonly letter: RequestStateCodec;
}

export function sealingOf(keys: Keyring | ProvidedKeys, audience: string): Sealing {
  return {
    audience,
    session: sealedCodec(keys, 'session'),
    requestId: sealedCodec(keys, 'request-id'),
    letter: sealedCodec(keys, 'letter'),
  };
}

/** What a sealed value is bound to: service, principal, and whatever else it must not be used for. */
export function boundTo(audience: string, principal: Principal | null, ...fields: readonly string[]): Uint8Array {
  return lengthPrefixed([audience, ...fields, ...fieldsOf(principal)]);
}
