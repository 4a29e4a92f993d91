import { createHash, createSecretKey, webcrypto } from 'node:crypto';
import { format, inspect } from 'node:util';
import { codeOf } from '../../lib/errors.js';
import { generateKey, Keyring, type KeyMaterial, type Purpose } from '../../lib/seal/keyring.js';

const PURPOSES: readonly Purpose[] = ['state', 'ticket', 'session', 'request-id', 'reply'];
const bytes = (seed: string): Buffer => createHash('sha256').update(seed).digest();
const text = (seed: string): string => `mrtrk_${bytes(seed).toString('base64url')}`;
const keyIds = (ring: Keyring): string[] => PURPOSES.map((purpose) => ring.for(purpose).sealing.keyId);

/** The refusal of `keys`, after checking what every refusal owes: a class, a code, the option, the way out, no secret. */
function refusal(keys: unknown, option?: string): string {
  let thrown: unknown;
  try {
    Keyring.from(keys as KeyMaterial, option);
  } catch (error) {
    thrown = error;
  }
  expect(thrown).toBeInstanceOf(TypeError);
  expect(codeOf(thrown)).toBe('ERR_MRTR_OPTION');
  const { message } = thrown as Error;
  expect(message).toMatch(new RegExp(`^"${option ?? 'keys'}" `));
  expect(message).toMatch(/ Generate a key with `npx express-mrtr keygen`\.$/);
  for (const secret of spellings(keys)) {
    for (let at = 0; at + 8 <= secret.length; at++) expect(message).not.toContain(secret.slice(at, at + 8));
  }
  return message;
}

function spellings(keys: unknown): string[] {
  if (typeof keys === 'string') return [keys.replace(/^mrtrk_/, '')];
  if (keys instanceof Uint8Array) return ['hex', 'base64', 'base64url', 'latin1'].map((form) => encode(keys, form));
  return Array.isArray(keys) ? keys.flatMap(spellings) : [];
}

function encode(key: Uint8Array, form: string): string {
  return Buffer.from(key)
    .toString(form as BufferEncoding)
    .replace(/^mrtrk_/, '');
}

describe('generateKey', () => {
  it('makes a key that a ring takes, another one each time', () => {
    expect(generateKey()).toMatch(/^mrtrk_[A-Za-z0-9_-]{43}$/);
    expect(generateKey()).not.toBe(generateKey());
    expect(Keyring.from(generateKey()).size).toBe(1);
  });

  it('spells the 32 bytes it is given', () => {
    expect(generateKey((size) => Uint8Array.from({ length: size }, (_, i) => i))).toBe(
      'mrtrk_AAECAwQFBgcICQoLDA0ODxAREhMUFRYXGBkaGxwdHh8',
    );
  });

  it('refuses a random source that gives too little or a constant', () => {
    expect(() => generateKey(() => new Uint8Array(8))).toThrow('"random" holds 8 bytes; a key needs at least 32.');
    expect(() => generateKey((size) => new Uint8Array(size))).toThrow('"random" consists of one byte repeated');
  });
});

