import assert from 'node:assert/strict';
import type { ReplayStore } from '../stores/store.js';
import { PAST_SHORT, race, type Use } from './replay-store-use.js';

type Run = (first: ReplayStore, second: ReplayStore, use: Use) => Promise<void>;

/** What a store must do that several processes share. */
export const SHARED_STORE_CASES: readonly (readonly [title: string, run: Run])[] = [
  [
    'shares claims and replies between instances',
    async (first, second, { id, claim }) => {
      assert.equal(await claim(first, 'd'), 'claimed');
      assert.equal(await claim(second, 'd'), 'in_flight');
      assert.equal(await claim(second, 'other'), 'conflict');
      await first.settle(id, 'reply');
      assert.equal(await claim(second, 'd'), 'done: reply');
      assert.equal(await claim(second, 'other'), 'conflict');
    },
  ],
  [
    'lets one of 20 claims at once through, over two instances',
    async (first, second, { claim }) => {
      const outcomes = await race((at) => claim(at % 2 === 0 ? first : second, 'd'));
      assert.deepEqual(outcomes, ['claimed', ...Array.from({ length: 19 }, () => 'in_flight')]);
    },
  ],
  [
    'lets an instance neither settle nor release what another holds',
    async (first, second, { id, claim }) => {
      await claim(first, 'd');
      await second.release(id);
      await second.settle(id, 'forged');
      assert.equal(await claim(second, 'd'), 'in_flight');
      await first.settle(id, 'reply');
      assert.equal(await claim(second, 'd'), 'done: reply');
    },
  ],
  [
    'ignores the late settle and release of a holder that lost its claim to another',
    async (first, second, { id, claim, claimBriefly, pass }) => {
      await claimBriefly(first, 'd');
      await pass(PAST_SHORT);
      assert.equal(await claim(second, 'other'), 'claimed');
      await first.settle(id, 'late');
      await first.release(id);
      assert.equal(await claim(first, 'other'), 'in_flight');
      await second.settle(id, 'reply');
      assert.equal(await claim(first, 'other'), 'done: reply');
      assert.equal(await claim(first, 'd'), 'conflict');
    },
  ],
  [
    'ignores the late settle of a holder that lost its claim, after the other gave it back',
    async (first, second, { id, claim, claimBriefly, pass }) => {
      await claimBriefly(first, 'd');
      await pass(PAST_SHORT);
      await claim(second, 'd');
      await second.release(id);
      await first.settle(id, 'late');
      assert.equal(await claim(second, 'd'), 'claimed');
    },
  ],
];
