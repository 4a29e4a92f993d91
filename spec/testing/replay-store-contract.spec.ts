import { MemoryReplayStore } from '../../lib/stores/memory.js';
import type { Claim, ReplayStore } from '../../lib/stores/store.js';
import { replayStoreContract } from '../../lib/testing/replay-store-contract.js';
import { Clock } from '../support/clock.js';
import { brokenCases } from '../support/contract.js';

interface Row {
  readonly token: object;
  readonly digest: string;
  readonly leasedUntil: number;
  readonly expiresAt: number;
  readonly reply?: string;
}

/** What a store has in common with its second instance. */
interface Shared {
  readonly rows: Map<string, Row>;
  readonly now: () => number;
}

/** A right store, open to be broken one method at a time. */
class Instance implements ReplayStore {
  protected readonly held = new Map<string, object>();

  constructor(protected readonly shared: Shared) {}

  claim(id: string, digest: string, leaseMs: number, expiresAt: number): Claim | Promise<Claim> {
    const row = this.live(id);
    if (row !== undefined && this.isHeld(row)) {
      if (row.digest !== digest) return { kind: 'conflict' };
      return row.reply === undefined ? { kind: 'in_flight' } : { kind: 'done', reply: row.reply };
    }
    return this.take(id, digest, leaseMs, expiresAt);
  }

  settle(id: string, reply: string): void {
    const row = this.live(id);
    if (row !== undefined && this.owns(id, row) && row.reply === undefined) this.shared.rows.set(id, { ...row, reply });
  }

  release(id: string): void {
    const row = this.live(id);
    if (row !== undefined && this.owns(id, row) && row.reply === undefined) this.shared.rows.delete(id);
  }

  protected take(id: string, digest: string, leaseMs: number, expiresAt: number): Claim {
    const token = {};
    this.held.set(id, token);
    this.shared.rows.set(id, { token, digest, leasedUntil: this.shared.now() + leaseMs, expiresAt });
    return { kind: 'claimed' };
  }

  protected live(id: string): Row | undefined {
    const row = this.shared.rows.get(id);
    return row !== undefined && row.expiresAt >= this.shared.now() ? row : undefined;
  }

  protected isHeld(row: Row): boolean {
    return row.reply !== undefined || row.leasedUntil > this.shared.now();
  }

  protected owns(id: string, row: Row): boolean {
    return this.held.get(id) === row.token;
  }
}

function contractOf(make: (shared: Shared) => ReplayStore): ReturnType<typeof replayStoreContract> {
  const clock = new Clock();
  const shared = { rows: new Map<string, Row>(), now: clock.now };
  const { now, advance } = clock;
  return replayStoreContract(() => make(shared), { now, advance, makeSecond: () => make(shared) });
}

function broken(change: (right: Instance, shared: Shared) => Partial<ReplayStore>): (shared: Shared) => ReplayStore {
  return (shared) => {
    const right = new Instance(shared);
    const { claim, settle, release } = change(right, shared);
    return {
      claim: claim ?? right.claim.bind(right),
      settle: settle ?? right.settle.bind(right),
      release: release ?? right.release.bind(right),
    };
  };
}

/** A change of the id on the way in. */
const renamed = (rename: (id: string) => string): ((shared: Shared) => ReplayStore) =>
  broken((right) => ({
    claim: (id, ...rest) => right.claim(rename(id), ...rest),
    settle: (id, reply) => right.settle(rename(id), reply),
    release: (id) => right.release(rename(id)),
  }));

const utf8 = (text: string): string => Buffer.from(text).toString();

/** Timers and Date run ahead as fast as they are waited for. */
async function inFakeTime<T>(work: () => Promise<T>): Promise<T> {
  jest.useFakeTimers();
  try {
    const ended = work().then((value) => ({ value }));
    for (;;) {
      const result = await Promise.race([ended, jest.advanceTimersByTimeAsync(10).then(() => undefined)]);
      if (result !== undefined) return result.value;
    }
  } finally {
    jest.useRealTimers();
  }
}

