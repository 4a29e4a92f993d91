import { digestOf } from '../engine/fingerprint.js';
import { codeOf, MrtrError, type MrtrErrorCode } from '../errors.js';
import type { SingleUseOptions } from '../option-types.js';
import { fieldsOf, type Principal } from '../principal.js';
import { canonicalJson } from '../protocol/canonical.js';
import { lengthPrefixed } from '../seal/aad.js';
import type { Claim } from '../stores/store.js';
import type { Environment } from './environment.js';

/** What a presented state is spent by. */
export interface Spending {
  /** Names the state; the store never sees it. */
  readonly tokenId: string;
  readonly principal: Principal | null;
  readonly answers: unknown;
  /** Milliseconds of the epoch after which nobody can present the state any more. */
  readonly expiresAt: number;
  /** Whether the client still waits. */
  readonly gone: () => boolean;
}

export type Spent =
  /** This request runs the round. It must settle or release. */
  | { readonly kind: 'run'; readonly hold: Hold }
  /** The round ran before with the same answers; this was its result. */
  | { readonly kind: 'done'; readonly result: string }
  | { readonly kind: 'refused'; readonly reason: 'ERR_MRTR_STATE_SPENT' | 'ERR_MRTR_STATE_IN_FLIGHT' }
  | { readonly kind: 'broken'; readonly error: unknown };

/** A state that this request has claimed. */
export interface Hold {
  /** Records the result, so that a repeat of the request gets it again. */
  settle(result: string): Promise<void>;
  /** Lets the round run again. */
  release(): Promise<void>;
}

const POLL_MS = 50;

/**
 * Single use of states (step 10): a state that was spent is not taken again, a repeat of the very request gets the recorded
 * result. At most one execution runs per lease.
 */
export class SingleUse {
  readonly #options: SingleUseOptions;
  readonly #environment: Environment;
  /** Who of this process holds a state at present, by the state's name in the store. */
  readonly #holders = new Map<string, Hold>();

  constructor(options: SingleUseOptions, environment: Environment) {
    this.#options = options;
    this.#environment = environment;
  }

  /** Claims a state, waiting a while for the result if the same request is just being served elsewhere. */
  async spend(spending: Spending): Promise<Spent> {
    const { codec, waitMs } = this.#options;
    // A hash, so that what the store can read is no part of a state.
    const id = digestOf(spending.tokenId);
    const digest = digestOf(canonicalJson(spending.answers ?? {}) ?? JSON.stringify(spending.answers));
    const deadline = this.#environment.now() + waitMs;
    try {
      // Without a key the result could not be recorded, so the handler must not run.
      await codec.ready?.();
      for (;;) {
        const claim = await this.#claim(id, digest, spending.expiresAt);
        const spent = await this.#spent(claim, id, spending);
        if (spent !== undefined) return spent;
        if (spending.gone() || this.#environment.now() >= deadline) {
          return { kind: 'refused', reason: 'ERR_MRTR_STATE_IN_FLIGHT' };
        }
        await new Promise<void>((resolve) => this.#environment.timers.after(POLL_MS, resolve));
      }
    } catch (error) {
      return { kind: 'broken', error: storeError(error) };
    }
  }

  /** A claim that is granted after its time-out is nobody's, and would hold up the repeats of its request for a whole lease. */
  async #claim(id: string, digest: string, expiresAt: number): Promise<Claim> {
    const { store, leaseMs } = this.#options;
    const claim = (async () => store.claim(id, digest, leaseMs, expiresAt))();
    try {
      return await this.#timed(() => claim);
    } catch (error) {
      void claim.then((late) => (late.kind === 'claimed' ? store.release(id) : undefined)).catch(() => undefined);
      throw error;
    }
  }

  async #spent(claim: Claim, id: string, spending: Spending): Promise<Spent | undefined> {
    switch (claim.kind) {
      case 'in_flight':
        return undefined;
      case 'claimed':
        return { kind: 'run', hold: this.#hold(id, spending) };
      case 'conflict':
        return { kind: 'refused', reason: 'ERR_MRTR_STATE_SPENT' };
      case 'done': {
        const opened = await this.#options.codec.unseal(claim.reply, replyBinding(spending), spending.principal);
        const result = opened?.['result'];
        if (typeof result === 'string') return { kind: 'done', result };
        // Not ours, or sealed under a key that is gone: nobody can say what the result was, only that the state is spent.
        return { kind: 'refused', reason: 'ERR_MRTR_STATE_SPENT' };
      }
      default:
        // A store is somebody else's code: what it must not answer, it may.
        throw new MrtrError('ERR_MRTR_STORE', 'The replay store answered a claim with no known kind.');
    }
  }

  #hold(id: string, spending: Spending): Hold {
    const { store, codec } = this.#options;
    const held = async (last: () => void | Promise<void>): Promise<void> => {
      // A store knows its holder by the process. Here another request may have claimed the state since, after the lease.
      if (this.#holders.get(id) !== hold) return;
      this.#holders.delete(id);
      await this.#timed(last);
    };
    const hold: Hold = {
      settle: async (result) => {
        const reply = await codec.seal({ result }, replyBinding(spending), spending.principal);
        await held(() => store.settle(id, reply));
      },
      release: () => held(() => store.release(id)),
    };
    this.#holders.set(id, hold);
    return hold;
  }

  /** A store that does not answer in time has failed. */
  async #timed<T>(call: () => T | Promise<T>): Promise<T> {
    const { timeoutMs } = this.#options;
    let cancel: (() => void) | undefined;
    const late = new Promise<never>((_resolve, reject) => {
      cancel = this.#environment.timers.after(timeoutMs, () => reject(storeTimeout(timeoutMs)));
    });
    try {
      return await Promise.race([(async () => call())(), late]);
    } finally {
      cancel?.();
    }
  }
}

/** The fault code of a spent or busy state goes with the reason. */
export type SpentReason = Extract<MrtrErrorCode, 'ERR_MRTR_STATE_SPENT' | 'ERR_MRTR_STATE_IN_FLIGHT'>;

function replyBinding({ tokenId, principal }: Spending): Uint8Array {
  return lengthPrefixed([tokenId, ...fieldsOf(principal)]);
}

function storeTimeout(ms: number): MrtrError {
  return new MrtrError(
    'ERR_MRTR_STORE',
    `The replay store has not answered within ${ms / 1000} s (replay.timeoutSeconds).`,
  );
}

function storeError(error: unknown): unknown {
  if (codeOf(error) !== undefined) return error;
  return new MrtrError('ERR_MRTR_STORE', 'The replay store failed.', { cause: error });
}
