import { hkdfSync, randomBytes } from 'node:crypto';
import { inspect } from 'node:util';
import { ENVELOPE_VERSION } from './envelope.js';
import { type KeyMaterial, readKeys, refusal } from './key.js';
import { KEY_LENGTH, Xaes } from './xaes.js';

export { generateKey, type KeyMaterial } from './key.js';

/** One key, several, or a ring that {@link keyring} made: the first seals, each of them unseals. */
export type KeySet = KeyMaterial | readonly KeyMaterial[] | Keyring;

const MARK = Symbol.for('express-mrtr.Keyring');

const PURPOSES = ['state', 'ticket', 'session', 'request-id', 'letter', 'reply'] as const;

/** What a derived key is for. Nothing sealed for one purpose opens under another. */
export type Purpose = (typeof PURPOSES)[number];

/** A key derived for one purpose. */
export interface PurposeKey {
  /** Names the key in clear inside an envelope; says nothing about the key itself. */
  readonly keyId: string;
  readonly cipher: Xaes;
}

/** All keys of a ring, derived for one purpose. */
export interface PurposeKeys {
  /** The first key of the ring. */
  readonly sealing: PurposeKey;
  readonly ids: readonly string[];
  find(keyId: string): PurposeKey | undefined;
}

/**
 * The keys of a service. The first one seals, each of them unseals: to rotate, add the new key at the end on every node,
 * move it to the front on every node, and remove the old one when everything sealed under it has expired.
 *
 * The key bytes are not kept: what a purpose needs is derived at construction, and nothing of it shows when a ring is
 * logged or serialised.
 *
 * @example
 * ```ts
 * const ring = keyring(process.env.MRTR_KEYS ?? '');
 * console.log(ring); // Keyring(2, redacted)
 * ```
 */
export class Keyring {
  static {
    Object.defineProperty(this.prototype, MARK, { value: true });
  }

  /** How many keys are in the ring. */
  readonly size: number;
  /** All ids by which envelopes name these keys: of each key one for every purpose. */
  readonly keyIds: readonly string[];
  readonly #purposes: Readonly<Record<Purpose, PurposeKeys>>;

  private constructor(keys: readonly [Buffer, ...Buffer[]], name: string) {
    this.size = keys.length;
    this.#purposes = Object.fromEntries(PURPOSES.map((purpose) => [purpose, derive(keys, purpose, name)])) as Record<
      Purpose,
      PurposeKeys
    >;
    this.keyIds = Object.freeze(PURPOSES.flatMap((purpose) => this.#purposes[purpose].ids));
    // These copies may lie in a slab of memory that small buffers share.
    for (const key of keys) key.fill(0);
  }

  /**
   * A ring of the given keys, in this order.
   *
   * @param keys - see {@link KeyMaterial}; later changes to the arrays have no effect.
   * @param option - what messages call the value. Default `'keys'`.
   * @throws MrtrTypeError `ERR_MRTR_OPTION` for an empty list, a key twice, and any key that is short, empty, absent, of
   *   one repeated byte, without the prefix, damaged or of another type. No message contains a part of a key.
   */
  static from(keys: KeyMaterial | readonly KeyMaterial[], option = 'keys'): Keyring {
    const bytes = readKeys(keys, option);
    bytes.forEach((key, index) => {
      const first = bytes.findIndex((other) => other.equals(key));
      if (first !== index) {
        throw refusal(
          `"${option}"`,
          `contains the same key twice, as entries ${first + 1} and ${index + 1}: remove one.`,
        );
      }
    });
    return new Keyring(bytes, `"${option}"`);
  }

  /** A ring of one random key that ends with the process: what it sealed opens nowhere else, nor after a restart. */
  static ephemeral(random: (size: number) => Uint8Array = randomBytes): Keyring {
    return Keyring.from(random(KEY_LENGTH), 'random');
  }

  /** Whether a value is a ring, of whichever copy of this package. */
  static is(value: unknown): value is Keyring {
    return typeof value === 'object' && value !== null && MARK in value;
  }

  /**
   * The keys for one purpose; the same object on every call.
   * @internal
   */
  for(purpose: Purpose): PurposeKeys {
    return this.#purposes[purpose];
  }

  toString(): string {
    return `Keyring(${this.size}, redacted)`;
  }

  toJSON(): string {
    return this.toString();
  }

  [inspect.custom](): string {
    return this.toString();
  }
}

/**
 * Makes a ring of keys, for the option `keys`: checked once, its bytes not kept, nothing of it shown when it is logged. Give
 * it to several middlewares rather than the keys themselves, or ask it which ids its keys have.
 *
 * @param keys - see {@link KeyMaterial}; a ring is given back as it is. The first seals, each of them unseals.
 * @param option - what messages call the value. Default `'keys'`.
 * @throws MrtrTypeError `ERR_MRTR_OPTION` for an empty list, a key twice, and whatever is no key. No message contains a part of
 *   a key.
 *
 * @example
 * ```ts
 * const ring = keyring([newKey, oldKey]);
 * ring.keyIds.includes(keyId); // whether one of them has this id
 * ```
 */
export function keyring(keys: KeySet, option = 'keys'): Keyring {
  return Keyring.is(keys) ? keys : Keyring.from(keys, option);
}

function derive([first, ...others]: readonly [Buffer, ...Buffer[]], purpose: Purpose, name: string): PurposeKeys {
  const sealing = derivedKey(first, purpose);
  const keys = [sealing, ...others.map((key) => derivedKey(key, purpose))];
  const byId = new Map(keys.map((key) => [key.keyId, key]));
  if (byId.size !== keys.length) {
    throw refusal(name, 'contains two different keys with the same key id, a rare coincidence: replace one of them.');
  }
  return { sealing, ids: [...byId.keys()], find: (keyId) => byId.get(keyId) };
}

function derivedKey(key: Buffer, purpose: Purpose): PurposeKey {
  const output = (label: string, size: number): Buffer =>
    Buffer.from(hkdfSync('sha256', key, '', `express-mrtr/${ENVELOPE_VERSION}/${purpose}/${label}`, size));
  return { keyId: output('id', 4).toString('base64url'), cipher: new Xaes(output('key', KEY_LENGTH)) };
}