describe('Keyring', () => {
  it('takes a string, bytes, and a list of both', () => {
    expect(Keyring.from(text('a')).size).toBe(1);
    expect(Keyring.from(bytes('a')).size).toBe(1);
    expect(Keyring.from(new Uint8Array(bytes('a'))).size).toBe(1);
    expect(Keyring.from([text('a'), bytes('b')]).size).toBe(2);
  });

  it('reads the string and the bytes of one key as the same key', () => {
    expect(keyIds(Keyring.from(text('a')))).toEqual(keyIds(Keyring.from(bytes('a'))));
  });

  it('takes keys longer than 32 bytes, and every byte of them counts', () => {
    const long = Buffer.concat([bytes('a'), bytes('b')]);
    const other = Buffer.from(long);
    other.writeUInt8(other.readUInt8(63) ^ 1, 63);
    expect(keyIds(Keyring.from(long))).not.toEqual(keyIds(Keyring.from(other)));
    expect(keyIds(Keyring.from(`mrtrk_${long.toString('base64url')}`))).toEqual(keyIds(Keyring.from(long)));
  });

  it.each([',', ', ', ' , ', '  ,'])('splits a string at %j', (separator) => {
    const ring = Keyring.from([text('a'), text('b')].join(separator));
    expect(ring.size).toBe(2);
    expect(ring.for('state').sealing.keyId).toBe(Keyring.from(text('a')).for('state').sealing.keyId);
  });

  it('seals with the first key and finds each by its id', () => {
    const ids = ['a', 'b', 'c'].map((seed) => Keyring.from(text(seed)).for('state').sealing.keyId);
    const keys = Keyring.from([text('a'), text('b'), text('c')]).for('state');
    expect(keys.sealing.keyId).toBe(ids[0]);
    expect(keys.find(ids[0] ?? '')).toBe(keys.sealing);
    expect(ids.map((id) => keys.find(id)?.keyId)).toEqual(ids);
  });

  it.each(['AAAAAA', '', '__proto__', 'constructor', 'toString'])('finds nothing under the id %j', (id) => {
    expect(Keyring.from(text('a')).for('state').find(id)).toBeUndefined();
  });

  it('pins the key ids that a key has for each purpose', () => {
    expect(keyIds(Keyring.from('mrtrk_AAECAwQFBgcICQoLDA0ODxAREhMUFRYXGBkaGxwdHh8'))).toEqual([
      'ryYDWA',
      'mkn2vg',
      'jocaAQ',
      'VpMcSQ',
      'o56vuw',
    ]);
  });

  it('derives another cipher for each purpose, once', () => {
    const ring = Keyring.from(text('a'));
    const sealed = PURPOSES.map((purpose) =>
      ring.for(purpose).sealing.cipher.seal(Buffer.alloc(24), Buffer.alloc(32), Buffer.alloc(0)).toString('hex'),
    );
    expect(new Set(sealed).size).toBe(PURPOSES.length);
    for (const purpose of PURPOSES) expect(ring.for(purpose)).toBe(ring.for(purpose));
  });

  it('makes an ephemeral ring of 32 random bytes', () => {
    expect(keyIds(Keyring.ephemeral())).not.toEqual(keyIds(Keyring.ephemeral()));
    expect(keyIds(Keyring.ephemeral(() => bytes('a')))).toEqual(keyIds(Keyring.from(text('a'))));
    expect(() => Keyring.ephemeral(() => new Uint8Array(16))).toThrow('"random" holds 16 bytes');
  });
});

