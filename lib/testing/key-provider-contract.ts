import type { KeyProvider } from '../seal/key-provider.js';
import type { ContractCase } from './contract-case.js';
import { KEY_PROVIDER_CASES, ROTATION_CASES, SHARED_KEYS_CASES } from './key-provider-cases.js';

/** What the contract may do with a provider beyond its two methods. */
export interface KeyProviderContractOptions {
  /** A second instance over the same keys, as another node has it. Called after `make`. */
  readonly makeSecond?: () => KeyProvider | Promise<KeyProvider>;
  /** Makes another key the current one where the keys live, and keeps the old one. Called after `make`. */
  readonly rotate?: () => void | Promise<void>;
}

/**
 * The contract of {@link KeyProvider} as cases for any test runner. That calls end when their signal aborts is not part of it:
 * a provider that hangs shows as a case that does.
 *
 * @param make - a provider; called once a case.
 * @example
 * ```ts
 * import { keyProviderContract } from 'express-mrtr/testing';
 *
 * const make = () => new KmsKeyProvider(kms);
 * for (const { title, run } of keyProviderContract(make, { makeSecond: make, rotate: () => kms.rotate() })) it(title, run);
 * ```
 */
export function keyProviderContract(
  make: () => KeyProvider | Promise<KeyProvider>,
  { makeSecond, rotate }: KeyProviderContractOptions = {},
): readonly ContractCase[] {
  const alone = KEY_PROVIDER_CASES.map(([title, run]) => ({ title, run: async () => run(await make()) }));
  const shared =
    makeSecond === undefined
      ? []
      : SHARED_KEYS_CASES.map(([title, run]) => ({ title, run: async () => run(await make(), await makeSecond()) }));
  const rotated =
    rotate === undefined
      ? []
      : ROTATION_CASES.map(([title, run]) => ({ title, run: async () => run(await make(), rotate) }));
  return [...alone, ...shared, ...rotated];
}
