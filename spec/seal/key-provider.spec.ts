import { createHash } from 'node:crypto';
import { inspect } from 'node:util';
import { codeOf } from '../../lib/errors.js';
import { SealedCodec } from '../../lib/seal/codec.js';
import { systemClock, within, type Clock } from '../../lib/seal/deadline.js';
import { ExpiringCache } from '../../lib/seal/expiring-cache.js';
import type { KeyProvider } from '../../lib/seal/key-provider.js';
import { Keyring, keyring, type KeySet } from '../../lib/seal/keyring.js';
import { sealedCodec } from '../../lib/seal/provided-codec.js';
import { ProvidedKeys } from '../../lib/seal/provided-keys.js';

const bytes = (seed: string): Buffer => createHash('sha256').update(seed).digest();
const text = (seed: string): string => `mrtrk_${bytes(seed).toString('base64url')}`;
const idOf = (seed: string, purpose: 'state' | 'reply' = 'state'): string =>
  Keyring.from(bytes(seed)).for(purpose).sealing.keyId;
const aad = Buffer.from('the call and its principal');
const state = { round: 1 };
const sealedUnder = (seed: string): string => new SealedCodec({ keyring: Keyring.from(bytes(seed)) }).seal(state, aad);

const TIMEOUT_MS = 2000;
const CACHE_MS = 300_000;

/** A clock that stands still until it is moved. */
class FakeClock implements Clock {
  time = 0;
  readonly timers = new Set<{ readonly at: number; readonly task: () => void }>();

  readonly now = (): number => this.time;

  after(ms: number, task: () => void): () => void {
    const timer = { at: this.time + ms, task };
    this.timers.add(timer);
    return () => this.timers.delete(timer);
  }

  pass(ms: number): void {
    this.time += ms;
    for (const timer of this.timers) if (timer.at <= this.time && this.timers.delete(timer)) timer.task();
  }
}

type Answer = () => KeySet | undefined | Promise<KeySet | undefined>;

/** A provider that holds the named keys, counts what it is asked, and can be told to answer in another way. */
class FakeProvider implements KeyProvider {
  readonly asked: string[] = [];
  readonly signals: AbortSignal[] = [];
  readonly keys: string[];
  currently: Answer | undefined;
  resolving: Answer | undefined;

  constructor(...keys: string[]) {
    this.keys = keys;
  }

  async current(signal: AbortSignal): Promise<KeySet> {
    this.asked.push('current');
    this.signals.push(signal);
    return (await (this.currently === undefined ? text(this.keys[0] ?? '') : this.currently())) as KeySet;
  }

  async resolve(keyId: string, signal: AbortSignal): Promise<KeySet | undefined> {
    this.asked.push(keyId);
    this.signals.push(signal);
    const key = this.keys.map(bytes).find((each) => keyring(each).keyIds.includes(keyId));
    return this.resolving === undefined ? key : this.resolving();
  }
}

const failing = (error: unknown) => (): never => {
  throw error;
};
const hanging = (): Promise<never> => new Promise<never>(() => undefined);

function setUp(...keys: string[]) {
  const clock = new FakeClock();
  const provider = new FakeProvider(...keys);
  const provided = new ProvidedKeys(provider, { cacheMs: CACHE_MS, timeoutMs: TIMEOUT_MS, clock });
  return { clock, provider, provided, codec: sealedCodec(provided), reply: sealedCodec(provided, 'reply') };
}

async function failure(work: unknown): Promise<Error & { code?: string }> {
  try {
    await work;
  } catch (error) {
    return error as Error;
  }
  throw new Error('nothing was thrown');
}

/** Lets everything that is settled run on: no timer of the system is involved. */
const settled = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

