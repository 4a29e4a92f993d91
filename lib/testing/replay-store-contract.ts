import type { ReplayStore } from '../stores/store.js';
import type { ContractCase } from './contract-case.js';
import { REPLAY_STORE_CASES } from './replay-store-cases.js';
import { useOf, type StoreClock } from './replay-store-use.js';
import { SHARED_STORE_CASES } from './shared-store-cases.js';

/** What the contract may know of a store beyond its three methods. */
export interface ReplayStoreContractOptions extends StoreClock {
  /** A second instance over the same data, for stores that several processes share. Called after `make`. */
  readonly makeSecond?: () => ReplayStore | Promise<ReplayStore>;
}

/**
 * The contract of {@link ReplayStore} as cases for any test runner. A store that several processes share shows with
 * `makeSecond` that it really is shared.
 *
 * @param make - a store; called once a case. It may hold records of earlier cases.
 * @example
 * ```ts
 * import { replayStoreContract } from 'express-mrtr/testing';
 *
 * for (const { title, run } of replayStoreContract(() => new MyStore(pool), { makeSecond: () => new MyStore(pool) })) {
 *   it(title, run);
 * }
 * ```
 */
export function replayStoreContract(
  make: () => ReplayStore | Promise<ReplayStore>,
  options: ReplayStoreContractOptions = {},
): readonly ContractCase[] {
  const { makeSecond } = options;
  const alone = REPLAY_STORE_CASES.map(([title, run]) => ({
    title,
    run: async () => run(await make(), useOf(options)),
  }));
  if (makeSecond === undefined) return alone;
  const shared = SHARED_STORE_CASES.map(([title, run]) => ({
    title,
    run: async () => run(await make(), await makeSecond(), useOf(options)),
  }));
  return [...alone, ...shared];
}
