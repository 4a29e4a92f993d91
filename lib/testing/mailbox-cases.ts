import assert from 'node:assert/strict';
import type { Mailbox } from '../legacy/mailbox.js';
import type { MailboxUse } from './mailbox-use.js';

type Run = (mailbox: Mailbox, use: MailboxUse) => Promise<void>;
type RunShared = (first: Mailbox, second: Mailbox, use: MailboxUse) => Promise<void>;

const TEXTS = [
  ' ',
  '"\\\n\r\0',
  '__proto__',
  'äöü €',
  '\u{1f600}',
  '\ud800',
  '\ud801',
  '\udc00\ud800',
  'a:b',
  'a',
  '{a}',
];

/** What every mailbox must do. */
export const MAILBOX_CASES: readonly (readonly [title: string, run: Run])[] = [
  [
    'is ready',
    async (mailbox) => {
      await mailbox.ready?.();
    },
  ],
  [
    'gives a call that waits the message that is delivered to its id',
    async (mailbox, { newId, park, ends }) => {
      const id = newId();
      const parked = park(mailbox, id);
      await mailbox.deliver(id, 'message');
      await ends(parked, 'message');
    },
  ],
  [
    'gives a call the message that was delivered shortly before',
    async (mailbox, { newId, park, ends }) => {
      const id = newId();
      await mailbox.deliver(id, 'message');
      await ends(park(mailbox, id), 'message');
    },
  ],
  [
    'ends with nothing when the time is over',
    async (mailbox, { newId, parkBriefly }) => {
      assert.equal(await parkBriefly(mailbox, newId()), undefined);
    },
  ],
  [
    'goes on waiting for the whole of its time',
    async (mailbox, { newId, park, parkBriefly, ends }) => {
      const id = newId();
      const parked = park(mailbox, id);
      await parkBriefly(mailbox, newId());
      await mailbox.deliver(id, 'message');
      await ends(parked, 'message');
    },
  ],
  [
    'ends with nothing when the signal aborts',
    async (mailbox, { newId, park, ends }) => {
      const controller = new AbortController();
      const parked = park(mailbox, newId(), controller.signal);
      controller.abort();
      await ends(parked, undefined);
    },
  ],
  [
    'ends with nothing when the signal has aborted already',
    async (mailbox, { newId, park, ends }) => ends(park(mailbox, newId(), AbortSignal.abort()), undefined),
  ],
  [
    'drops what is delivered after the first message, whether a call waits yet or not',
    async (mailbox, { newId, park, ends }) => {
      const [early, late] = [newId(), newId()];
      await mailbox.deliver(early, 'first');
      await mailbox.deliver(early, 'second');
      await ends(park(mailbox, early), 'first');
      const parked = park(mailbox, late);
      await mailbox.deliver(late, 'first');
      await mailbox.deliver(late, 'second');
      await ends(parked, 'first');
    },
  ],
  [
    'drops a repeat of a message that was taken',
    async (mailbox, { newId, park, parkBriefly, ends }) => {
      const id = newId();
      const parked = park(mailbox, id);
      await mailbox.deliver(id, 'message');
      await ends(parked, 'message');
      await mailbox.deliver(id, 'message');
      assert.equal(await parkBriefly(mailbox, id), undefined);
    },
  ],
  [
    'lets a message for an id at which nobody waits be, other calls included',
    async (mailbox, { newId, park, ends }) => {
      const id = newId();
      const parked = park(mailbox, id);
      await mailbox.deliver(newId(), 'stray');
      await mailbox.deliver(id, 'message');
      await ends(parked, 'message');
    },
  ],
  [
    'keeps ids apart, whatever characters they consist of',
    async (mailbox, { newId, park, ends }) => {
      const id = newId();
      const ids = ['', ...TEXTS].map((text) => `${id}${text}`);
      const parked = ids.map((each) => park(mailbox, each));
      for (const each of [...ids].reverse()) await mailbox.deliver(each, `for ${each}`);
      for (const [at, each] of ids.entries()) {
        await ends(parked[at] ?? Promise.resolve(undefined), `for ${each}`, JSON.stringify(each));
      }
    },
  ],
  [
    'gives a message to the character, empty and long ones included',
    async (mailbox, { newId, park, ends }) => {
      for (const message of ['', ...TEXTS, '€'.repeat(100_000)]) {
        const id = newId();
        const parked = park(mailbox, id);
        await mailbox.deliver(id, message);
        await ends(parked, message);
      }
    },
  ],
  [
    'gives each of 20 calls at once its own message, some delivered before and some after',
    async (mailbox, { newId, park, ends }) => {
      const ids = Array.from({ length: 20 }, newId);
      const early = ids.filter((_id, at) => at % 2 === 0);
      await Promise.all(early.map(async (id) => mailbox.deliver(id, `for ${id}`)));
      const parked = ids.map((id) => park(mailbox, id));
      await Promise.all(ids.map(async (id) => mailbox.deliver(id, `for ${id}`)));
      for (const [at, id] of ids.entries()) await ends(parked[at] ?? Promise.resolve(undefined), `for ${id}`);
    },
  ],
];

/** What a mailbox must do that several processes share. */
export const SHARED_MAILBOX_CASES: readonly (readonly [title: string, run: RunShared])[] = [
  [
    'gives a call the message that another instance delivers, before or after',
    async (first, second, { newId, park, ends }) => {
      const [early, late] = [newId(), newId()];
      await second.deliver(early, 'early');
      await ends(park(first, early), 'early');
      const parked = park(first, late);
      await second.deliver(late, 'late');
      await ends(parked, 'late');
    },
  ],
  [
    'drops a repeat that reaches another instance',
    async (first, second, { newId, park, parkBriefly, ends }) => {
      const id = newId();
      const parked = park(first, id);
      await first.deliver(id, 'first');
      await second.deliver(id, 'second');
      await ends(parked, 'first');
      await second.deliver(id, 'third');
      assert.equal(await parkBriefly(second, id), undefined);
    },
  ],
  [
    'loses none of 40 messages that are delivered just as their calls begin to wait, over two instances',
    async (first, second, { newId, park, ends }) => {
      const calls = Array.from({ length: 40 }, async (_, at) => {
        const id = newId();
        const [here, there] = at % 2 === 0 ? [first, second] : [second, first];
        const parked = park(here, id);
        await there.deliver(id, `for ${id}`);
        await ends(parked, `for ${id}`);
      });
      await Promise.all(calls);
    },
  ],
];
