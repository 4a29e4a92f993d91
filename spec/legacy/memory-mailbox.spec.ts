import { MrtrError, MrtrRangeError, MrtrTypeError } from '../../lib/errors.js';
import { MemoryMailbox, type MemoryMailboxOptions } from '../../lib/legacy/memory-mailbox.js';
import { mailboxContract } from '../../lib/testing/mailbox-contract.js';
import { CountedSignal, ManualClock, turn } from '../support/mailbox.js';

function thrown(work: () => unknown): unknown {
  try {
    work();
  } catch (error) {
    return error;
  }
  throw new Error('nothing was thrown');
}

const never = new AbortController().signal;

describe('MemoryMailbox', () => {
  describe('fulfils the contract: it', () => {
    const clock = new ManualClock();
    const { advance } = clock;
    for (const { title, run } of mailboxContract(() => new MemoryMailbox({ clock }), { advance })) it(title, run);

    it('leaves no timer behind', () => expect(clock.pending).toBe(0));
  });

  describe('fulfils the contract by the clock of the process: it', () => {
    for (const { title, run } of mailboxContract(() => new MemoryMailbox())) it(title, run);
  });

  let clock: ManualClock;
  const make = (options: MemoryMailboxOptions = {}): MemoryMailbox => new MemoryMailbox({ clock, ...options });
  beforeEach(() => {
    clock = new ManualClock();
  });

  it('gives a message to a call that parks before, and one that parks after its delivery, within keepMs', async () => {
    const mailbox = make();
    const parked = mailbox.park('a', 1000, never);
    mailbox.deliver('a', 'for a');
    mailbox.deliver('b', 'for b');
    await clock.advance(9_999);
    expect(await parked).toBe('for a');
    expect(await mailbox.park('b', 1000, never)).toBe('for b');
  });

  it('forgets a message for which nobody came within keepMs', async () => {
    const mailbox = make({ keepMs: 50 });
    mailbox.deliver('a', 'late');
    expect(mailbox.waiting).toBe(1);
    await clock.advance(50);
    expect(mailbox.waiting).toBe(0);
    const parked = mailbox.park('a', 10, never);
    await clock.advance(10);
    expect(await parked).toBeUndefined();
  });

  it('ends with nothing at the millisecond at which the time is over, and not before', async () => {
    const mailbox = make();
    const [early, late] = [mailbox.park('a', 100, never), mailbox.park('b', 100, never)];
    await clock.advance(99);
    expect(mailbox.parked).toBe(2);
    mailbox.deliver('a', 'just in time');
    await clock.advance(1);
    expect(await early).toBe('just in time');
    expect(await late).toBeUndefined();
  });

  it.each<[string, (mailbox: MemoryMailbox, counted: CountedSignal) => unknown, string | undefined]>([
    ['its message came', (mailbox) => mailbox.deliver('a', 'message'), 'message'],
    ['its time was over', () => clock.advance(1000), undefined],
    ['its signal aborted', (_mailbox, counted) => counted.controller.abort(), undefined],
  ])('keeps neither timer nor listener nor entry of a call once %s', async (_why, end, message) => {
    const mailbox = make();
    const counted = new CountedSignal();
    const parked = mailbox.park('a', 1000, counted.signal);
    expect([mailbox.parked, clock.pending, counted.listeners]).toEqual([1, 1, 1]);
    await end(mailbox, counted);
    expect(await parked).toBe(message);
    expect([mailbox.parked, mailbox.waiting, clock.pending, counted.listeners]).toEqual([0, 0, 0, 0]);
  });

  it('keeps nothing of a call whose signal had aborted, and leaves its message where it is', async () => {
    const mailbox = make();
    mailbox.deliver('a', 'message');
    expect(await mailbox.park('a', 1000, AbortSignal.abort())).toBeUndefined();
    expect([mailbox.parked, mailbox.waiting]).toEqual([0, 1]);
    expect(await mailbox.park('a', 1000, never)).toBe('message');
    expect(clock.pending).toBe(0);
  });

  it('listens once to the signal of a call, however many of its questions wait, until the last has ended', async () => {
    const mailbox = make();
    const counted = new CountedSignal();
    const { signal } = counted;
    const parked = Array.from({ length: 20 }, (_, at) => mailbox.park(`${at}`, 1000, signal));
    expect(counted.listeners).toBe(1);
    mailbox.deliver('0', 'message');
    expect(counted.listeners).toBe(1);
    counted.controller.abort();
    expect(await Promise.all(parked)).toEqual(['message', ...Array.from({ length: 19 }, () => undefined)]);
    expect([counted.listeners, mailbox.parked, clock.pending]).toEqual([0, 0, 0]);
  });

  it('takes the first of two deliveries and of an abort, in the order in which they come', async () => {
    const mailbox = make();
    const controller = new AbortController();
    const parked = mailbox.park('a', 1000, controller.signal);
    mailbox.deliver('a', 'first');
    controller.abort();
    mailbox.deliver('a', 'second');
    expect(await parked).toBe('first');
    expect(mailbox.waiting).toBe(0);
  });

  it('refuses a call beyond maxParked, names the option, and parks again when there is room', async () => {
    const mailbox = make({ maxParked: 2 });
    const first = mailbox.park('a', 1000, never);
    void mailbox.park('b', 1000, never);
    const full = {
      code: 'ERR_MRTR_MAILBOX',
      message:
        'MemoryMailbox is full: 2 questions of this process wait for their answers. ' +
        'Raise its option "maxParked", shorten the time-outs of questions, or add nodes.',
    };
    expect(thrown(() => mailbox.ready())).toMatchObject(full);
    await expect(mailbox.park('c', 1000, never)).rejects.toMatchObject(full);
    mailbox.deliver('a', 'message');
    expect(await first).toBe('message');
    mailbox.ready();
    const third = mailbox.park('c', 1000, never);
    mailbox.deliver('c', 'third');
    expect(await third).toBe('third');
  });

  it('refuses a message beyond maxWaiting, but never one for which a call waits', async () => {
    const mailbox = make({ maxWaiting: 2 });
    mailbox.deliver('a', 'a');
    mailbox.deliver('b', 'b');
    mailbox.deliver('b', 'again');
    const error = thrown(() => mailbox.deliver('c', 'c'));
    expect(error).toBeInstanceOf(MrtrError);
    expect(error).toMatchObject({
      code: 'ERR_MRTR_MAILBOX',
      message: expect.stringContaining('Raise its option "maxWaiting" or lower "keepMs"'),
    });
    const parked = mailbox.park('d', 1000, never);
    mailbox.deliver('d', 'd');
    expect(await parked).toBe('d');
    expect(await mailbox.park('a', 1000, never)).toBe('a');
    mailbox.deliver('c', 'c');
    expect(mailbox.waiting).toBe(2);
  });

  it('keeps at most 16 Mi characters, however few messages they are', async () => {
    const mailbox = make();
    const half = 'x'.repeat(8 * 1024 * 1024);
    mailbox.deliver('a', half);
    mailbox.deliver('b', half);
    expect(thrown(() => mailbox.deliver('c', 'x'))).toMatchObject({ code: 'ERR_MRTR_MAILBOX' });
    await clock.advance(10_000);
    mailbox.deliver('c', half);
    expect(mailbox.waiting).toBe(1);
  });

  it('refuses a second call at an id at which one waits, and lets that one be', async () => {
    const mailbox = make();
    const parked = mailbox.park('a', 1000, never);
    await expect(mailbox.park('a', 1000, never)).rejects.toMatchObject({
      code: 'ERR_MRTR_MAILBOX',
      message: 'MemoryMailbox: another call waits at this id; park() takes a new random id each time.',
    });
    mailbox.deliver('a', 'message');
    expect(await parked).toBe('message');
  });

  it('ends whatever waits when it is closed, and takes nothing more', async () => {
    const mailbox = make();
    const counted = new CountedSignal();
    const parked = mailbox.park('a', 1000, counted.signal);
    mailbox.deliver('b', 'message');
    mailbox.close();
    await expect(parked).rejects.toMatchObject({
      code: 'ERR_MRTR_MAILBOX',
      message: 'MemoryMailbox was closed while a call waited for an answer.',
    });
    expect([mailbox.parked, mailbox.waiting, clock.pending, counted.listeners]).toEqual([0, 0, 0, 0]);
    const closed = { code: 'ERR_MRTR_MAILBOX', message: expect.stringContaining('MemoryMailbox is closed') };
    await expect(mailbox.park('b', 1000, never)).rejects.toMatchObject(closed);
    expect(thrown(() => mailbox.deliver('b', 'message'))).toMatchObject(closed);
    expect(thrown(() => mailbox.ready())).toMatchObject(closed);
    mailbox.close();
    await turn();
  });

  it('does not keep a process alive', () => {
    const mailbox = new MemoryMailbox();
    const resources = process.getActiveResourcesInfo().filter((name) => name === 'Timeout').length;
    void mailbox.park('a', 60_000, never);
    mailbox.deliver('b', 'message');
    expect(process.getActiveResourcesInfo().filter((name) => name === 'Timeout').length).toBe(resources);
    mailbox.deliver('a', 'message');
    mailbox.close();
  });

  it.each<[object, string]>([
    [
      { maxparked: 1 },
      'MemoryMailbox: option "maxparked" is not known; it takes maxParked, maxWaiting, keepMs, clock.',
    ],
    [{ clock: {} }, 'MemoryMailbox: option "clock" must have the methods now and after; got an object.'],
    [[], 'MemoryMailbox takes an object of options (maxParked, maxWaiting, keepMs, clock); got an array.'],
  ])('refuses the options %j', (options, message) => {
    const error = thrown(() => new MemoryMailbox(options));
    expect(error).toBeInstanceOf(MrtrTypeError);
    expect(error).toMatchObject({ code: 'ERR_MRTR_OPTION', message });
  });

  it.each(['maxParked', 'maxWaiting', 'keepMs'])('refuses a %s that is no whole number of 1 or more', (option) => {
    for (const value of [0, -1, 1.5, NaN, Infinity, '10', null]) {
      const error = thrown(() => new MemoryMailbox({ [option]: value }));
      expect(error).toBeInstanceOf(MrtrRangeError);
      expect(error).toMatchObject({
        code: 'ERR_MRTR_OPTION',
        message: expect.stringContaining(`option "${option}" must be a whole number of 1 or more`),
      });
    }
  });
});
