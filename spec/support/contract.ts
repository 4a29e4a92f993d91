import type { ContractCase } from '../../lib/testing/contract-case.js';

/** The titles of the cases that fail. */
export async function brokenCases(cases: readonly ContractCase[]): Promise<string[]> {
  const broken: string[] = [];
  for (const { title, run } of cases) {
    await run().catch(() => broken.push(title));
  }
  return broken;
}
