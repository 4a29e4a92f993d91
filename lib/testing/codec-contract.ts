import type { RequestStateCodec } from '../seal/codec.js';
import { CODEC_CASES } from './codec-cases.js';
import type { ContractCase } from './contract-case.js';

/**
 * The contract of {@link RequestStateCodec} as cases for any test runner. Expiry and the choice of keys are not part of it.
 *
 * @param make - a codec; called once a case.
 * @example
 * ```ts
 * import { codecContract } from 'express-mrtr/testing';
 *
 * for (const { title, run } of codecContract(() => new VaultCodec(client))) it(title, run);
 * ```
 */
export function codecContract(make: () => RequestStateCodec | Promise<RequestStateCodec>): readonly ContractCase[] {
  return CODEC_CASES.map(([title, run]) => ({ title, run: async () => run(await make()) }));
}
