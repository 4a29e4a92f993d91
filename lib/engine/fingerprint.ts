import { createHash, createHmac } from 'node:crypto';

/**
 * Names a question by what the person would see: the first 128 bits of the SHA-256 of its rendered request.
 * Two questions with the same fingerprint are the same question.
 */
export function fingerprintOf(rendered: string): string {
  return createHash('sha256').update(rendered, 'utf8').digest().subarray(0, 16).toString('base64url');
}

/** The whole SHA-256 of a text, for parameters too long to be sealed as they are. */
export function digestOf(text: string): string {
  return createHash('sha256').update(text, 'utf8').digest('base64url');
}

/** A key that whoever does not know the secret cannot guess: the HMAC-SHA256 of a label, base64url. */
export function keyedDigestOf(secret: string, label: string): string {
  // As JSON, where halves of surrogate pairs stay distinct that UTF-8 would map to one character.
  return createHmac('sha256', secret).update(JSON.stringify(label), 'utf8').digest('base64url');
}
