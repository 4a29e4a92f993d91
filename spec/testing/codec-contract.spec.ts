import { createCipheriv, createDecipheriv, createHash, createHmac, randomBytes, randomUUID } from 'node:crypto';
import { type RequestStateCodec, SealedCodec } from '../../lib/seal/codec.js';
import { Keyring } from '../../lib/seal/keyring.js';
import { codecContract } from '../../lib/testing/codec-contract.js';
import { brokenCases } from '../support/contract.js';

type State = Record<string, unknown>;

const keyring = Keyring.ephemeral();
const sealed = (): SealedCodec => new SealedCodec({ keyring });

/** A codec that keeps the state on the server, as one with a database would. */
function stored(copy = (state: State): State => structuredClone(state)): RequestStateCodec {
  const rows = new Map<string, { state: State; aad: string }>();
  return {
    async seal(state, aad) {
      const id = randomUUID();
      rows.set(id, { state: copy(state), aad: Buffer.from(aad).toString('hex') });
      return id;
    },
    async unseal(token, aad) {
      const row = rows.get(token);
      return row?.aad === Buffer.from(aad).toString('hex') ? copy(row.state) : undefined;
    },
  };
}

/** JSON in clear under a MAC: right in all but secrecy, which the contract cannot see. The parts can be swapped for wrong ones. */
function signed({
  parse = JSON.parse as (text: string) => State,
  lenient = false,
  aadIn = true,
} = {}): RequestStateCodec {
  const mac = (body: string, aad: Uint8Array): string =>
    createHmac('sha256', 'key')
      .update(`${body.length}.${body}`)
      .update(aadIn ? aad : '')
      .digest('base64url');
  return {
    seal(state, aad) {
      const body = Buffer.from(JSON.stringify(state)).toString('base64url');
      return `${body}.${mac(body, aad)}`;
    },
    unseal(token, aad) {
      const [body = '', tag = '', ...rest] = (lenient ? token.trim() : token).split('.');
      if (rest.length > 0 || tag !== mac(body, aad)) return undefined;
      return parse(Buffer.from(body, 'base64url').toString());
    },
  };
}

function over(change: (codec: SealedCodec) => Partial<RequestStateCodec>): () => RequestStateCodec {
  return () => {
    const codec = sealed();
    const { seal, unseal } = change(codec);
    return { seal: seal ?? codec.seal.bind(codec), unseal: unseal ?? codec.unseal.bind(codec) };
  };
}

/** Copies members by assignment, which loses one named `__proto__`. */
function assigned(state: State): State {
  const copy: State = {};
  for (const [name, value] of Object.entries(state)) copy[name] = value;
  return copy;
}

/** Merges members recursively into what is there: the classic of prototype pollution. */
function merged(from: State, into: State = {}): State {
  for (const [name, value] of Object.entries(from)) {
    const target = into[name];
    if (typeof target === 'object' && target !== null && typeof value === 'object' && value !== null) {
      merged(value as State, target as State);
    } else into[name] = value;
  }
  return into;
}

const gcmKey = createHash('sha256').update('key').digest();

/** AES-GCM whose tag is taken at the length it happens to have. */
const shortTags: RequestStateCodec = {
  seal(state, aad) {
    const nonce = randomBytes(12);
    const cipher = createCipheriv('aes-256-gcm', gcmKey, nonce, { authTagLength: 16 }).setAAD(aad);
    const body = Buffer.concat([cipher.update(JSON.stringify(state)), cipher.final()]);
    return Buffer.concat([nonce, body]).toString('base64url') + '.' + cipher.getAuthTag().toString('base64url');
  },
  unseal(token, aad) {
    try {
      const [body = '', tag = ''] = token.split('.').map((part) => Buffer.from(part, 'base64url'));
      const decipher = createDecipheriv('aes-256-gcm', gcmKey, Buffer.from(body).subarray(0, 12)).setAAD(aad);
      decipher.setAuthTag(Buffer.from(tag));
      const text = decipher.update(Buffer.from(body).subarray(12)).toString() + decipher.final().toString();
      return JSON.parse(text) as State;
    } catch {
      return undefined;
    }
  },
};

