import type { Principal } from '../principal.js';
import { boundTo, type Sealing } from './sealing.js';

/**
 * A response as it travels through a mailbox: nobody who reads the mailbox can read it, and it opens at the one place to
 * which it is addressed. Rejects with `ERR_MRTR_KEYS` when the key provider is down.
 *
 * @param message - the JSON text of the response.
 * @param id - the mailbox id.
 */
export async function sealLetter(
  message: string,
  id: string,
  principal: Principal | null,
  sealing: Sealing,
): Promise<string> {
  return sealing.letter.seal({ m: message }, boundTo(sealing.audience, principal, id), principal);
}

/**
 * The message within a letter; `undefined` for one that is altered, addressed to another id, or of another principal, service
 * or key. Rejects with `ERR_MRTR_KEYS` when the key provider is down.
 */
export async function openLetter(
  text: string,
  id: string,
  principal: Principal | null,
  sealing: Sealing,
): Promise<string | undefined> {
  const packed = await sealing.letter.unseal(text, boundTo(sealing.audience, principal, id), principal);
  return typeof packed?.['m'] === 'string' ? packed['m'] : undefined;
}
