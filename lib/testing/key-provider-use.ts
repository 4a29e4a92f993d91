import assert from 'node:assert/strict';
import { SealedCodec } from '../seal/codec.js';
import { decodeEnvelope } from '../seal/envelope.js';
import type { KeyProvider } from '../seal/key-provider.js';
import { keyring, type Keyring, type Purpose } from '../seal/keyring.js';
import { messageOf } from './message-of.js';

const AAD = Buffer.from('tools/call\0pay\0ann');
const STATE = { round: 1 };

/** Something sealed under the key that was the current one. */
export interface Token {
  readonly text: string;
  readonly purpose: Purpose;
  readonly keyId: string;
}

/** What `current()` gives, as a ring; fails when that is no key. */
export async function currentOf(provider: KeyProvider): Promise<Keyring> {
  const keys: unknown = await asked('current()', () => provider.current(signal()));
  return ringOf('current()', keys);
}

/** What `resolve()` gives for an id, as a ring; fails when that is neither a key nor `undefined`. */
export async function resolved(provider: KeyProvider, keyId: string): Promise<Keyring | undefined> {
  const call = `resolve(${JSON.stringify(keyId)})`;
  const keys: unknown = await asked(call, () => provider.resolve(keyId, signal()));
  return keys === undefined || keys === null ? undefined : ringOf(call, keys);
}

export async function sealed(provider: KeyProvider, purpose: Purpose = 'state'): Promise<Token> {
  const text = new SealedCodec({ keyring: await currentOf(provider), purpose }).seal(STATE, AAD);
  const keyId = decodeEnvelope(text)?.keyId;
  assert.ok(keyId !== undefined);
  return { text, purpose, keyId };
}

/** Fails unless the key that `resolve()` gives for a token's id opens it. */
export async function assertOpens(provider: KeyProvider, { text, purpose, keyId }: Token): Promise<void> {
  const ring = await resolved(provider, keyId);
  const id = `the id ${JSON.stringify(keyId)}, which current() sealed under (purpose ${purpose})`;
  assert.ok(ring !== undefined, `resolve() gives undefined for ${id}`);
  assert.ok(ring.keyIds.includes(keyId), `resolve() gives another key for ${id}`);
  assert.deepEqual(new SealedCodec({ keyring: ring, purpose }).unseal(text, AAD), STATE);
}

async function asked(call: string, work: () => unknown): Promise<unknown> {
  try {
    return await work();
  } catch (error) {
    assert.fail(`${call} throws: ${messageOf(error)}`);
  }
}

/** The messages about key material hold no part of it. */
function ringOf(call: string, keys: unknown): Keyring {
  try {
    return keyring(keys as Parameters<typeof keyring>[0], call);
  } catch (error) {
    assert.fail(`${call} gives no key: ${messageOf(error)}`);
  }
}

function signal(): AbortSignal {
  return new AbortController().signal;
}