describe('the contract of codecs', () => {
  describe.each<[string, () => RequestStateCodec | Promise<RequestStateCodec>]>([
    ['SealedCodec', sealed],
    ['a codec that keeps the state on the server', () => Promise.resolve(stored())],
    ['a codec that signs', () => signed()],
  ])('is fulfilled by %s, which', (_name, make) => {
    for (const { title, run } of codecContract(make)) it(title, run);
  });

  const text = (what: string): string => `gives back a state of ${what}`;
  const proto = text('members named as those of Object.prototype');

  it.each<[string, () => RequestStateCodec, string]>([
    ['gives no string', over(() => ({ seal: () => 7 as unknown as string })), text('no member')],
    ['opens nothing', over(() => ({ unseal: () => undefined })), text('no member')],
    ['opens everything', over(() => ({ unseal: () => ({ round: 1 }) })), 'refuses junk'],
    ['loses __proto__', over((codec) => ({ seal: (state, aad) => codec.seal(assigned(state), aad) })), proto],
    [
      'reads numbers as text',
      () => signed({ parse: (json) => JSON.parse(json.replaceAll('-1.5', '"-1.5"')) as State }),
      text('every kind of value'),
    ],
    [
      'mangles lone surrogates',
      over((codec) => ({
        seal: (state, aad) =>
          codec.seal(JSON.parse(JSON.stringify(state).replaceAll('\\ud800', '\ufffd')) as State, aad),
      })),
      text('text beyond ASCII, lone surrogates included'),
    ],
    [
      'cuts long states',
      over((codec) => ({ seal: (state, aad) => codec.seal(JSON.stringify(state).length > 9999 ? {} : state, aad) })),
      text('32 KiB of text'),
    ],
    [
      'keeps a hundred members',
      over((codec) => ({
        seal: (state, aad) => codec.seal(Object.fromEntries(Object.entries(state).slice(0, 100)), aad),
      })),
      text('a thousand members'),
    ],
    [
      'has no place for the anonymous',
      over((codec) => ({
        seal: (state, aad, principal) => codec.seal({ ...state, by: principal?.subject ?? 'nobody' }, aad),
        unseal: (token, aad) => {
          const { by, ...state } = codec.unseal(token, aad) ?? { by: undefined };
          return by === undefined || by === 'nobody' ? undefined : state;
        },
      })),
      'gives back the state of an anonymous caller',
    ],
    [
      'remembers one state only',
      () => {
        let last: State | undefined;
        const codec = sealed();
        return {
          seal: (state, aad) => codec.seal((last = state), aad),
          unseal: (token, aad) => codec.unseal(token, aad) && last,
        };
      },
      'gives back each of many states, sealed and unsealed at once',
    ],
    [
      'keeps the state itself and not a copy',
      () => stored((state) => state),
      'keeps what was sealed when the state, the aad or what it gave back changes afterwards',
    ],
    [
      'marks the state it seals',
      over((codec) => ({
        seal(state, aad) {
          const token = codec.seal(state, aad);
          state['sealed'] = true;
          return token;
        },
      })),
      'takes neither state nor aad to be its own to change',
    ],
    [
      'wipes the aad',
      over((codec) => ({
        seal(state, aad) {
          const token = codec.seal(state, aad);
          aad.fill(0);
          return token;
        },
      })),
      'takes neither state nor aad to be its own to change',
    ],
    ['does not bind the aad', () => signed({ aadIn: false }), 'refuses a token under every other aad'],
    [
      'binds the beginning of the aad',
      over((codec) => ({
        seal: (state, aad) => codec.seal(state, aad.subarray(0, 8)),
        unseal: (token, aad) => codec.unseal(token, aad.subarray(0, 8)),
      })),
      'refuses a token under every other aad',
    ],
    [
      'takes aads of one sum for one',
      over((codec) => ({
        seal: (state, aad) =>
          codec.seal(
            state,
            Buffer.from(aad).filter((byte) => byte !== 0),
          ),
        unseal: (token, aad) =>
          codec.unseal(
            token,
            Buffer.from(aad).filter((byte) => byte !== 0),
          ),
      })),
      'refuses a token under every other aad',
    ],
    [
      'throws for junk',
      over((codec) => ({
        unseal(token, aad) {
          if (!token.includes('.')) throw new Error('not a token');
          return codec.unseal(token, aad);
        },
      })),
      'refuses junk',
    ],
    [
      'rejects for junk',
      over((codec) => ({
        async unseal(token, aad) {
          if (token === '') throw new Error('empty');
          return codec.unseal(token, aad);
        },
      })),
      'refuses junk',
    ],
    [
      'gives null for junk',
      over((codec) => ({ unseal: (token, aad) => codec.unseal(token, aad) ?? (null as unknown as undefined) })),
      'refuses junk',
    ],
    ['takes shortened tags', () => shortTags, 'refuses a token that was cut short, at whichever end'],
    [
      'trims tokens',
      () => signed({ lenient: true }),
      'refuses a token of which any character was altered, added or left out',
    ],
    [
      'decodes tokens leniently',
      over((codec) => ({ unseal: (token, aad) => codec.unseal(token.replaceAll('=', ''), aad) })),
      'refuses a token of which any character was altered, added or left out',
    ],
    [
      'authenticates the second half only',
      () => {
        const codec = sealed();
        return {
          seal: (state, aad) => `${JSON.stringify(state)}|${codec.seal({}, aad)}`,
          unseal(token, aad) {
            const bar = token.lastIndexOf('|');
            try {
              return codec.unseal(token.slice(bar + 1), aad) && (JSON.parse(token.slice(0, bar)) as State);
            } catch {
              return undefined;
            }
          },
        };
      },
      'refuses a token made of two',
    ],
    [
      'allocates by a length in digits',
      over((codec) => ({
        seal: (state, aad) => `1000.${codec.seal(state, aad)}`,
        unseal(token, aad) {
          const [, size = '', rest = ''] = /^(\d{1,9})\.(.*)$/s.exec(token) ?? [];
          return Buffer.alloc(Number(size)).length === 1000 ? codec.unseal(rest, aad) : undefined;
        },
      })),
      'does not allocate by a length that a token claims',
    ],
    [
      'allocates by a length in bytes',
      over((codec) => ({
        seal: (state, aad) =>
          Buffer.concat([Buffer.from([0, 0, 3, 232]), Buffer.from(codec.seal(state, aad))]).toString('base64url'),
        unseal(token, aad) {
          const bytes = Buffer.from(token, 'base64url');
          if (bytes.length < 4 || bytes.toString('base64url') !== token) return undefined;
          const size = bytes.readUInt32BE();
          const space = Buffer.alloc(size > 2 ** 28 ? 0 : size);
          return space.length === 1000 ? codec.unseal(bytes.toString('latin1', 4), aad) : undefined;
        },
      })),
      'does not allocate by a length that a token claims',
    ],
  ])('is broken by a codec that %s', async (_what, make, title) => {
    expect(await brokenCases(codecContract(make))).toContain(title);
  });

  it('is broken by a codec that pollutes Object.prototype', async () => {
    try {
      const make = over((codec) => ({
        unseal: (token, aad) => {
          const state = codec.unseal(token, aad);
          return state && merged(state);
        },
      }));
      expect(await brokenCases(codecContract(make))).toContain(proto);
    } finally {
      delete (Object.prototype as unknown as State)['polluted'];
    }
  });
});