describe('C116 key material traps', () => {
  const hexKey = bytes('a').toString('hex');
  const base64Key = bytes('a').toString('base64');
  const short = `mrtrk_${bytes('a').subarray(1).toString('base64url')}`;

  it.each<[string, unknown, string]>([
    ['undefined', undefined, '"keys" is undefined (is the environment variable set?);'],
    ['null', null, '"keys" is null (is the environment variable set?);'],
    ['the empty string', '', '"keys" is an empty string.'],
    ['the number 32', 32, '"keys" is a number; a key is a string or a Uint8Array.'],
    ['a boolean', true, '"keys" is a boolean;'],
    ['a function', () => text('a'), '"keys" is a function;'],
    ['an object', { key: text('a') }, '"keys" is an object;'],
    ['an ArrayBuffer', new ArrayBuffer(32), '"keys" is an object;'],
    ['a KeyObject', createSecretKey(bytes('a')), '"keys" is a KeyObject (pass key.export());'],
    ['32 zero bytes', Buffer.alloc(32), '"keys" consists of one byte repeated, which is no random key.'],
    ['32 zero bytes in a string', `mrtrk_${'A'.repeat(43)}`, '"keys" consists of one byte repeated'],
    ['32 equal bytes', Buffer.from('a'.repeat(32)), '"keys" consists of one byte repeated'],
    ['31 bytes', bytes('a').subarray(1), '"keys" holds 31 bytes; a key needs at least 32.'],
    ['31 bytes in a string', short, '"keys" holds 31 bytes; a key needs at least 32.'],
    ['no bytes', new Uint8Array(), '"keys" holds 0 bytes;'],
    ['the prefix alone', 'mrtrk_', '"keys" holds 0 bytes;'],
    [
      '64 hex characters',
      hexKey,
      `"keys" does not begin with "mrtrk_", it looks like hex: pass Buffer.from(value, 'hex')`,
    ],
    ['64 hex capitals', hexKey.toUpperCase(), '"keys" does not begin with "mrtrk_", it looks like hex:'],
    ['44 base64 characters', base64Key, '"keys" does not begin with "mrtrk_", it looks like base64:'],
    ['base64 and a newline', `${base64Key}\n`, '"keys" contains whitespace'],
    ['a missing prefix', text('a').slice(6), '"keys" does not begin with "mrtrk_", it looks like base64:'],
    ['a prefix in capitals', text('a').replace('mrtrk_', 'MRTRK_'), '"keys" does not begin with "mrtrk_"'],
    ['a password', 'correct horse', '"keys" contains whitespace'],
    ['32 letters', 'a'.repeat(32), '"keys" does not begin with "mrtrk_".'],
    [
      'a trailing newline',
      `${text('a')}\n`,
      '"keys" contains whitespace, perhaps the newline at the end of a file: trim it.',
    ],
    ['a trailing space', `${text('a')} `, '"keys" contains whitespace'],
    ['a leading space', ` ${text('a')}`, '"keys" contains whitespace'],
    ['a newline after a comma', `${text('a')},\n${text('b')}`, '"keys" (entry 2) contains whitespace'],
    ['padding', `${text('a')}=`, '"keys" is not canonical base64url after "mrtrk_"'],
    ['the other alphabet', `mrtrk_${'+/'.repeat(22)}`, '"keys" is not canonical base64url after "mrtrk_"'],
    ['stray trailing bits', 'mrtrk_AAECAwQFBgcICQoLDA0ODxAREhMUFRYXGBkaGxwdHh9', '"keys" is not canonical base64url'],
    ['the text of a key as bytes', Buffer.from(`${text('a')}\n`), '"keys" holds the text of a key as bytes:'],
    ['an absent entry', [text('a'), undefined], '"keys" (entry 2) is undefined'],
    ['a nested list', [[text('a')]], '"keys" is an array;'],
    ['a trailing comma', `${text('a')},`, '"keys" (entry 2) is an empty string.'],
    ['a comma alone', ',', '"keys" (entry 1) is an empty string.'],
    ['a bad entry among good ones', [text('a'), bytes('b'), hexKey], '"keys" (entry 3) does not begin with "mrtrk_"'],
  ])('refuses %s', (_, keys, message) => {
    expect(refusal(keys)).toContain(message);
  });

  it('refuses a CryptoKey', async () => {
    const key = await webcrypto.subtle.importKey('raw', bytes('a'), 'AES-GCM', true, ['encrypt']);
    expect(refusal(key)).toContain('"keys" is a CryptoKey (pass its exported bytes);');
  });

  it('names the option it was told', () => {
    expect(refusal('', 'MRTR_KEYS')).toBe(
      '"MRTR_KEYS" is an empty string. Generate a key with `npx express-mrtr keygen`.',
    );
  });

  it('takes the canonical neighbour of each refused string', () => {
    expect(Keyring.from('mrtrk_AAECAwQFBgcICQoLDA0ODxAREhMUFRYXGBkaGxwdHh8').size).toBe(1);
    expect(Keyring.from(text('a')).size).toBe(1);
  });

  it('is not affected by later changes to the bytes and the list it was given', () => {
    const key = new Uint8Array(bytes('a'));
    const list: KeyMaterial[] = [key, text('b')];
    const ring = Keyring.from(list);
    const before = keyIds(ring);
    const sealed = (): Buffer => ring.for('state').sealing.cipher.seal(Buffer.alloc(24), key, Buffer.alloc(0));
    key.fill(0);
    const first = sealed();
    list.reverse();
    list.pop();
    expect(ring.size).toBe(2);
    expect(keyIds(ring)).toEqual(before);
    expect(keyIds(ring)).toEqual(keyIds(Keyring.from(text('a'))));
    const fresh = Keyring.from(text('a')).for('state').sealing.cipher;
    expect(first).toEqual(fresh.seal(Buffer.alloc(24), key, Buffer.alloc(0)));
  });

  it('leaves the bytes it was given as they are', () => {
    const key = bytes('a');
    Keyring.from(key);
    expect(key).toEqual(bytes('a'));
  });
});

