import type { Mailbox } from '../../lib/legacy/mailbox.js';
import { MemoryMailbox } from '../../lib/legacy/memory-mailbox.js';
import type { ContractCase } from '../../lib/testing/contract-case.js';
import { mailboxContract } from '../../lib/testing/mailbox-contract.js';
import { brokenCases } from '../support/contract.js';
import { ManualClock } from '../support/mailbox.js';

type Change = (right: Mailbox) => Partial<Mailbox>;

/** The contract of a right mailbox with some of its methods replaced, shared unless its second instance is another. */
function contractOf(change: Change, shared = true): readonly ContractCase[] {
  const clock = new ManualClock();
  const store = new MemoryMailbox({ clock });
  const make = (right: Mailbox): Mailbox => ({
    park: right.park.bind(right),
    deliver: right.deliver.bind(right),
    ...change(right),
  });
  return mailboxContract(() => make(store), {
    advance: clock.advance,
    patienceMs: 20,
    makeSecond: () => make(shared ? store : new MemoryMailbox({ clock })),
  });
}

const renamed =
  (rename: (id: string) => string): Change =>
  (right) => ({
    park: (id, ...rest) => right.park(rename(id), ...rest),
    deliver: (id, message) => right.deliver(rename(id), message),
  });

const never = new AbortController().signal;

describe('the contract of mailboxes', () => {
  describe('is fulfilled by the mailbox that the broken ones are made of, which', () => {
    for (const { title, run } of contractOf(() => ({}))) it(title, run);
  });

  it('asks about shared messages only where there is a second instance', () => {
    const make = (): Mailbox => new MemoryMailbox();
    const alone = mailboxContract(make);
    const both = mailboxContract(make, { makeSecond: make });
    expect(both.slice(0, alone.length).map(({ title }) => title)).toEqual(alone.map(({ title }) => title));
    expect(both.length).toBe(alone.length + 3);
    expect(new Set(both.map(({ title }) => title)).size).toBe(both.length);
  });

  it('closes every mailbox that it made, those of cases that failed included', async () => {
    const closed: string[] = [];
    const make = (name: string) => (): Mailbox => ({
      park: async () => undefined,
      deliver: () => undefined,
      close: () => void closed.push(name),
    });
    const cases = mailboxContract(make('first'), { makeSecond: make('second'), advance: () => undefined });
    expect((await brokenCases(cases)).length).toBeGreaterThan(5);
    expect(closed.filter((name) => name === 'first').length).toBe(cases.length);
    expect(closed.filter((name) => name === 'second').length).toBe(3);
  });

  const before = 'gives a call the message that was delivered shortly before';
  const waiting = 'gives a call that waits the message that is delivered to its id';
  const first = 'drops what is delivered after the first message, whether a call waits yet or not';
  const exact = 'gives a message to the character, empty and long ones included';
  const apart = 'keeps ids apart, whatever characters they consist of';

  it.each<[string, Change, string]>([
    ['is not ready', () => ({ ready: () => Promise.reject(new Error('down')) }), 'is ready'],
    ['delivers nothing', () => ({ deliver: () => undefined }), waiting],
    [
      'loses what comes before the call',
      (right) => {
        const parked = new Set<string>();
        return {
          park: (id, ...rest) => (parked.add(id), right.park(id, ...rest)),
          deliver: (id, message) => (parked.has(id) ? right.deliver(id, message) : undefined),
        };
      },
      before,
    ],
    [
      'never ends by time',
      (right) => ({ park: (id, _ms, signal) => right.park(id, 1e9, signal) }),
      'ends with nothing when the time is over',
    ],
    [
      'ends every call early',
      (right) => ({ park: (id, ms, signal) => right.park(id, Math.min(ms, 50), signal) }),
      'goes on waiting for the whole of its time',
    ],
    [
      'does not look at signals',
      (right) => ({ park: (id, ms) => right.park(id, ms, never) }),
      'ends with nothing when the signal aborts',
    ],
    [
      'does not see that a signal has aborted',
      (right) => ({ park: (id, ms, signal) => right.park(id, ms, signal.aborted ? never : signal) }),
      'ends with nothing when the signal has aborted already',
    ],
    [
      'rejects when the signal aborts',
      (right) => ({
        park: async (id, ms, signal) => {
          const message = await right.park(id, ms, signal);
          signal.throwIfAborted();
          return message;
        },
      }),
      'ends with nothing when the signal aborts',
    ],
    [
      'keeps the last of two messages',
      (right) => {
        const kept = new Map<string, string>();
        return {
          park: async (id, ms, signal) => kept.get(id) ?? right.park(id, ms, signal),
          deliver: (id, message) => (kept.set(id, message), right.deliver(id, message)),
        };
      },
      first,
    ],
    [
      'gives a message twice',
      (right) => {
        const given = new Map<string, string>();
        return {
          park: async (id, ms, signal) => {
            const message = given.get(id) ?? (await right.park(id, ms, signal));
            if (message !== undefined) given.set(id, message);
            return message;
          },
        };
      },
      'drops a repeat of a message that was taken',
    ],
    [
      'rejects a message for nobody',
      (right) => {
        const parked = new Set<string>();
        return {
          park: (id, ...rest) => (parked.add(id), right.park(id, ...rest)),
          deliver: (id, message) => {
            if (!parked.has(id)) throw new Error('unknown id');
            return right.deliver(id, message);
          },
        };
      },
      'lets a message for an id at which nobody waits be, other calls included',
    ],
    ['takes ids as UTF-8', renamed((id) => Buffer.from(id).toString()), apart],
    ['trims ids', renamed((id) => id.trim()), apart],
    ['cuts ids', renamed((id) => id.slice(0, 36)), apart],
    [
      'takes messages as UTF-8',
      (right) => ({ deliver: (id, message) => right.deliver(id, Buffer.from(message).toString()) }),
      exact,
    ],
    [
      'takes an empty message for none',
      (right) => ({ deliver: (id, message) => (message === '' ? undefined : right.deliver(id, message)) }),
      exact,
    ],
    ['cuts messages', (right) => ({ deliver: (id, message) => right.deliver(id, message.slice(0, 65_535)) }), exact],
    [
      'has room for one call',
      (right) => {
        let parked = 0;
        return {
          park: async (id, ms, signal) => {
            if (parked > 0) throw new Error('full');
            parked += 1;
            return right.park(id, ms, signal).finally(() => (parked -= 1));
          },
        };
      },
      'gives each of 20 calls at once its own message, some delivered before and some after',
    ],
  ])('is broken by a mailbox that %s', async (_what, change, title) => {
    expect(await brokenCases(contractOf(change))).toContain(title);
  });

  it('is broken by instances that share nothing', async () => {
    const cases = contractOf(() => ({}), false);
    expect(await brokenCases(cases)).toEqual(cases.slice(-3).map(({ title }) => title));
  });

  it('is broken by a repeat that another instance takes for the first message', async () => {
    const second = new Map<string, string>();
    let instances = 0;
    const change: Change = (right) => {
      instances += 1;
      if (instances % 2 === 1) return {};
      return {
        deliver: (id, message) => (second.set(id, message), right.deliver(id, message)),
        park: async (id, ms, signal) => second.get(id) ?? right.park(id, ms, signal),
      };
    };
    const shared = contractOf(change).slice(-3, -1);
    expect(await brokenCases(shared)).toEqual(['drops a repeat that reaches another instance']);
  });
});
