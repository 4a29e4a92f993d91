import { createHash } from 'node:crypto';
import fc from 'fast-check';
import { codeOf } from '../../lib/errors.js';
import { type RequestStateCodec, SealedCodec } from '../../lib/seal/codec.js';
import { Keyring, type Purpose } from '../../lib/seal/keyring.js';

const key = (seed: string): Buffer => createHash('sha256').update(seed).digest();
const codecOf = (...seeds: string[]): SealedCodec => new SealedCodec({ keyring: Keyring.from(seeds.map(key)) });
const aad = Buffer.from('the call and its principal');
const state = { round: 1, ledger: [{ key: 'confirm', answer: { action: 'accept' } }] };
const ALPHABET = Array.from('ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_');

const codec = codecOf('a');
const token = codec.seal(state, aad);

describe('SealedCodec', () => {
  it('gives back the state it sealed, whichever way it is held', async () => {
    const port: RequestStateCodec = codec;
    expect(codec.unseal(token, aad)).toEqual(state);
    expect(await port.unseal(await port.seal(state, aad, null), aad, { subject: 'ann' })).toEqual(state);
  });

  it('gives back any JSON object, lone surrogates and dangerous names included', () => {
    const unit = fc.integer({ min: 0, max: 0xffff }).map((each) => String.fromCharCode(each));
    const name = fc.oneof(fc.string({ unit }), fc.constantFrom('__proto__', 'constructor', 'toString'));
    const tree = fc.jsonValue({ maxDepth: 3 });
    fc.assert(
      fc.property(fc.array(fc.tuple(name, fc.oneof(tree, fc.string({ unit })))), (entries) => {
        const any = Object.fromEntries(entries);
        const opened = codec.unseal(codec.seal(any, aad), aad);
        expect(JSON.stringify(opened)).toBe(JSON.stringify(any));
        expect(Object.getPrototypeOf(opened)).toBe(Object.getPrototypeOf(JSON.parse('{}')));
      }),
    );
  });

  it('never gives the same token twice', () => {
    const tokens = Array.from({ length: 1000 }, () => codec.seal(state, aad));
    expect(new Set(tokens).size).toBe(1000);
  });

  it('shows nothing of the state in the token', () => {
    const secret = codec.seal({ secret: 'SENTINEL-SENTINEL' }, aad);
    const body = Buffer.from(secret.split('.')[2] ?? '', 'base64url');
    expect(secret + body.toString('latin1')).not.toContain('SENTINEL');
  });

  it('pins the format: one stored token of mrtr1', () => {
    const pinned = new SealedCodec({
      keyring: Keyring.from('mrtrk_AAECAwQFBgcICQoLDA0ODxAREhMUFRYXGBkaGxwdHh8'),
      random: (size) => Uint8Array.from({ length: size }, (_, i) => 0x40 + i),
    });
    const stored =
      'mrtr1.ryYDWA.QEFCQ0RFRkdISUpLTE1OT1BRUlNUVVZXs2zZths3m4x0gdmWtWmql6OYcMGBND9qspI3xnm_zToTkapi5FevTCZv';
    expect(pinned.seal({ round: 1, note: 'é€' }, Buffer.from('aad'))).toBe(stored);
    expect(pinned.unseal(stored, Buffer.from('aad'))).toEqual({ round: 1, note: 'é€' });
  });

  it.each([
    ['an array', [1]],
    ['a string', 'state'],
    ['null', null],
    ['undefined', undefined],
    ['a bigint inside', { n: 1n }],
    ['an object that has no JSON text', { toJSON: () => undefined }],
  ])('refuses to seal %s', (_, value) => {
    let thrown: unknown;
    try {
      codec.seal(value as unknown as Record<string, unknown>, aad);
    } catch (error) {
      thrown = error;
    }
    expect(thrown).toBeInstanceOf(TypeError);
    expect(codeOf(thrown)).toBe('ERR_MRTR_CODEC');
    expect((thrown as Error).message).toBe('Only an object that JSON can express can be sealed.');
  });

  it.each(['[1]', '"text"', 'null', '7', '', '{', '{"a":1}x', '\ufeff{}', ' {}'])(
    'is undefined for an authentic plaintext %j, which no object was',
    (plaintext) => {
      const { cipher, keyId } = Keyring.from(key('a')).for('state').sealing;
      const nonce = Buffer.alloc(24, 5);
      const header = cipherAad(aad);
      const seal = (text: string): string =>
        `mrtr1.${keyId}.${Buffer.concat([nonce, cipher.seal(nonce, Buffer.from(text), header)]).toString('base64url')}`;
      expect(codec.unseal(seal('{"a":1}'), aad)).toEqual({ a: 1 });
      expect(codec.unseal(seal(plaintext), aad)).toBeUndefined();
    },
  );
});

