/** How a {@link ReplayStore} answers a claim. */
export type Claim =
  /** The round is the caller's to run; it ends with `settle` or `release`. */
  | { readonly kind: 'claimed' }
  /** The same answers are being worked on right now. */
  | { readonly kind: 'in_flight' }
  /** The same answers were worked on before; `reply` is what `settle` recorded. */
  | { readonly kind: 'done'; readonly reply: string }
  /** Other answers were, or are being, worked on. */
  | { readonly kind: 'conflict' };

/**
 * Remembers which states were presented, so that each is taken once. Whatever keeps a record and can test and set it in one
 * step can be one; `MemoryReplayStore` and `RedisReplayStore` come with the package.
 *
 * | what is known of the id | same digest | other digest |
 * | --- | --- | --- |
 * | nothing, or it was released | `claimed` | `claimed` |
 * | claimed, the lease is running | `in_flight` | `conflict` |
 * | claimed, the lease ran out | `claimed` | `claimed` |
 * | settled | `done` | `conflict` |
 *
 * Single use is at most once a lease: a holder that takes longer than its lease loses its claim to whoever asks next. A holder
 * that lost its claim can neither overwrite nor release the claim of the next. The holder is the store instance, since `settle`
 * and `release` name an id only: of two claims of one instance to one id, the later one is what it holds.
 *
 * How long records survive is the store's business. One that forgets (a restart, an eviction, a failover) lets a state in a
 * second time; one that throws, rejects or stays silent makes the caller refuse the request.
 *
 * @example
 * ```ts
 * const claim = await store.claim(id, digest, 60_000, Date.now() + 300_000);
 * if (claim.kind === 'claimed') await store.settle(id, await work());
 * ```
 */
export interface ReplayStore {
  /**
   * Takes the state for the caller, or tells who has it. Atomic: of any number of claims at once, one is `claimed`.
   *
   * @param id - names one `requestState`.
   * @param digest - covers the answers presented with it.
   * @param leaseMs - for how long the claim holds unless settled.
   * @param expiresAt - milliseconds of the epoch after which the id can never be presented validly. Until then a record must
   *   be kept.
   */
  claim(id: string, digest: string, leaseMs: number, expiresAt: number): Claim | Promise<Claim>;
  /**
   * Records the reply of a claim that this store instance holds, until `expiresAt`; ignored if the claim was lost to another
   * meanwhile, and for an id that this instance does not hold. A lease that merely ran out does not matter.
   */
  settle(id: string, reply: string): void | Promise<void>;
  /** Gives a claim back, if this instance still holds it. What was settled stays. */
  release(id: string): void | Promise<void>;
}

/** Whether a value has the three methods of a {@link ReplayStore}. Says nothing about what they do. */
export function isReplayStore(value: unknown): value is ReplayStore {
  if (typeof value !== 'object' || value === null) return false;
  const { claim, settle, release } = value as Record<string, unknown>;
  return [claim, settle, release].every((method) => typeof method === 'function');
}
