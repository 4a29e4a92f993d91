import { NONCE_LENGTH, TAG_LENGTH } from './xaes.js';

/** First field of every envelope; authenticated, so that a later version cannot be passed off as an earlier one. */
export const ENVELOPE_VERSION = 'mrtr1';

/** Every key id has this many characters: 4 bytes in base64url. */
export const KEY_ID_LENGTH = 6;

/** What a token consists of, before anything of it has been verified. */
export interface Envelope {
  readonly keyId: string;
  readonly nonce: Buffer;
  /** Ciphertext and tag. */
  readonly sealed: Buffer;
}

const PREFIX = `${ENVELOPE_VERSION}.`;
const BODY_START = PREFIX.length + KEY_ID_LENGTH + 1;
const BASE64URL = /^[A-Za-z0-9_-]+$/;

/*
 *  mrtr1 . keyId . base64url( nonce ‖ ciphertext ‖ tag )
 *  5       6                  24      any          16      characters before, bytes inside the parentheses
 *
 *  The alphabet is base64url without padding. Version and key id are readable and part of the cipher's AAD.
 */
export function encodeEnvelope(keyId: string, nonce: Uint8Array, sealed: Uint8Array): string {
  return `${PREFIX}${keyId}.${Buffer.concat([nonce, sealed]).toString('base64url')}`;
}

/**
 * Takes a token apart, if it is spelled as {@link encodeEnvelope} spells it. One envelope has one spelling: padding,
 * whitespace, the other base64 alphabet, stray trailing bits or further dots give `undefined`.
 */
export function decodeEnvelope(token: string): Envelope | undefined {
  if (!token.startsWith(PREFIX) || token[BODY_START - 1] !== '.') return undefined;
  const keyId = token.slice(PREFIX.length, BODY_START - 1);
  const body = token.slice(BODY_START);
  if (!BASE64URL.test(keyId)) return undefined;
  // The decoder of the runtime passes over whatever it does not know; only the comparison makes it strict.
  const bytes = Buffer.from(body, 'base64url');
  if (bytes.length < NONCE_LENGTH + TAG_LENGTH || bytes.toString('base64url') !== body) return undefined;
  return { keyId, nonce: bytes.subarray(0, NONCE_LENGTH), sealed: bytes.subarray(NONCE_LENGTH) };
}
