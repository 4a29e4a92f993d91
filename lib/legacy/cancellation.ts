import { digestOf } from '../engine/fingerprint.js';
import type { Principal } from '../principal.js';
import type { RequestId } from '../protocol/wire.js';
import { post, type PostOffice } from './correspondence.js';
import { openLetter } from './letter.js';
import type { Session } from './session.js';

/** A call that its client may cancel. */
export interface Cancellable {
  readonly session: Session;
  readonly principal: Principal | null;
  readonly requestId: RequestId;
  readonly cancel: () => void;
}

/** A call that ends sooner is not worth a place in the mailbox: a cancellation waits there for it as long. */
const SOON_MS = 1000;

/**
 * Brings `notifications/cancelled` of clients to the calls that they name: at once on the node that runs the call, by the
 * mailbox from any other.
 */
export class Cancellations {
  readonly #office: PostOffice;
  readonly #lifetimeMs: number;
  readonly #running = new Map<string, Cancellable>();

  /** @param lifetimeMs - longer than any call takes. */
  constructor(office: PostOffice, lifetimeMs: number) {
    this.#office = office;
    this.#lifetimeMs = lifetimeMs;
  }

  /** Calls of this process that can be cancelled now. */
  get size(): number {
    return this.#running.size;
  }

  /** Lets a call be cancelled until the returned function is called. */
  watch(call: Cancellable): () => void {
    const id = idOf(call.session, call.requestId);
    // A client that uses an id twice at once cannot say which of the two it means.
    if (this.#running.has(id)) return () => undefined;
    this.#running.set(id, call);
    const over = new AbortController();
    const unschedule = this.#office.after(SOON_MS, () => void this.#listen(id, call, over.signal));
    return () => {
      unschedule();
      over.abort();
      if (this.#running.get(id) === call) this.#running.delete(id);
    };
  }

  /** Cancels a call of this session, wherever it runs; where the mailbox fails, it goes on. */
  async cancel(session: Session, principal: Principal | null, requestId: RequestId): Promise<void> {
    const id = idOf(session, requestId);
    const running = this.#running.get(id);
    if (running !== undefined) return running.cancel();
    // Nobody else looks into a mailbox of this process's own, and what nobody takes would only fill it.
    if (!this.#office.shared) return;
    // Clients may name what they like: whoever fills a mailbox with it must not alarm the operator.
    await post(this.#office, id, 'cancelled', principal).catch(() => undefined);
  }

  async #listen(id: string, { principal, cancel }: Cancellable, signal: AbortSignal): Promise<void> {
    const { mailbox, sealing } = this.#office;
    try {
      const letter = await mailbox.park(id, this.#lifetimeMs, signal);
      if (letter === undefined || signal.aborted) return;
      if ((await openLetter(letter, id, principal, sealing)) !== undefined) cancel();
    } catch {
      return;
    }
  }
}

/** Nobody but the session's owner can bring about this id: the session's own id is known to nodes only. */
function idOf({ sessionId }: Session, requestId: RequestId): string {
  return digestOf(JSON.stringify(['cancel', sessionId, requestId]));
}
