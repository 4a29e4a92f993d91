import { createCipheriv, createDecipheriv, randomBytes, randomFillSync } from 'node:crypto';
import { built } from '../built.js';
import { ratio } from '../statistics.js';
import type { Row } from '../table.js';
import { flowState } from './fixtures.js';
import { measure, repeat } from './measure.js';

const ALGORITHM = 'aes-256-gcm';
const NONCE_BYTES = 12;
const KEY = Buffer.alloc(32, 7).fill(9, 16);
const POOLED = 4096;
/** Bytes of answers in the state. */
const SIZES = [0, 8192] as const;

/**
 * Sealing and unsealing a state against the cipher alone: `createCipheriv` and `createDecipheriv` of AES-256-GCM, once each,
 * over the same bytes under a nonce of 12 bytes from a pool, no `aad`, nothing parsed and nothing encoded.
 */
export async function benchSeal(): Promise<readonly Row[]> {
  const rows: Row[] = [];
  for (const size of SIZES) rows.push(...(await rowsOf(size)));
  return rows;
}

async function rowsOf(answerBytes: number): Promise<Row[]> {
  const { SealedCodec } = await built('seal/codec');
  const { Keyring } = await built('seal/keyring');
  const { bindingOf } = await built('hosts/state');
  const aad = bindingOf('bench', 'tools/call', 'refund', { subject: 'ann' });
  const codec = new SealedCodec({ keyring: Keyring.from(KEY) });
  const state = await flowState(answerBytes);
  const plaintext = Buffer.from(JSON.stringify(state));
  const token = codec.seal(state, aad);
  const sealed = bareSeal(plaintext, randomBytes(NONCE_BYTES));
  const figures = await measure({
    seal: repeat(() => codec.seal(state, aad)),
    unseal: repeat(() => codec.unseal(token, aad)),
    'seal + unseal': repeat(() => codec.unseal(codec.seal(state, aad), aad)),
    'bare, pooled nonce (reference)': repeat(() => bareUnseal(bareSeal(plaintext, pooledNonce()))),
    'bare, nonce of randomBytes': repeat(() => bareUnseal(bareSeal(plaintext, randomBytes(NONCE_BYTES)))),
    'bare encryption only': repeat(() => bareSeal(plaintext, pooledNonce())),
    'bare decryption only': repeat(() => bareUnseal(sealed)),
    'bare with aad': repeat(() => bareUnseal(bareSeal(plaintext, pooledNonce(), aad), aad)),
    'bare with aad, JSON and base64url': repeat(() => textUnseal(textSeal(state, aad), aad)),
  });
  const reference = figures['bare, pooled nonce (reference)'];
  return Object.entries(figures).map(([name, { median, min, max, all }]) => ({
    case: name,
    plaintextBytes: plaintext.length,
    µs: median,
    min,
    max,
    'to reference': ratio(all, reference.all).median,
    // Beyond the state of a common flow JSON and base64url alone cost more than the cipher.
    target: name === 'seal + unseal' && answerBytes === 0 ? '<= 2.5' : '',
  }));
}

interface Sealed {
  readonly nonce: Buffer;
  readonly text: Buffer;
  readonly tag: Buffer;
}

function bareSeal(plaintext: Buffer, nonce: Buffer, aad?: Uint8Array): Sealed {
  const cipher = createCipheriv(ALGORITHM, KEY, nonce);
  if (aad !== undefined) cipher.setAAD(aad);
  const text = cipher.update(plaintext);
  cipher.final();
  return { nonce, text, tag: cipher.getAuthTag() };
}

function bareUnseal({ nonce, text, tag }: Sealed, aad?: Uint8Array): Buffer {
  const decipher = createDecipheriv(ALGORITHM, KEY, nonce, { authTagLength: 16 });
  if (aad !== undefined) decipher.setAAD(aad);
  decipher.setAuthTag(tag);
  const plaintext = decipher.update(text);
  decipher.final();
  return plaintext;
}

function textSeal(state: Readonly<Record<string, unknown>>, aad: Uint8Array): string {
  const { nonce, text, tag } = bareSeal(Buffer.from(JSON.stringify(state)), pooledNonce(), aad);
  return Buffer.concat([nonce, text, tag]).toString('base64url');
}

function textUnseal(token: string, aad: Uint8Array): unknown {
  const bytes = Buffer.from(token, 'base64url');
  const parts = { nonce: bytes.subarray(0, 12), text: bytes.subarray(12, -16), tag: bytes.subarray(-16) };
  return JSON.parse(bareUnseal(parts, aad).toString());
}

const pool = Buffer.alloc(POOLED);
let used = POOLED;

function pooledNonce(): Buffer {
  if (used + NONCE_BYTES > POOLED) {
    randomFillSync(pool);
    used = 0;
  }
  used += NONCE_BYTES;
  return pool.subarray(used - NONCE_BYTES, used);
}