describe('keyring()', () => {
  it('makes a ring, and gives a ring back as it is', () => {
    const ring = keyring([text('a'), bytes('b')]);
    expect(ring.size).toBe(2);
    expect(keyring(ring)).toBe(ring);
    expect(inspect(keyring(text('a')))).toBe('Keyring(1, redacted)');
  });

  it('tells the ids that envelopes name its keys by, of every purpose', () => {
    const { keyIds } = keyring([text('a'), text('b')]);
    expect(keyIds).toHaveLength(12);
    expect(new Set(keyIds).size).toBe(12);
    expect(keyIds).toEqual(expect.arrayContaining(['a', 'b'].flatMap((seed) => [idOf(seed), idOf(seed, 'reply')])));
    expect(sealedUnder('a').split('.')[1]).toBe(idOf('a'));
    expect(Object.isFrozen(keyIds)).toBe(true);
  });

  it('takes the ring of another copy of the package', async () => {
    await jest.isolateModulesAsync(async () => {
      const other = await import('../../lib/seal/keyring.js');
      const ring = other.keyring(text('a'));
      expect(ring).not.toBeInstanceOf(Keyring);
      expect(keyring(ring)).toBe(ring);
      expect(new SealedCodec({ keyring: ring }).unseal(sealedUnder('a'), aad)).toEqual(state);
    });
  });

  it.each<[string, unknown]>([
    ['an empty list', []],
    ['a key twice', [text('a'), bytes('a')]],
    ['an object', {}],
    ['nothing', undefined],
  ])('C115 C116 refuses %s', (_, keys) => {
    let thrown: unknown;
    try {
      keyring(keys as KeySet);
    } catch (error) {
      thrown = error;
    }
    expect(codeOf(thrown)).toBe('ERR_MRTR_OPTION');
    expect((thrown as Error).message).toContain('"keys"');
  });
});

describe('a codec over a key provider', () => {
  it('seals under the current key and opens under any that the provider has', async () => {
    const { codec } = setUp('new', 'old');
    const token = await codec.seal(state, aad, null);
    expect(token.split('.')[1]).toBe(idOf('new'));
    expect(await codec.unseal(token, aad, null)).toEqual(state);
    expect(await codec.unseal(sealedUnder('old'), aad, null)).toEqual(state);
  });

  it('asks for no key that it holds: not for the current one, nor for one that was resolved', async () => {
    const { codec, reply, provider } = setUp('new', 'old');
    await codec.ready?.();
    for (let i = 0; i < 3; i += 1) {
      await codec.ready?.();
      expect(await codec.unseal(await codec.seal(state, aad, null), aad, null)).toEqual(state);
      expect(await codec.unseal(sealedUnder('old'), aad, null)).toEqual(state);
      expect(await reply.unseal(await reply.seal(state, aad, null), aad, null)).toEqual(state);
    }
    expect(provider.asked).toEqual(['current', idOf('old')]);
  });

  it('asks again when the time of its cache is over, and not a millisecond before', async () => {
    const { codec, provider, clock } = setUp('new', 'old');
    await codec.ready?.();
    await codec.unseal(sealedUnder('old'), aad, null);
    clock.pass(CACHE_MS - 1);
    await codec.ready?.();
    await codec.unseal(sealedUnder('old'), aad, null);
    expect(provider.asked).toHaveLength(2);
    clock.pass(1);
    await codec.ready?.();
    await codec.unseal(sealedUnder('old'), aad, null);
    expect(provider.asked).toEqual(['current', idOf('old'), 'current', idOf('old')]);
  });

  it('follows a rotation, and lets go of a key that was withdrawn', async () => {
    const { codec, provider, clock } = setUp('old');
    const token = await codec.seal(state, aad, null);
    provider.keys.unshift('new');
    clock.pass(CACHE_MS);
    expect((await codec.seal(state, aad, null)).split('.')[1]).toBe(idOf('new'));
    expect(await codec.unseal(token, aad, null)).toEqual(state);
    provider.keys.pop();
    clock.pass(CACHE_MS);
    expect(await codec.unseal(token, aad, null)).toBeUndefined();
    expect(await codec.diagnose?.(token)).toBe('unknown_key');
  });

  it.each<[string, KeySet]>([
    ['a text of several keys', `${text('new')}, ${text('old')}`],
    ['a list', [bytes('new'), text('old')]],
    ['a ring', keyring([text('new'), text('old')])],
  ])('takes %s from both methods: the first seals, the one that is asked for opens', async (_, keys) => {
    const provided = new ProvidedKeys(
      { current: () => keys, resolve: () => keys },
      { cacheMs: CACHE_MS, timeoutMs: TIMEOUT_MS },
    );
    const codec = sealedCodec(provided);
    expect(await codec.unseal(sealedUnder('old'), aad, null)).toEqual(state);
    expect((await codec.seal(state, aad, null)).split('.')[1]).toBe(idOf('new'));
  });

  it('C05 opens a state under the key that it names and no other', async () => {
    const { codec } = setUp('a', 'b');
    const graft = (token: string, keyId: string): string => token.slice(0, 6) + keyId + token.slice(12);
    const underA = await codec.seal(state, aad, null);
    for (const grafted of [graft(underA, idOf('b')), graft(sealedUnder('b'), idOf('a'))]) {
      expect(await codec.unseal(grafted, aad, null)).toBeUndefined();
      expect(await codec.diagnose?.(grafted)).toBe('unverified');
    }
    expect(await codec.unseal(underA.replace('mrtr1', 'mrtr2'), aad, null)).toBeUndefined();
  });

  it('keeps purposes apart', async () => {
    const { codec, reply } = setUp('a');
    const token = await codec.seal(state, aad, null);
    expect(await reply.unseal(token, aad, null)).toBeUndefined();
    expect(await reply.diagnose?.(token)).toBe('unknown_key');
  });

  it('asks nothing for a token that is none', async () => {
    const { codec, provider } = setUp('a');
    for (const token of ['', 'junk', 'mrtr1.AAAAAA.AAAA', `${sealedUnder('a')}=`]) {
      expect(await codec.unseal(token, aad, null)).toBeUndefined();
      expect(await codec.diagnose?.(token)).toBe('malformed');
    }
    expect(provider.asked).toEqual([]);
  });

  it.each<[string, Answer]>([
    ['another key', () => text('other')],
    ['undefined', () => undefined],
    ['null', () => null as never],
  ])('counts %s as an unknown key', async (_, answer) => {
    const { codec, provider } = setUp('new', 'old');
    provider.resolving = answer;
    expect(await codec.unseal(sealedUnder('old'), aad, null)).toBeUndefined();
    expect(await codec.diagnose?.(sealedUnder('old'))).toBe('unknown_key');
    expect(provider.asked).toEqual([idOf('old')]);
  });

  it('asks for an unknown id again after 30 seconds, or after the time of the cache if that is shorter', async () => {
    const { codec, provider, clock } = setUp('new');
    await codec.unseal(sealedUnder('old'), aad, null);
    clock.pass(29_999);
    await codec.unseal(sealedUnder('old'), aad, null);
    expect(provider.asked).toHaveLength(1);
    provider.keys.push('old');
    clock.pass(1);
    expect(await codec.unseal(sealedUnder('old'), aad, null)).toEqual(state);

    const brief = new ProvidedKeys(provider, { cacheMs: 1000, timeoutMs: TIMEOUT_MS, clock });
    await brief.find('state', 'AAAAAA');
    clock.pass(1000);
    await brief.find('state', 'AAAAAA');
    expect(provider.asked.filter((each) => each === 'AAAAAA')).toHaveLength(2);
  });
});