/** The AAD that the cipher sees under key a, field by field. */
function cipherAad(callerAad: Buffer): Buffer {
  const field = (bytes: Buffer): Buffer => {
    const length = Buffer.alloc(4);
    length.writeUInt32BE(bytes.length);
    return Buffer.concat([length, bytes]);
  };
  const { keyId } = Keyring.from(key('a')).for('state').sealing;
  const names = ['state', 'mrtr1', keyId].map((name) => field(Buffer.from(name, 'utf16le')));
  return Buffer.concat([...names, field(callerAad)]);
}

describe('a token that was altered', () => {
  const short = codec.seal({}, aad);

  it('C01 does not open, cut at any place', () => {
    for (let length = 0; length < token.length; length++) {
      expect(codec.unseal(token.slice(0, length), aad)).toBeUndefined();
    }
  });

  it('C01 does not open, cut by 1 to 16 bytes and re-encoded', () => {
    const body = Buffer.from(token.split('.')[2] ?? '', 'base64url');
    const encoded = (bytes: Buffer): string => `${token.slice(0, 13)}${bytes.toString('base64url')}`;
    expect(codec.unseal(encoded(body), aad)).toEqual(state);
    for (let cut = 1; cut <= 16; cut++) {
      expect(codec.unseal(encoded(body.subarray(0, -cut)), aad)).toBeUndefined();
      expect(codec.unseal(encoded(body.subarray(cut)), aad)).toBeUndefined();
    }
  });

  it('does not open with any single character replaced by any other of the alphabet', () => {
    expect(codec.unseal(short, aad)).toEqual({});
    for (let at = 0; at < short.length; at++) {
      for (const char of [...ALPHABET, '.', '=', '+', '/', ' ']) {
        if (char === short[at]) continue;
        const altered = short.slice(0, at) + char + short.slice(at + 1);
        if (codec.unseal(altered, aad) !== undefined) throw new Error(`Opened with ${char} at ${at}.`);
      }
    }
  });

  it('does not open with any single bit of its bytes flipped', () => {
    const body = Buffer.from(short.slice(13), 'base64url');
    for (let bit = 0; bit < 8 * body.length; bit++) {
      const flipped = Buffer.from(body);
      flipped.writeUInt8(flipped.readUInt8(bit >> 3) ^ (1 << (bit & 7)), bit >> 3);
      expect(codec.unseal(short.slice(0, 13) + flipped.toString('base64url'), aad)).toBeUndefined();
    }
  });

  it('does not open after any edit', () => {
    const insertion = fc.oneof(fc.string({ maxLength: 3 }), fc.string({ unit: fc.constantFrom(...ALPHABET) }));
    fc.assert(
      fc.property(fc.dictionary(fc.string(), fc.string()), fc.nat(), fc.nat(3), insertion, (any, place, cut, added) => {
        const sealed = codec.seal(any, aad);
        const at = place % (sealed.length + 1);
        const altered = sealed.slice(0, at) + added + sealed.slice(at + cut);
        fc.pre(altered !== sealed);
        expect(codec.unseal(altered, aad)).toBeUndefined();
      }),
      { numRuns: 500 },
    );
  });

  it('C02 does not open in another spelling', () => {
    const middle = token.length >> 1;
    const spellings = [
      `${token}=`,
      `${token}=AAAA`,
      `${token}!`,
      ` ${token}`,
      `${token} `,
      `${token}\n`,
      `${token.slice(0, middle)}\n${token.slice(middle)}`,
      ...ALPHABET.filter((char) => char !== token.at(-1)).map((char) => token.slice(0, -1) + char),
    ];
    expect(spellings).toHaveLength(70);
    for (const spelling of spellings) expect(codec.unseal(spelling, aad)).toBeUndefined();
  });

  it('C02 does not open with - and _ swapped for + and /', () => {
    const swappable = Array.from({ length: 50 }, () => codec.seal(state, aad)).filter((each) => /[-_]/.test(each));
    expect(swappable.length).toBeGreaterThan(0);
    for (const each of swappable) {
      expect(codec.unseal(each.replace(/-/g, '+').replace(/_/g, '/'), aad)).toBeUndefined();
    }
  });

  it('never throws, whatever the string', () => {
    const unit = fc.integer({ min: 0, max: 0xffff }).map((each) => String.fromCharCode(each));
    const prefix = fc.constantFrom('', 'mrtr1.', token.slice(0, 13));
    const tail = fc.oneof(fc.string({ unit }), fc.base64String());
    fc.assert(
      fc.property(fc.tuple(prefix, tail), ([head, rest]) => {
        expect(codec.unseal(head + rest, aad)).toBeUndefined();
        expect(['malformed', 'unknown_key', 'unverified']).toContain(codec.diagnose(head + rest));
      }),
      { numRuns: 1000 },
    );
  });
});

