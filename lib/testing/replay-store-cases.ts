import assert from 'node:assert/strict';
import type { ReplayStore } from '../stores/store.js';
import { PAST_SHORT, race, SHORT, type Use } from './replay-store-use.js';

type Run = (store: ReplayStore, use: Use) => Promise<void>;

const TEXTS = [
  '',
  ' ',
  '"\\\n\r\0',
  '__proto__',
  'äöü €',
  '\u{1f600}',
  '\ud800',
  '\ud801',
  '\udc00\ud800',
  'a:b',
  'a',
  '{a}',
];

/** What every store must do. */
export const REPLAY_STORE_CASES: readonly (readonly [title: string, run: Run])[] = [
  ['claims an id that it does not know', async (store, { claim }) => assert.equal(await claim(store, 'd'), 'claimed')],
  [
    'says in_flight to the same digest and conflict to another while the claim is held',
    async (store, { claim }) => {
      await claim(store, 'd');
      assert.equal(await claim(store, 'd'), 'in_flight');
      assert.equal(await claim(store, 'other'), 'conflict');
      assert.equal(await claim(store, 'd'), 'in_flight', 'a refused claim has changed who holds the id');
    },
  ],
  [
    'gives the same digest the recorded reply, as often as it asks, and says conflict to another',
    async (store, { id, claim }) => {
      await claim(store, 'd');
      await claim(store, 'other');
      await store.settle(id, 'reply');
      assert.equal(await claim(store, 'd'), 'done: reply');
      assert.equal(await claim(store, 'other'), 'conflict');
      assert.equal(await claim(store, 'd'), 'done: reply');
    },
  ],
  [
    'lets any digest claim what was released',
    async (store, { id, claim }) => {
      await claim(store, 'd');
      await store.release(id);
      assert.equal(await claim(store, 'other'), 'claimed');
      assert.equal(await claim(store, 'd'), 'conflict');
    },
  ],
  [
    'keeps what was settled when it is released or settled again',
    async (store, { id, claim }) => {
      await claim(store, 'd');
      await store.settle(id, 'first');
      await store.settle(id, 'second');
      await store.release(id);
      assert.equal(await claim(store, 'd'), 'done: first');
    },
  ],
  [
    'records nothing for an id that nobody claimed, or that was released',
    async (store, { id, claim }) => {
      await store.settle(id, 'reply');
      await store.release(id);
      assert.equal(await claim(store, 'd'), 'claimed');
      await store.release(id);
      await store.settle(id, 'reply');
      assert.equal(await claim(store, 'd'), 'claimed');
    },
  ],
  [
    'keeps ids apart, whatever characters they consist of',
    async (store, { id, claim }) => {
      const ids = TEXTS.map((text) => `${id}${text}`);
      for (const each of ids) assert.equal(await claim(store, 'd', each), 'claimed', JSON.stringify(each));
      for (const each of ids) await store.settle(each, `reply of ${each}`);
      for (const each of ids) assert.equal(await claim(store, 'd', each), `done: reply of ${each}`);
    },
  ],
  [
    'keeps digests apart, whatever characters they consist of',
    async (store, { id, claim }) => {
      for (const held of TEXTS) {
        await claim(store, held);
        for (const other of TEXTS) {
          assert.equal(
            await claim(store, other),
            other === held ? 'in_flight' : 'conflict',
            JSON.stringify([held, other]),
          );
        }
        await store.release(id);
      }
    },
  ],
  [
    'gives back a reply to the character, empty and long ones included',
    async (store, { id, claim }) => {
      for (const [at, reply] of [...TEXTS, '€'.repeat(100_000)].entries()) {
        await claim(store, 'd', `${id}-${at}`);
        await store.settle(`${id}-${at}`, reply);
        assert.ok((await claim(store, 'd', `${id}-${at}`)) === `done: ${reply}`, `reply ${at} came back altered`);
      }
    },
  ],
  [
    'lets one of 20 claims at once through, and tells the others that it is in flight',
    async (store, { claim }) => {
      const others = Array.from({ length: 19 }, () => 'in_flight');
      assert.deepEqual(await race(() => claim(store, 'd')), ['claimed', ...others]);
    },
  ],
  [
    'lets one of 20 claims of different digests at once through, and tells the others of the conflict',
    async (store, { claim }) => {
      const others = Array.from({ length: 19 }, () => 'conflict');
      assert.deepEqual(await race((at) => claim(store, `d${at}`)), ['claimed', ...others]);
    },
  ],
  [
    'lets any digest claim an id whose lease ran out',
    async (store, { claim, claimBriefly, pass }) => {
      await claimBriefly(store, 'd');
      await pass(PAST_SHORT);
      assert.equal(await claimBriefly(store, 'other'), 'claimed');
      await pass(PAST_SHORT);
      assert.equal(await claim(store, 'other'), 'claimed');
      assert.equal(await claim(store, 'd'), 'conflict');
    },
  ],
  [
    'holds a claim for the whole of its lease',
    async (store, { claim, pass }) => {
      await claim(store, 'd');
      await pass(PAST_SHORT);
      assert.equal(await claim(store, 'd'), 'in_flight');
      assert.equal(await claim(store, 'other'), 'conflict');
    },
  ],
  [
    'takes the reply of a holder whose lease ran out, as long as nobody else claimed the id',
    async (store, { id, claim, claimBriefly, pass }) => {
      await claimBriefly(store, 'd');
      await pass(PAST_SHORT);
      await store.settle(id, 'late');
      assert.equal(await claim(store, 'd'), 'done: late');
    },
  ],
  [
    'keeps a reply beyond the lease',
    async (store, { id, claim, claimBriefly, pass }) => {
      await claimBriefly(store, 'd');
      await store.settle(id, 'reply');
      await pass(PAST_SHORT);
      assert.equal(await claim(store, 'd'), 'done: reply');
      assert.equal(await claim(store, 'other'), 'conflict');
    },
  ],
  [
    'forgets an id that has expired, so that it does not grow for ever',
    async (store, { id, claim, now, pass }) => {
      await store.claim(id, 'd', SHORT, now() + SHORT);
      await store.settle(id, 'reply');
      await pass(PAST_SHORT);
      assert.equal(await claim(store, 'other'), 'claimed');
    },
  ],
];