describe('C115 bad lists', () => {
  it('refuses an empty list', () => {
    expect(refusal([])).toBe('"keys" is an empty list. Generate a key with `npx express-mrtr keygen`.');
  });

  it.each<[string, readonly KeyMaterial[] | string]>([
    ['strings', [text('b'), text('a'), text('c'), text('a')]],
    ['a string and bytes', [bytes('b'), text('a'), text('c'), bytes('a')]],
    ['one string', ['b', 'a', 'c', 'a'].map(text).join(',')],
  ])('refuses one key given twice among %s', (_, keys) => {
    expect(refusal(keys)).toContain('"keys" contains the same key twice, as entries 2 and 4: remove one.');
  });

  it('refuses two keys whose key ids for one purpose collide', () => {
    const pair = [bytes('colliding key 1300'), bytes('colliding key 65409')];
    const ids = pair.map((key) => Keyring.from(key).for('state').sealing.keyId);
    expect(ids).toEqual(['Qn4FYQ', 'Qn4FYQ']);
    expect(refusal(pair)).toContain('"keys" contains two different keys with the same key id');
  });
});

describe('C121 redaction', () => {
  const ring = Keyring.from([text('a'), text('b')]);
  const secrets = ['a', 'b'].flatMap((seed) => spellings(bytes(seed)));

  it.each<[string, () => string]>([
    ['util.inspect', () => inspect(ring)],
    [
      'util.inspect with everything shown',
      () => inspect(ring, { showHidden: true, depth: null, customInspect: false }),
    ],
    ['a container under util.inspect', () => inspect({ options: [ring] }, { depth: null })],
    ['console formatting', () => format('%o %O %s %j', ring, ring, ring, ring)],
    ['JSON.stringify', () => JSON.stringify({ ring, keys: ring.for('state') })],
    ['String()', () => String(ring)],
    ['its derived keys under util.inspect', () => inspect(ring.for('state'), { showHidden: true, depth: null })],
    ['a shallow copy', () => inspect(Object.assign({}, ring), { depth: null })],
  ])('shows no key through %s', (_, show) => {
    const shown = show();
    for (const secret of secrets) expect(shown).not.toContain(secret.slice(0, 8));
    expect(shown).not.toMatch(/mrtrk_|Buffer|Uint8Array/);
  });

  it('leaves no key in the memory that small buffers share', () => {
    // A typed array has memory of its own, so that the test does not put there what it looks for.
    const key = Uint8Array.from({ length: 32 }, (_, i) => 7 * i + 3);
    const shared = (): Buffer => Buffer.from(Buffer.from('x').buffer);
    Buffer.from('a marker of this test');
    expect(shared().includes('a marker of this test')).toBe(true);
    Keyring.from('mrtrk_AwoRGB8mLTQ7QklQV15lbHN6gYiPlp2kq7K5wMfO1dw');
    expect(Keyring.from(key).for('state').sealing.keyId).toBe(
      Keyring.from('mrtrk_AwoRGB8mLTQ7QklQV15lbHN6gYiPlp2kq7K5wMfO1dw').for('state').sealing.keyId,
    );
    expect(shared().indexOf(key)).toBe(-1);
  });

  it('shows how many keys there are', () => {
    expect(inspect(ring)).toBe('Keyring(2, redacted)');
    expect(JSON.stringify({ ring })).toBe('{"ring":"Keyring(2, redacted)"}');
  });
});