describe('how much a key provider is asked', () => {
  it('is once at a time for the current key, and once for each id', async () => {
    const { codec, provider } = setUp('new', 'old', 'older');
    const tokens = ['old', 'older', 'old', 'older'].map(sealedUnder);
    const opened = Promise.all([
      ...tokens.map((token) => codec.unseal(token, aad, null)),
      codec.ready?.(),
      codec.ready?.(),
    ]);
    expect(provider.asked.sort()).toEqual(['current', idOf('old'), idOf('older')].sort());
    expect((await opened).slice(0, 4)).toEqual([state, state, state, state]);
  });

  it('is at most 32 ids at a time; the current key is none of them', async () => {
    const { codec, provided, provider, clock } = setUp('new', 'old');
    provider.resolving = hanging;
    const flood = Array.from({ length: 32 }, (_, i) => failure(provided.find('state', `flood${i}`)));
    const { code, message } = await failure(codec.unseal(sealedUnder('old'), aad, null));
    expect([code, message]).toEqual(['ERR_MRTR_KEYS', 'The key provider has 32 lookups of keys to answer already.']);
    expect(await codec.unseal(await codec.seal(state, aad, null), aad, null)).toEqual(state);
    clock.pass(TIMEOUT_MS);
    expect(new Set((await Promise.all(flood)).map((error) => error.code))).toEqual(new Set(['ERR_MRTR_KEYS']));
    provider.resolving = undefined;
    expect(await codec.unseal(sealedUnder('old'), aad, null)).toEqual(state);
  });

  it('forgets the oldest of 256 unknown ids, and no key for the sake of an unknown id', async () => {
    const { codec, provided, provider } = setUp('new', 'old');
    await codec.unseal(sealedUnder('old'), aad, null);
    for (let i = 0; i < 257; i += 1) await provided.find('state', `none${i}`);
    provider.asked.length = 0;
    await provided.find('state', 'none1');
    await codec.unseal(sealedUnder('old'), aad, null);
    expect(provider.asked).toEqual([]);
    await provided.find('state', 'none0');
    expect(provider.asked).toEqual(['none0']);
  });

  it('forgets the oldest of 64 keys', async () => {
    const seeds = Array.from({ length: 65 }, (_, i) => `key ${i}`);
    const { provided, provider } = setUp(...seeds);
    for (const seed of seeds) expect(await provided.find('state', idOf(seed))).toBeInstanceOf(Keyring);
    provider.asked.length = 0;
    await provided.find('state', idOf('key 1'));
    expect(provider.asked).toEqual([]);
    await provided.find('state', idOf('key 0'));
    expect(provider.asked).toEqual([idOf('key 0')]);
  });
});

