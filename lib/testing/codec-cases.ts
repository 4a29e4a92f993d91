import assert from 'node:assert/strict';
import type { RequestStateCodec, StatePrincipal } from '../seal/codec.js';
import { altered, claimingLengths, JUNK, placesIn, truncated } from './hostile-tokens.js';

type Run = (codec: RequestStateCodec) => Promise<void>;

// Texts, so that a codec that changes what it is given spoils its own case only.
const AAD = 'tools/call\0pay\0ann';
const STATE = '{"round":1,"ledger":[{"key":"confirm","answer":{"action":"accept"}}]}';
const PRINCIPAL: StatePrincipal = { issuer: 'https://id.example.com', subject: 'ann', client: 'app' };

const STATES = {
  'every kind of value': '{"a":[],"b":{},"c":[null,true,false,0,-1.5,1e21,"",[[{"d":[1,[2]]}]]],"":""}',
  'text beyond ASCII, lone surrogates included': String.raw`{"äöü €":"\ud83d\ude00","\ud800":"\udc00\u0000\u2028","ﬁ":"e\u0301 \u00e9"}`,
  'members named as those of Object.prototype':
    '{"__proto__":{"polluted":true},"constructor":{"prototype":{"polluted":true}},"toString":"text","hasOwnProperty":1}',
  'no member': '{}',
  '32 KiB of text': JSON.stringify({ text: 'Zürich €'.repeat(3000) }),
  'a thousand members': JSON.stringify(Object.fromEntries(Array.from({ length: 1000 }, (_, at) => [`k${at}`, at]))),
};

/** A codec that holds on to memory for a token of a few bytes has believed what the token says of its length. */
const BELIEVED = 32 * 1024 * 1024;

/** What every codec must do. */
export const CODEC_CASES: readonly (readonly [title: string, run: Run])[] = [
  ...Object.entries(STATES).map(([what, text]): [string, Run] => [
    `gives back a state of ${what}`,
    async (codec) => {
      const token = await codec.seal(parsed(text), Buffer.from(AAD), PRINCIPAL);
      assert.equal(typeof token, 'string', 'seal gives no string');
      assertState(await codec.unseal(token, Buffer.from(AAD), PRINCIPAL), text);
      assert.equal('polluted' in {}, false, 'Object.prototype has a new member');
    },
  ]),
  [
    'gives back the state of an anonymous caller',
    async (codec) => {
      const token = await codec.seal(parsed(STATE), Buffer.from(AAD), null);
      assertState(await codec.unseal(token, Buffer.from(AAD), null), STATE);
    },
  ],
  [
    'gives back each of many states, sealed and unsealed at once',
    async (codec) => {
      const states = Array.from({ length: 20 }, (_, at) => ({ at }));
      const tokens = await Promise.all(states.map(async (state) => codec.seal(state, Buffer.from(AAD), PRINCIPAL)));
      const opened = await Promise.all(
        tokens.toReversed().map(async (token) => codec.unseal(token, Buffer.from(AAD), PRINCIPAL)),
      );
      assertState({ opened }, JSON.stringify({ opened: states.toReversed() }));
    },
  ],
  [
    'keeps what was sealed when the state, the aad or what it gave back changes afterwards',
    async (codec) => {
      const state = parsed(STATE);
      const aad = Buffer.from(AAD);
      const token = await codec.seal(state, aad, PRINCIPAL);
      state['round'] = 2;
      aad.fill(0);
      const first = await codec.unseal(token, Buffer.from(AAD), PRINCIPAL);
      assertState(first, STATE);
      for (const name of Object.keys(first ?? {})) delete first?.[name];
      assertState(await codec.unseal(token, Buffer.from(AAD), PRINCIPAL), STATE);
    },
  ],
  [
    'takes neither state nor aad to be its own to change',
    async (codec) => {
      const state = parsed(STATE);
      const aad = Buffer.from(AAD);
      const token = await codec.seal(state, aad, PRINCIPAL);
      await codec.unseal(token, aad, PRINCIPAL);
      assertState(state, STATE);
      assert.deepEqual(aad, Buffer.from(AAD));
    },
  ],
  [
    'refuses a token under every other aad',
    async (codec) => {
      const token = await codec.seal(parsed(STATE), Buffer.from(AAD), PRINCIPAL);
      for (const aad of otherThan(Buffer.from(AAD))) await refuses(codec, token, aad);
    },
  ],
  ['refuses junk', async (codec) => refusesAll(codec, JUNK)],
  [
    'refuses a token that was cut short, at whichever end',
    async (codec) => refusesAll(codec, truncated(await codec.seal(parsed(STATE), Buffer.from(AAD), PRINCIPAL))),
  ],
  [
    'refuses a token of which any character was altered, added or left out',
    async (codec) => refusesAll(codec, altered(await codec.seal(parsed(STATE), Buffer.from(AAD), PRINCIPAL))),
  ],
  [
    'refuses a token made of two',
    async (codec) => {
      const one = await codec.seal(parsed(STATE), Buffer.from(AAD), PRINCIPAL);
      const two = await codec.seal({ ...parsed(STATE), round: 2 }, Buffer.from(AAD), PRINCIPAL);
      for (const at of placesIn(one)) {
        const spliced = one.slice(0, at) + two.slice(at);
        if (spliced !== one && spliced !== two) await refuses(codec, spliced);
      }
    },
  ],
  [
    'does not allocate by a length that a token claims',
    async (codec) => {
      for (const token of claimingLengths(await codec.seal(parsed(STATE), Buffer.from(AAD), PRINCIPAL))) {
        const before = memory();
        await refuses(codec, token);
        assert.ok(memory() - before < BELIEVED, `a token of ${token.length} characters took more than 32 MiB`);
      }
    },
  ],
];

