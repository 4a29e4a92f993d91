/**
 * One case of a contract, for any test runner. `run` rejects with an `AssertionError` when the contract is broken.
 *
 * @example
 * ```ts
 * for (const { title, run } of replayStoreContract(() => new MyStore())) it(title, run);
 * ```
 */
export interface ContractCase {
  readonly title: string;
  readonly run: () => Promise<void>;
}
