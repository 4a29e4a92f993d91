import assert from 'node:assert/strict';
import { keysOf } from '../option-checks.js';
import type { KeyProvider } from '../seal/key-provider.js';
import { messageOf } from './message-of.js';
import { assertOpens, currentOf, resolved, sealed } from './key-provider-use.js';

type Run = (provider: KeyProvider) => Promise<void>;

/** Ids as a client can make them up: six characters of base64url, which may mean something to a path, a query or an object. */
const UNKNOWN = ['AAAAAA', '______', '------', '__prot', '000000', '-1e999', 'zzzzzz'];

/** What every provider must do. */
export const KEY_PROVIDER_CASES: readonly (readonly [title: string, run: Run])[] = [
  [
    'is what the option keys takes',
    (provider) => {
      try {
        keysOf(true, provider);
        return Promise.resolve();
      } catch (error) {
        assert.fail(messageOf(error));
      }
    },
  ],
  [
    'gives a key to seal with',
    async (provider) => {
      await currentOf(provider);
    },
  ],
  [
    'gives the key that opens what the current one sealed',
    async (provider) => assertOpens(provider, await sealed(provider)),
  ],
  [
    'knows a key by each of its ids, whatever it sealed',
    async (provider) => {
      await assertOpens(provider, await sealed(provider, 'reply'));
      for (const keyId of (await currentOf(provider)).keyIds) {
        const ring = await resolved(provider, keyId);
        assert.ok(ring?.keyIds.includes(keyId), `resolve(${JSON.stringify(keyId)}) does not give the key of this id`);
      }
    },
  ],
  [
    'gives the same key for an id again',
    async (provider) => {
      const token = await sealed(provider);
      for (let time = 1; time <= 3; time += 1) await assertOpens(provider, token);
    },
  ],
  [
    'gives no key for an id that nothing was sealed under, and does not throw',
    async (provider) => {
      // A provider may give all its keys for whatever id: it is asked for none of these with success.
      for (const keyId of UNKNOWN) await resolved(provider, keyId);
    },
  ],
  [
    'still knows its keys after ids that it does not know',
    async (provider) => {
      const token = await sealed(provider);
      for (const keyId of UNKNOWN) await resolved(provider, keyId).catch(() => undefined);
      await assertOpens(provider, token);
    },
  ],
  [
    'answers many calls at once',
    async (provider) => {
      const tokens = await Promise.all(Array.from({ length: 20 }, () => sealed(provider)));
      const lookups = tokens.map((token) => assertOpens(provider, token));
      await Promise.all([...lookups, ...UNKNOWN.map((keyId) => resolved(provider, keyId))]);
    },
  ],
];

/** What providers over the same keys must do, on two nodes. */
export const SHARED_KEYS_CASES: readonly (readonly [
  title: string,
  run: (first: KeyProvider, second: KeyProvider) => Promise<void>,
])[] = [
  [
    'gives the key that opens what another node sealed',
    async (first, second) => {
      await assertOpens(second, await sealed(first));
      await assertOpens(first, await sealed(second));
    },
  ],
];

/** What a provider must do when the current key becomes another one. */
export const ROTATION_CASES: readonly (readonly [
  title: string,
  run: (provider: KeyProvider, rotate: () => void | Promise<void>) => Promise<void>,
])[] = [
  [
    'seals under another key after a rotation',
    async (provider, rotate) => {
      const before = await sealed(provider);
      await rotate();
      assert.notEqual((await sealed(provider)).keyId, before.keyId, 'current() gives the key of before the rotation');
    },
  ],
  [
    'gives the key that opens what was sealed before a rotation',
    async (provider, rotate) => {
      const before = await sealed(provider);
      await rotate();
      await assertOpens(provider, await sealed(provider));
      await assertOpens(provider, before);
    },
  ],
];
