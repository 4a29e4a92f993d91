import { digestOf } from '../engine/fingerprint.js';

/**
 * A key for the option `keys` that is the same in every run: for tests only. Whoever knows the seed knows the key, so it
 * protects nothing; real keys come from `npx express-mrtr keygen`.
 *
 * @param seed - names the key; another seed gives another key, as a second one for a rotation.
 * @example
 * ```ts
 * const before = mrtr({ server, tools, keys: testKeys('old') });
 * const after = mrtr({ server, tools, keys: [testKeys('new'), testKeys('old')] });
 * ```
 */
export function testKeys(seed = ''): string {
  return `mrtrk_${digestOf(`express-mrtr/testing key ${seed}`)}`;
}