describe('a key provider that fails', () => {
  it.each<[string, Answer]>([
    ['throws', failing(new Error('the KMS is down'))],
    ['rejects', () => Promise.reject(new Error('the KMS is down'))],
  ])('and %s is ERR_MRTR_KEYS with its own error as the cause', async (_, answer) => {
    const { codec, provider } = setUp('new', 'old');
    provider.currently = answer;
    provider.resolving = answer;
    for (const [work, method] of [
      [codec.ready?.(), 'current()'],
      [codec.seal(state, aad, null), 'current()'],
      [codec.unseal(sealedUnder('old'), aad, null), 'resolve()'],
      [codec.diagnose?.(sealedUnder('old')), 'resolve()'],
    ] as const) {
      const error = await failure(work);
      expect([error.code, error.message]).toEqual(['ERR_MRTR_KEYS', `The key provider failed in ${method}.`]);
      expect(error.cause).toEqual(new Error('the KMS is down'));
    }
  });

  it('synchronously, without being async at all, is the same', async () => {
    const broken = failing(new Error('no'));
    const keys = new ProvidedKeys({ current: broken, resolve: broken }, { cacheMs: 1, timeoutMs: 1 });
    expect((await failure(keys.current())).code).toBe('ERR_MRTR_KEYS');
    expect((await failure(keys.find('state', 'AAAAAA'))).code).toBe('ERR_MRTR_KEYS');
  });

  it('is asked again by the next call', async () => {
    const { codec, provider } = setUp('new', 'old');
    provider.currently = provider.resolving = failing(new Error('down'));
    await failure(codec.ready?.());
    await failure(codec.unseal(sealedUnder('old'), aad, null));
    provider.currently = provider.resolving = undefined;
    await codec.ready?.();
    expect(await codec.unseal(sealedUnder('old'), aad, null)).toEqual(state);
  });

  it('has failed when its time is up, not before; its late answer is ignored and its request called off', async () => {
    const { codec, provider, clock } = setUp('new', 'old');
    let answerLate: (key: string) => void = () => undefined;
    provider.currently = () => new Promise((resolve) => (answerLate = resolve));
    let error: (Error & { code?: string }) | undefined;
    const failed = failure(codec.ready?.()).then((thrown) => (error = thrown));
    clock.pass(TIMEOUT_MS - 1);
    await settled();
    expect(error).toBeUndefined();
    expect(provider.signals[0]?.aborted).toBe(false);
    clock.pass(1);
    await failed;
    expect([error?.code, error?.message]).toEqual([
      'ERR_MRTR_KEYS',
      'The key provider has not answered current() within 2 s (keys.timeoutSeconds).',
    ]);
    expect(provider.signals[0]?.aborted).toBe(true);
    answerLate(text('late'));
    await settled();
    provider.currently = undefined;
    expect((await codec.seal(state, aad, null)).split('.')[1]).toBe(idOf('new'));
  });

  it('and rejects late leaves no unhandled rejection', async () => {
    const { provided, provider, clock } = setUp('new');
    let rejectLate: (error: Error) => void = () => undefined;
    provider.resolving = () => new Promise((_resolve, reject) => (rejectLate = reject));
    const failed = failure(provided.find('state', 'AAAAAA'));
    await settled();
    clock.pass(TIMEOUT_MS);
    await failed;
    rejectLate(new Error('late'));
    // spec/support/unhandled.ts ends the run otherwise.
    await settled();
  });

  it('and hangs fails everybody who waits for it, within one time-out', async () => {
    const { codec, provider, clock } = setUp('new', 'old');
    provider.resolving = hanging;
    const waiting = Array.from({ length: 5 }, () => failure(codec.unseal(sealedUnder('old'), aad, null)));
    await settled();
    clock.pass(TIMEOUT_MS);
    for (const error of await Promise.all(waiting)) expect(error.code).toBe('ERR_MRTR_KEYS');
    expect(provider.asked).toHaveLength(1);
  });

  it('leaves no timer behind, whichever way a call ends', async () => {
    const { codec, provider, clock } = setUp('new', 'old');
    await codec.ready?.();
    await codec.unseal(sealedUnder('old'), aad, null);
    provider.resolving = failing(new Error('down'));
    await failure(codec.unseal(sealedUnder('older'), aad, null));
    await settled();
    expect(clock.timers.size).toBe(0);
  });

  it('while a handler runs does not lose its state: it is sealed under the last key', async () => {
    const { codec, provider, clock } = setUp('new');
    await codec.ready?.();
    clock.pass(CACHE_MS);
    provider.currently = failing(new Error('down'));
    const token = await codec.seal(state, aad, null);
    expect(token.split('.')[1]).toBe(idOf('new'));
    expect((await failure(codec.ready?.())).code).toBe('ERR_MRTR_KEYS');
  });
});

