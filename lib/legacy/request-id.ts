import type { Principal } from '../principal.js';
import { pooledRandom } from '../seal/random.js';
import { boundTo, type Sealing } from './sealing.js';

/** What a request id of ours stands for. */
export interface Asked {
  /** Where the call waits for the response; see {@link newMailboxId}. */
  readonly mailboxId: string;
  /** Milliseconds of the epoch from which on nobody waits any more. */
  readonly expiresAt: number;
}

const MAX_LENGTH = 200;

/** A place in a mailbox that nobody can guess: 16 random bytes in base64url. */
export function newMailboxId(random: (size: number) => Uint8Array = pooledRandom): string {
  return Buffer.from(random(16)).toString('base64url');
}

/**
 * The JSON-RPC id of a request to the client: at most 200 characters, which the client sends back with its response to
 * whichever node. Rejects with `ERR_MRTR_KEYS` when the key provider is down.
 */
export async function sealRequestId(
  { mailboxId, expiresAt }: Asked,
  sessionId: string,
  principal: Principal | null,
  sealing: Sealing,
): Promise<string> {
  const packed = { m: mailboxId, e: expiresAt };
  return sealing.requestId.seal(packed, boundTo(sealing.audience, principal, sessionId), principal);
}

/**
 * The mailbox id within the id of a response; `undefined` for one that is altered, not ours, of another session, principal or
 * key, or expired. Rejects with `ERR_MRTR_KEYS` when the key provider is down.
 *
 * @param id - hostile.
 * @param now - milliseconds of the epoch; add what clocks of nodes may be apart to `expiresAt`.
 */
export async function openRequestId(
  id: unknown,
  sessionId: string,
  principal: Principal | null,
  now: number,
  sealing: Sealing,
): Promise<string | undefined> {
  if (typeof id !== 'string' || id.length > MAX_LENGTH) return undefined;
  const binding = boundTo(sealing.audience, principal, sessionId);
  const { m, e } = (await sealing.requestId.unseal(id, binding, principal)) ?? {};
  return typeof m === 'string' && typeof e === 'number' && now < e ? m : undefined;
}
