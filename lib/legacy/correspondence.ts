import { codeOf } from '../errors.js';
import type { Principal } from '../principal.js';
import type { InputRequest } from '../protocol/wire.js';
import { within, type Clock } from '../seal/deadline.js';
import type { ClientResponse, Correspondent } from './correspondent.js';
import { foreignLetter, mailboxFailed, tooManyParked, tooSlow } from './faults.js';
import { openLetter, sealLetter } from './letter.js';
import type { Mailbox } from './mailbox.js';
import { newMailboxId, sealRequestId } from './request-id.js';
import type { Sealing } from './sealing.js';
import type { Session } from './session.js';
import { wireRequest } from './wire-request.js';

/** What all calls of a process share to reach their clients. */
export interface PostOffice extends Clock {
  readonly mailbox: Mailbox;
  readonly sealing: Sealing;
  readonly clockSkewMs: number;
  readonly maxParked: number;
  /** Whether other nodes look into the mailbox, too. */
  readonly shared: boolean;
  /** Questions that wait now. */
  parked: number;
  random(size: number): Uint8Array;
}

/** How long a mailbox may take for what it can do at once; as long again it may be late with a time-out. */
const PROMPT_MS = 5000;

/** Hands a text to whoever waits at a mailbox id, sealed for nobody else. */
export async function post(office: PostOffice, id: string, text: string, principal: Principal | null): Promise<void> {
  const letter = await sealLetter(text, id, principal, office.sealing);
  try {
    await within(PROMPT_MS, office, () => office.mailbox.deliver(id, letter), tooSlow);
  } catch (error) {
    throw codeOf(error) === undefined ? mailboxFailed(error) : error;
  }
}

export interface CorrespondenceInput {
  readonly office: PostOffice;
  readonly session: Session;
  readonly principal: Principal | null;
  /** Writes a JSON-RPC message to the stream of the call. */
  readonly send: (message: object) => void;
}

/** The requests of one call to its client, and the responses to them, whichever node they reach. */
export class Correspondence implements Correspondent {
  readonly #input: CorrespondenceInput;
  readonly #closing = new AbortController();
  /** By request id, each with what ends it early. */
  readonly #open = new Map<string, () => void>();

  constructor(input: CorrespondenceInput) {
    this.#input = input;
  }

  async put(request: InputRequest, timeoutMs: number): Promise<ClientResponse> {
    const { office } = this.#input;
    if (this.#closing.signal.aborted) return { kind: 'withdrawn' };
    if (office.parked >= office.maxParked) throw tooManyParked(office.maxParked);
    office.parked += 1;
    try {
      return await this.#exchange(request, timeoutMs);
    } catch (error) {
      throw codeOf(error) === undefined ? mailboxFailed(error) : error;
    } finally {
      office.parked -= 1;
    }
  }

  /** Withdraws whatever is open: the client is told, nothing waits any more. */
  close(): void {
    for (const [id, withdraw] of this.#open) {
      this.#cancel(id, 'The call is over.');
      withdraw();
    }
    this.#open.clear();
    this.#closing.abort();
  }

  async #exchange(request: InputRequest, timeoutMs: number): Promise<ClientResponse> {
    const { office, session, principal, send } = this.#input;
    const mailboxId = newMailboxId((size) => office.random(size));
    const expiresAt = office.now() + timeoutMs + office.clockSkewMs;
    await within(PROMPT_MS, office, () => office.mailbox.ready?.(), tooSlow);
    const id = await sealRequestId({ mailboxId, expiresAt }, session.sessionId, principal, office.sealing);
    if (this.#closing.signal.aborted) return { kind: 'withdrawn' };
    const elicitationId = newMailboxId((size) => office.random(size));
    const letter = await this.#letter(id, mailboxId, timeoutMs, () => {
      send({ jsonrpc: '2.0', id, ...wireRequest(request, session.version, elicitationId) });
    });
    if (letter === null) return { kind: 'withdrawn' };
    if (letter === undefined) {
      this.#cancel(id, 'Nobody answered in time.');
      return { kind: 'late' };
    }
    const text = await openLetter(letter, mailboxId, principal, office.sealing);
    if (text === undefined) throw foreignLetter();
    return JSON.parse(text) as ClientResponse;
  }

  /**
   * Parks before it sends, so that no answer can come too early. `undefined` when the time was up, `null` once withdrawn: a
   * mailbox that ignores its signal holds nobody up.
   */
  async #letter(
    id: string,
    mailboxId: string,
    timeoutMs: number,
    send: () => void,
  ): Promise<string | undefined | null> {
    const withdrawn = new Promise<null>((resolve) => this.#open.set(id, () => resolve(null)));
    const late = tooSlow();
    try {
      const { office } = this.#input;
      const parked = office.mailbox.park(mailboxId, timeoutMs, this.#closing.signal);
      parked.catch(() => undefined);
      send();
      return await within(
        timeoutMs + PROMPT_MS,
        office,
        () => Promise.race([parked, withdrawn]),
        () => late,
      );
    } catch (error) {
      if (error === late) return undefined;
      throw error;
    } finally {
      this.#open.delete(id);
    }
  }

  #cancel(requestId: string, reason: string): void {
    this.#input.send({ jsonrpc: '2.0', method: 'notifications/cancelled', params: { requestId, reason } });
  }
}