describe('C116 what a key provider returns', () => {
  it.each<[string, unknown, string]>([
    ['nothing', undefined, 'is undefined'],
    ['an empty list', [], 'is an empty list'],
    ['31 bytes', bytes('a').subarray(1), 'holds 31 bytes'],
    ['all zeros', Buffer.alloc(32), 'consists of one byte repeated'],
    ['hex', bytes('a').toString('hex'), 'does not begin with "mrtrk_", it looks like hex'],
    ['a newline at the end', `${text('a')}\n`, 'contains whitespace'],
    ['a number', 32, 'is a number'],
    ['a provider', new FakeProvider('a'), 'is an object'],
  ])('is refused when it is %s, and not shown', async (_, keys, problem) => {
    const { codec, provider } = setUp('new', 'old');
    provider.currently = provider.resolving = () => keys as KeySet;
    const sealing = await failure(codec.seal(state, aad, null));
    expect([sealing.code, sealing.message]).toEqual([
      'ERR_MRTR_KEYS',
      'The key provider answered current() with what is no key.',
    ]);
    expect((sealing.cause as Error).message).toContain(`"keys.current()" ${problem}`);
    if (keys !== undefined) {
      const unsealing = await failure(codec.unseal(sealedUnder('old'), aad, null));
      expect((unsealing.cause as Error).message).toContain(`"keys.resolve()" ${problem}`);
    }
    const shown = inspect(sealing, { depth: null, showHidden: true });
    for (const secret of [bytes('a').toString('hex'), text('a').slice(6)]) expect(shown).not.toContain(secret);
  });

  it('is copied: later changes have no effect', async () => {
    const { codec, provider } = setUp('new');
    const key = bytes('new');
    provider.currently = () => key;
    await codec.ready?.();
    key.fill(1);
    expect(await codec.unseal(sealedUnder('new'), aad, null)).toEqual(state);
  });

  it('shows nowhere in the keys that are held', async () => {
    const { codec, provided } = setUp('new', 'old');
    await codec.ready?.();
    await codec.unseal(sealedUnder('old'), aad, null);
    const shown = inspect([codec, provided], { depth: null, showHidden: true });
    for (const seed of ['new', 'old']) expect(shown).not.toContain(text(seed).slice(6));
    expect(shown).not.toContain('mrtrk_');
  });
});

describe('ExpiringCache', () => {
  it('gives a value again its full time, and the youngest place, when it is set again', () => {
    const clock = new FakeClock();
    const cache = new ExpiringCache<number>(2, 10, clock.now);
    cache.set('a', 1);
    cache.set('b', 2);
    clock.pass(9);
    cache.set('a', 3);
    cache.set('c', 4);
    expect([cache.get('a'), cache.get('b'), cache.get('c')]).toEqual([3, undefined, 4]);
    clock.pass(9);
    expect(cache.get('a')).toBe(3);
    clock.pass(1);
    expect([cache.get('a'), cache.get('c')]).toEqual([undefined, undefined]);
  });
});

describe('the clock of the system', () => {
  it('moves on, and its timers keep no process alive and can be called off', () => {
    const before = process.getActiveResourcesInfo().filter((name) => name === 'Timeout').length;
    const cancel = systemClock.after(2 ** 40, () => undefined);
    expect(process.getActiveResourcesInfo().filter((name) => name === 'Timeout')).toHaveLength(before);
    cancel();
    expect(systemClock.now()).toBeLessThanOrEqual(systemClock.now());
  });

  it('ends what takes longer than it may', async () => {
    const error = await failure(within(1, systemClock, hanging, () => new Error('late')));
    expect(error.message).toBe('late');
  });
});
