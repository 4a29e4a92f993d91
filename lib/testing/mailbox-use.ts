import assert from 'node:assert/strict';
import type { Mailbox } from '../legacy/mailbox.js';

/** How a contract reaches the clock of the mailbox under test. */
export interface MailboxClock {
  /** Moves the mailbox's clock on. Without it, the cases about time wait for real. */
  readonly advance?: (ms: number) => void | Promise<void>;
  /** Real milliseconds after which a message counts as lost. @default 5000 */
  readonly patienceMs?: number;
}

const LONG = 60_000;
const SHORT = 40;
const PAST_SHORT = 100;

/** What a case does with a mailbox. */
export interface MailboxUse {
  /** An id that nobody used before, since a shared mailbox outlives the case. */
  readonly newId: () => string;
  /** Waits for long, or until `signal` aborts. */
  readonly park: (mailbox: Mailbox, id: string, signal?: AbortSignal) => Promise<string | undefined>;
  /** Waits until a short time is over, which it makes pass. */
  readonly parkBriefly: (mailbox: Mailbox, id: string) => Promise<string | undefined>;
  /** Fails unless the call ends with this. */
  readonly ends: (parked: Promise<string | undefined>, message: string | undefined, what?: string) => Promise<void>;
}

export function mailboxUse({ advance = wait, patienceMs = 5000 }: MailboxClock): MailboxUse {
  return {
    newId: () => crypto.randomUUID(),
    park: (mailbox, id, signal = new AbortController().signal) => handled(mailbox.park(id, LONG, signal)),
    async parkBriefly(mailbox, id) {
      const parked = handled(mailbox.park(id, SHORT, new AbortController().signal));
      await advance(PAST_SHORT);
      return patiently(parked, patienceMs);
    },
    async ends(parked, message, what) {
      const got = await patiently(parked, patienceMs);
      // Not deepEqual, whose message would hold a long text twice.
      assert.ok(got === message, `${what ?? 'the call'} ended with ${shown(got)} instead of ${shown(message)}`);
    },
  };
}

/** A case that fails first must not leave a rejection behind that nobody handles. */
function handled<T>(promise: Promise<T>): Promise<T> {
  promise.catch(() => undefined);
  return promise;
}

function patiently<T>(promise: Promise<T>, ms: number): Promise<T> {
  return new Promise((resolve, reject) => {
    const timer = setTimeout(() => reject(new assert.AssertionError({ message: 'the call did not end' })), ms);
    void promise.then(resolve, reject).finally(() => clearTimeout(timer));
  });
}

function shown(message: string | undefined): string {
  return message === undefined ? 'nothing' : JSON.stringify(message.slice(0, 64));
}

function wait(ms: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, ms));
}