describe('what a token is bound to', () => {
  it('does not open with another AAD, nor with one that differs in length only', () => {
    for (const other of [
      '',
      'the call and its principal ',
      'the call and its principa',
      'The call and its principal',
    ]) {
      expect(codec.unseal(token, Buffer.from(other))).toBeUndefined();
    }
  });

  it('does not open for another purpose', () => {
    const purposes: Purpose[] = ['state', 'ticket', 'session', 'request-id', 'reply'];
    const keyring = Keyring.from(key('a'));
    const codecs = purposes.map((purpose) => new SealedCodec({ keyring, purpose }));
    for (const sealing of codecs) {
      for (const opening of codecs) {
        const opened = opening.unseal(sealing.seal(state, aad), aad);
        expect(opened).toEqual(sealing === opening ? state : undefined);
      }
    }
  });

  it('does not open for another purpose, not even under the key id of that purpose', () => {
    const keyring = Keyring.from(key('a'));
    const ticket = new SealedCodec({ keyring, purpose: 'ticket' });
    const grafted = token.replace(/\.[^.]{6}\./, `.${keyring.for('ticket').sealing.keyId}.`);
    expect(ticket.diagnose(grafted)).toBe('unverified');
    expect(ticket.unseal(grafted, aad)).toBeUndefined();
  });

  it('C05 does not open under another version', () => {
    for (const version of ['mrtr0', 'mrtr2', 'mrtr', 'mrtr11', 'MRTR1', '']) {
      expect(codec.unseal(token.replace('mrtr1', version), aad)).toBeUndefined();
    }
  });

  it('C05 does not open under the key id of another key of the ring', () => {
    const ring = codecOf('a', 'b');
    const idOf = (seed: string): string => Keyring.from(key(seed)).for('state').sealing.keyId;
    const graft = (sealed: string, keyId: string): string => sealed.slice(0, 6) + keyId + sealed.slice(12);
    const underA = codecOf('a').seal(state, aad);
    const underB = codecOf('b').seal(state, aad);
    expect(ring.unseal(underA, aad)).toEqual(state);
    expect(ring.unseal(underB, aad)).toEqual(state);
    expect(ring.unseal(graft(underA, idOf('b')), aad)).toBeUndefined();
    expect(ring.unseal(graft(underB, idOf('a')), aad)).toBeUndefined();
    expect(ring.diagnose(graft(underA, idOf('b')))).toBe('unverified');
  });
});

describe('rotation', () => {
  it('lets the rings [A,B] and [B,A] open the tokens of one another', () => {
    const [ab, ba] = [codecOf('a', 'b'), codecOf('b', 'a')];
    expect(ba.unseal(ab.seal(state, aad), aad)).toEqual(state);
    expect(ab.unseal(ba.seal(state, aad), aad)).toEqual(state);
  });

  it('C115 opens across every step of add, move to the front, remove', () => {
    const phases = [codecOf('old'), codecOf('old', 'new'), codecOf('new', 'old'), codecOf('new')];
    phases.forEach((phase, index) => {
      // While a step is under way some nodes have taken it and others have not: what either seals reaches the other.
      const next = phases[index + 1] ?? phase;
      expect(next.unseal(phase.seal(state, aad), aad)).toEqual(state);
      expect(phase.unseal(next.seal(state, aad), aad)).toEqual(state);
    });
  });

  it('C115 no longer opens what a removed key sealed', () => {
    const before = codecOf('old', 'new').seal(state, aad);
    expect(codecOf('new').unseal(before, aad)).toBeUndefined();
    expect(codecOf('new').diagnose(before)).toBe('unknown_key');
  });

  it('C115 names the unknown key when the new key was put in front first', () => {
    const early = codecOf('new', 'old').seal(state, aad);
    expect(codecOf('old').unseal(early, aad)).toBeUndefined();
    expect(codecOf('old').diagnose(early)).toBe('unknown_key');
  });
});

describe('diagnose', () => {
  it.each([
    ['malformed', ''],
    ['malformed', 'junk'],
    ['malformed', `${token}=`],
    ['malformed', token.replace('mrtr1', 'mrtr2')],
    ['unknown_key', codecOf('b').seal(state, aad)],
    ['unverified', token.slice(0, 13) + (token[13] === 'A' ? 'B' : 'A') + token.slice(14)],
  ])('says %s for %s', (reason, altered) => {
    expect(codec.unseal(altered, aad)).toBeUndefined();
    expect(codec.diagnose(altered)).toBe(reason);
  });
});
