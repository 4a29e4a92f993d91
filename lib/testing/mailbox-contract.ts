import type { Mailbox } from '../legacy/mailbox.js';
import type { ContractCase } from './contract-case.js';
import { MAILBOX_CASES, SHARED_MAILBOX_CASES } from './mailbox-cases.js';
import { mailboxUse, type MailboxClock } from './mailbox-use.js';

/** What the contract may know of a mailbox beyond its methods. */
export interface MailboxContractOptions extends MailboxClock {
  /** A second instance over the same data, for mailboxes that several processes share. Called after `make`. */
  readonly makeSecond?: () => Mailbox | Promise<Mailbox>;
}

/**
 * The contract of {@link Mailbox} as cases for any test runner. A mailbox that several processes share shows with `makeSecond`
 * that it really is shared.
 *
 * @param make - a mailbox; called once a case, and closed after it. It may hold messages of earlier cases.
 * @example
 * ```ts
 * import { mailboxContract } from 'express-mrtr/testing';
 *
 * for (const { title, run } of mailboxContract(() => new MyMailbox(queue), { makeSecond: () => new MyMailbox(queue) })) {
 *   it(title, run);
 * }
 * ```
 */
export function mailboxContract(
  make: () => Mailbox | Promise<Mailbox>,
  options: MailboxContractOptions = {},
): readonly ContractCase[] {
  const { makeSecond } = options;
  const use = mailboxUse(options);
  const alone = MAILBOX_CASES.map(([title, run]) => ({
    title,
    run: () => using(make, (mailbox) => run(mailbox, use)),
  }));
  if (makeSecond === undefined) return alone;
  const shared = SHARED_MAILBOX_CASES.map(([title, run]) => ({
    title,
    run: () => using(make, (first) => using(makeSecond, (second) => run(first, second, use))),
  }));
  return [...alone, ...shared];
}

async function using(make: () => Mailbox | Promise<Mailbox>, work: (mailbox: Mailbox) => Promise<void>): Promise<void> {
  const mailbox = await make();
  try {
    await work(mailbox);
  } finally {
    await mailbox.close?.();
  }
}