describe('the contract of replay stores', () => {
  describe('is fulfilled by the store that the broken ones are made of, which', () => {
    for (const { title, run } of contractOf((shared) => new Instance(shared))) it(title, run);
  });

  it('waits for real when the clock cannot be moved', async () => {
    const stopped = { now: () => 0 };
    expect(await inFakeTime(() => brokenCases(replayStoreContract(() => new MemoryReplayStore())))).toEqual([]);
    expect(
      await inFakeTime(() => brokenCases(replayStoreContract(() => new MemoryReplayStore(stopped), stopped))),
    ).toEqual([
      'lets any digest claim an id whose lease ran out',
      'forgets an id that has expired, so that it does not grow for ever',
    ]);
  });

  it('asks about shared data only where there is a second instance', () => {
    const alone = replayStoreContract(() => new MemoryReplayStore());
    const shared = replayStoreContract(() => new MemoryReplayStore(), { makeSecond: () => new MemoryReplayStore() });
    expect(shared.slice(0, alone.length).map(({ title }) => title)).toEqual(alone.map(({ title }) => title));
    expect(shared.length).toBe(alone.length + 5);
    expect(new Set(shared.map(({ title }) => title)).size).toBe(shared.length);
  });

  const held = 'says in_flight to the same digest and conflict to another while the claim is held';
  const reply = 'gives the same digest the recorded reply, as often as it asks, and says conflict to another';
  const late = 'ignores the late settle and release of a holder that lost its claim to another';

  it.each<[string, (shared: Shared) => ReplayStore, string]>([
    ['claims nothing', broken(() => ({ claim: () => ({ kind: 'in_flight' }) })), 'claims an id that it does not know'],
    [
      'claims everything',
      broken(() => ({ claim: () => ({ kind: 'claimed' }) })),
      'lets one of 20 claims at once through, and tells the others that it is in flight',
    ],
    [
      'does not look at digests',
      broken((right) => ({ claim: (id, _digest, ...rest) => right.claim(id, 'same', ...rest) })),
      held,
    ],
    [
      'takes the digest of a refused claim',
      broken((right, { rows }) => ({
        claim(id, digest, ...rest) {
          const claim = right.claim(id, digest, ...rest);
          const row = rows.get(id);
          if (row !== undefined) rows.set(id, { ...row, digest });
          return claim;
        },
      })),
      held,
    ],
    [
      'looks at the digest no more once it is settled',
      broken((right, { rows }) => ({
        claim: (id, digest, ...rest) =>
          right.claim(id, rows.get(id)?.reply === undefined ? digest : (rows.get(id)?.digest ?? ''), ...rest),
      })),
      reply,
    ],
    [
      'gives a reply once',
      broken((right, { rows }) => ({
        claim(id, digest, ...rest) {
          const claim = right.claim(id, digest, ...rest);
          if ('kind' in claim && claim.kind === 'done') rows.delete(id);
          return claim;
        },
      })),
      reply,
    ],
    ['does not settle', broken(() => ({ settle: () => undefined })), reply],
    ['does not release', broken(() => ({ release: () => undefined })), 'lets any digest claim what was released'],
    [
      'remembers the digest of what was released',
      broken((right, { rows }) => {
        const released = new Map<string, string>();
        return {
          claim: (id, digest, ...rest) =>
            (released.get(id) ?? digest) === digest ? right.claim(id, digest, ...rest) : { kind: 'conflict' },
          release(id) {
            released.set(id, rows.get(id)?.digest ?? '');
            right.release(id);
          },
        };
      }),
      'lets any digest claim what was released',
    ],
    [
      'releases what was settled',
      broken((_right, { rows }) => ({ release: (id) => void rows.delete(id) })),
      'keeps what was settled when it is released or settled again',
    ],
    [
      'settles again what was settled',
      broken((_right, { rows }) => ({
        settle(id, text) {
          const row = rows.get(id);
          if (row !== undefined) rows.set(id, { ...row, reply: text });
        },
      })),
      'keeps what was settled when it is released or settled again',
    ],
    [
      'settles what nobody claimed',
      broken((right, { rows, now }) => ({
        settle(id, text) {
          if (rows.has(id)) right.settle(id, text);
          else rows.set(id, { token: {}, digest: 'd', leasedUntil: 0, expiresAt: now() + 9999, reply: text });
        },
      })),
      'records nothing for an id that nobody claimed, or that was released',
    ],
    ['takes ids as UTF-8', renamed(utf8), 'keeps ids apart, whatever characters they consist of'],
    ['cuts ids', renamed((id) => id.slice(0, 36)), 'keeps ids apart, whatever characters they consist of'],
    ['trims ids', renamed((id) => id.trim()), 'keeps ids apart, whatever characters they consist of'],
    [
      'takes digests as UTF-8',
      broken((right) => ({ claim: (id, digest, ...rest) => right.claim(id, utf8(digest), ...rest) })),
      'keeps digests apart, whatever characters they consist of',
    ],
    [
      'takes replies as UTF-8',
      broken((right) => ({ settle: (id, text) => right.settle(id, utf8(text)) })),
      'gives back a reply to the character, empty and long ones included',
    ],
    [
      'takes an empty reply for none',
      broken((right) => ({ settle: (id, text) => (text === '' ? undefined : right.settle(id, text)) })),
      'gives back a reply to the character, empty and long ones included',
    ],
    [
      'cuts replies',
      broken((right) => ({ settle: (id, text) => right.settle(id, text.slice(0, 65_535)) })),
      'gives back a reply to the character, empty and long ones included',
    ],
    [
      'reads before it writes',
      broken((right, { rows }) => ({
        async claim(id, ...rest) {
          const known = rows.has(id);
          await Promise.resolve();
          if (!known) rows.delete(id);
          return right.claim(id, ...rest);
        },
      })),
      'lets one of 20 claims at once through, and tells the others that it is in flight',
    ],
    [
      'lets every digest through at once',
      broken((right) => ({ claim: (id, digest, ...rest) => right.claim(id + digest, digest, ...rest) })),
      'lets one of 20 claims of different digests at once through, and tells the others of the conflict',
    ],
    [
      'never ends a lease',
      broken((right) => ({ claim: (id, digest, _leaseMs, end) => right.claim(id, digest, 9e9, end) })),
      'lets any digest claim an id whose lease ran out',
    ],
    [
      'keeps the digest of a lease that ran out',
      broken((right, { rows }) => ({
        claim: (id, digest, ...rest) =>
          (rows.get(id)?.digest ?? digest) === digest ? right.claim(id, digest, ...rest) : { kind: 'conflict' },
      })),
      'lets any digest claim an id whose lease ran out',
    ],
    [
      'ends every lease early',
      broken((right) => ({ claim: (id, digest, _leaseMs, end) => right.claim(id, digest, 20, end) })),
      'holds a claim for the whole of its lease',
    ],
    [
      'drops a claim with its lease',
      broken((right) => ({
        claim: (id, digest, leaseMs, expiresAt) =>
          right.claim(id, digest, leaseMs, leaseMs < 1000 ? expiresAt - 3_600_000 + leaseMs : expiresAt),
      })),
      'takes the reply of a holder whose lease ran out, as long as nobody else claimed the id',
    ],
    [
      'drops a reply with the lease',
      broken((right, { rows, now }) => ({
        claim(id, ...rest) {
          if ((rows.get(id)?.leasedUntil ?? Infinity) <= now()) rows.delete(id);
          return right.claim(id, ...rest);
        },
      })),
      'keeps a reply beyond the lease',
    ],
    [
      'never forgets',
      broken((right) => ({ claim: (id, digest, leaseMs) => right.claim(id, digest, leaseMs, Infinity) })),
      'forgets an id that has expired, so that it does not grow for ever',
    ],
    [
      'shares nothing',
      (shared) => new Instance({ ...shared, rows: new Map<string, Row>() }),
      'shares claims and replies between instances',
    ],
    [
      'lets one claim through for each instance',
      (shared) => new Instance({ ...shared, rows: new Map<string, Row>() }),
      'lets one of 20 claims at once through, over two instances',
    ],
    [
      'settles for whoever asks',
      broken((_right, { rows }) => ({
        settle(id, text) {
          const row = rows.get(id);
          if (row !== undefined && row.reply === undefined) rows.set(id, { ...row, reply: text });
        },
      })),
      'lets an instance neither settle nor release what another holds',
    ],
    [
      'releases for whoever asks',
      broken((_right, { rows }) => ({
        release(id) {
          if (rows.get(id)?.reply === undefined) rows.delete(id);
        },
      })),
      'lets an instance neither settle nor release what another holds',
    ],
    [
      'settles for whoever once held the id',
      broken((right, { rows }) => {
        const ids = new Set<string>();
        return {
          async claim(id, ...rest) {
            const claim = await right.claim(id, ...rest);
            if (claim.kind === 'claimed') ids.add(id);
            return claim;
          },
          settle(id, text) {
            const row = rows.get(id);
            if (row !== undefined && ids.has(id) && row.reply === undefined) rows.set(id, { ...row, reply: text });
          },
        };
      }),
      late,
    ],
    [
      'releases for whoever once held the id',
      broken((right, { rows }) => {
        const ids = new Set<string>();
        return {
          async claim(id, ...rest) {
            const claim = await right.claim(id, ...rest);
            if (claim.kind === 'claimed') ids.add(id);
            return claim;
          },
          release(id) {
            if (ids.has(id) && rows.get(id)?.reply === undefined) rows.delete(id);
          },
        };
      }),
      late,
    ],
    [
      'settles a record that is gone',
      broken((right, { rows, now }) => {
        const digests = new Map<string, string>();
        return {
          async claim(id, digest, ...rest) {
            const claim = await right.claim(id, digest, ...rest);
            if (claim.kind === 'claimed') digests.set(id, digest);
            return claim;
          },
          settle(id, text) {
            const digest = digests.get(id);
            if (rows.has(id) || digest === undefined) right.settle(id, text);
            else rows.set(id, { token: {}, digest, leasedUntil: 0, expiresAt: now() + 9999, reply: text });
          },
        };
      }),
      'ignores the late settle of a holder that lost its claim, after the other gave it back',
    ],
  ])('is broken by a store that %s', async (_what, make, title) => {
    expect(await brokenCases(contractOf(make))).toContain(title);
  });
});