/** The bytes with one bit changed, cut short and made longer. */
function otherThan(aad: Buffer): Buffer[] {
  const changed = Array.from(aad, (byte, at) => Buffer.from(aad).fill(byte ^ 1, at, at + 1));
  const cut = Array.from(aad, (_byte, end) => aad.subarray(0, end));
  return [...changed, ...cut, aad.subarray(1), Buffer.concat([aad, Buffer.alloc(1)]), Buffer.concat([aad, aad])];
}

async function refusesAll(codec: RequestStateCodec, tokens: readonly string[]): Promise<void> {
  for (const token of tokens) await refuses(codec, token);
}

async function refuses(codec: RequestStateCodec, token: string, aad: Uint8Array = Buffer.from(AAD)): Promise<void> {
  let opened: unknown;
  try {
    opened = await codec.unseal(token, aad, PRINCIPAL);
  } catch (error) {
    assert.fail(`unseal throws ${String(error)} for ${JSON.stringify(token)}`);
  }
  assert.equal(opened, undefined, `unseal opens ${JSON.stringify(token)} under ${JSON.stringify(String(aad))}`);
}

function assertState(opened: Record<string, unknown> | undefined, text: string): void {
  assert.ok(opened !== undefined, 'unseal gives undefined for what seal made');
  assert.ok(ordered(opened) === ordered(parsed(text)), `the state came back altered: ${shown(opened)}`);
}

/** The JSON text with members in order of their names, each object as a list of them: a name such as __proto__ is a name. */
function ordered(value: unknown): string {
  return JSON.stringify(value, (_name, member: unknown) => {
    if (typeof member !== 'object' || member === null || Array.isArray(member)) return member;
    return { members: Object.entries(member).sort(([a], [b]) => (a < b ? -1 : 1)) };
  });
}

function shown(value: unknown): string {
  return JSON.stringify(value).slice(0, 200);
}

function parsed(text: string): Record<string, unknown> {
  return JSON.parse(text) as Record<string, unknown>;
}

function memory(): number {
  const { heapUsed, external } = process.memoryUsage();
  return heapUsed + external;
}
