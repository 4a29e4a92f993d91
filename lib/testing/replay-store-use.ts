import type { ReplayStore } from '../stores/store.js';

/** How a contract reaches the clock of the store under test. */
export interface StoreClock {
  /** Moves the store's clock on. Without it, the cases about leases and expiry wait for real. */
  readonly advance?: (ms: number) => void | Promise<void>;
  /** The store's clock, in milliseconds of the epoch. @default Date.now */
  readonly now?: () => number;
}

const LONG = 3_600_000;
export const SHORT = 40;
export const PAST_SHORT = 100;

/** What a case does with a store, in terms of one id. A claim is told as its kind, with the reply behind `done`. */
export interface Use {
  /** An id that nobody used before, since a shared store outlives the case. */
  readonly id: string;
  /** Claims for long, of a state that lives for long. */
  readonly claim: (store: ReplayStore, digest: string, id?: string) => Promise<string>;
  /** Claims for {@link SHORT} only. */
  readonly claimBriefly: (store: ReplayStore, digest: string) => Promise<string>;
  readonly now: () => number;
  readonly pass: (ms: number) => void | Promise<void>;
}

export function useOf({ now = Date.now, advance = wait }: StoreClock): Use {
  const id = crypto.randomUUID();
  const claimed = async (store: ReplayStore, name: string, digest: string, leaseMs: number): Promise<string> => {
    const claim = await store.claim(name, digest, leaseMs, now() + LONG);
    return claim.kind === 'done' ? `done: ${claim.reply}` : claim.kind;
  };
  return {
    id,
    claim: (store, digest, name = id) => claimed(store, name, digest, LONG),
    claimBriefly: (store, digest) => claimed(store, id, digest, SHORT),
    now,
    pass: advance,
  };
}

function wait(ms: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, ms));
}

/** The outcomes of 20 claims at once, sorted. */
export async function race(claim: (at: number) => Promise<string>): Promise<string[]> {
  return (await Promise.all(Array.from({ length: 20 }, (_, at) => claim(at)))).sort();
}
