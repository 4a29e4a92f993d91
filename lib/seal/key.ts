import { randomBytes } from 'node:crypto';
import { types } from 'node:util';
import { MrtrTypeError } from '../errors.js';
import { KEY_LENGTH } from './xaes.js';

/**
 * One key: `mrtrk_` followed by the base64url of at least 32 random bytes (no padding), or those bytes themselves. A string may
 * hold several keys separated by commas; spaces next to a comma are ignored, any other whitespace is refused.
 *
 * @example
 * ```ts
 * process.env.MRTR_KEYS = 'mrtrk_…, mrtrk_…';
 * ```
 */
export type KeyMaterial = string | Uint8Array;

const PREFIX = 'mrtrk_';
const GENERATE = 'Generate a key with `npx express-mrtr keygen`.';

/**
 * A new key, fit for the option `keys` and the variable `MRTR_KEYS`.
 *
 * @example
 * ```ts
 * generateKey(); // 'mrtrk_…', 49 characters
 * ```
 */
export function generateKey(random: (size: number) => Uint8Array = randomBytes): string {
  return PREFIX + checked(Buffer.from(random(KEY_LENGTH)), '"random"').toString('base64url');
}

/**
 * The bytes of every key, in their order, as copies.
 *
 * @param option - what the messages call the value.
 * @throws MrtrTypeError `ERR_MRTR_OPTION` for anything but the documented forms. No message contains a part of a key.
 */
export function readKeys(keys: KeyMaterial | readonly KeyMaterial[], option: string): [Buffer, ...Buffer[]] {
  const entries: readonly unknown[] = Array.isArray(keys) ? keys : [keys];
  // Spaces are ignored next to a comma only: at the ends of the whole string they are as likely a slip as a newline.
  const list = entries.flatMap((entry) => (typeof entry === 'string' ? entry.split(/ *, */) : [entry]));
  const [first, ...others] = list.map((key, index) =>
    readKey(key, list.length > 1 ? `"${option}" (entry ${index + 1})` : `"${option}"`),
  );
  if (first === undefined) throw refusal(`"${option}"`, 'is an empty list.');
  return [first, ...others];
}

function readKey(key: unknown, name: string): Buffer {
  if (typeof key === 'string') return checked(decodeKey(key, name), name);
  if (!types.isUint8Array(key)) {
    throw refusal(name, `is ${describe(key)}; a key is a string or a Uint8Array.`);
  }
  const bytes = Buffer.from(key);
  if (bytes.subarray(0, PREFIX.length).toString('latin1') === PREFIX) {
    throw refusal(
      name,
      `holds the text of a key as bytes: pass it as a string (read a file with 'utf8', and trim it).`,
    );
  }
  return checked(bytes, name);
}

function decodeKey(text: string, name: string): Buffer {
  if (text === '') throw refusal(name, 'is an empty string.');
  if (/\s/.test(text)) throw refusal(name, 'contains whitespace, perhaps the newline at the end of a file: trim it.');
  if (!text.startsWith(PREFIX)) throw refusal(name, `does not begin with "${PREFIX}"${resemblance(text)}.`);
  const body = text.slice(PREFIX.length);
  const bytes = Buffer.from(body, 'base64url');
  if (bytes.toString('base64url') !== body) {
    throw refusal(name, `is not canonical base64url after "${PREFIX}": it is damaged, padded or in another alphabet.`);
  }
  return bytes;
}

function checked(bytes: Buffer, name: string): Buffer {
  if (bytes.length < KEY_LENGTH) {
    throw refusal(name, `holds ${bytes.length} bytes; a key needs at least ${KEY_LENGTH}.`);
  }
  if (bytes.every((byte) => byte === bytes[0])) {
    throw refusal(name, 'consists of one byte repeated, which is no random key.');
  }
  return bytes;
}

function resemblance(text: string): string {
  if (/^[0-9a-f]{64,}$/i.test(text)) return `, it looks like hex: pass Buffer.from(value, 'hex')`;
  if (/^[\w+/-]{43,}={0,2}$/.test(text)) return `, it looks like base64: pass Buffer.from(value, 'base64')`;
  return '';
}

function describe(value: unknown): string {
  if (value === undefined || value === null) return `${String(value)} (is the environment variable set?)`;
  if (types.isKeyObject(value)) return 'a KeyObject (pass key.export())';
  if (types.isCryptoKey(value)) return 'a CryptoKey (pass its exported bytes)';
  if (Array.isArray(value)) return 'an array';
  return typeof value === 'object' ? 'an object' : `a ${typeof value}`;
}

/** The refusal of key material, built in one place so that none of its messages can come to hold a key. */
export function refusal(name: string, problem: string): MrtrTypeError {
  return new MrtrTypeError('ERR_MRTR_OPTION', `${name} ${problem} ${GENERATE}`);
}
