import http from 'node:http';
import { field, form, prompt, tool, ToolError } from '../../lib/index.js';
import { systemEnvironment } from '../../lib/hosts/environment.js';
import { SingleUse } from '../../lib/hosts/single-use.js';
import { SealedCodec } from '../../lib/seal/codec.js';
import { Keyring } from '../../lib/seal/keyring.js';
import type { ReplayStore } from '../../lib/stores/store.js';
import { MemoryReplayStore } from '../../lib/stores/memory.js';
import {
  askOf,
  closeAll,
  eventsOf,
  expectBadState,
  EXPRESSES,
  headersOf,
  KEY,
  metaOf,
  rig,
  textOf,
  YES,
  type RigOptions,
} from '../support/http.js';

const NO = { action: 'accept', content: { confirm: false } };
const INTERNAL = {
  code: -32603,
  message: 'Internal error. The operator of this server can see the reason in its events.',
};
const IN_FLIGHT = {
  code: -32603,
  message: 'This very request is still being served. Send it again later to get its result.',
  data: { reason: 'request_in_flight' },
};

afterAll(closeAll);

describe.each(EXPRESSES)('single use on %s', (_name, express) => {
  let transfers = 0;
  let gate: Promise<unknown> = Promise.resolve();
  let entered: () => void = () => undefined;
  const pay = tool('pay', {}, async (_args, ctx) => {
    const yes = await ctx.confirm('Transfer?');
    entered();
    await gate;
    if (yes) transfers += 1;
    return `transferred ${transfers}, ${String(yes)}`;
  });
  const twice = tool('twice', {}, async (_args, ctx) =>
    JSON.stringify([await ctx.confirm('One?'), await ctx.confirm('Two?')]),
  );
  const fails = tool('fails', {}, async (_args, ctx) => {
    await ctx.confirm('Sure?');
    transfers += 1;
    throw new ToolError(`failed ${transfers}`);
  });
  const faulty = prompt('faulty', {}, async (_args, ctx) => {
    await ctx.confirm('Sure?');
    transfers += 1;
    throw new Error('broken');
  });

  beforeEach(() => {
    transfers = 0;
    gate = Promise.resolve();
    entered = () => undefined;
  });

  const served = (store: ReplayStore = new MemoryReplayStore(), options: RigOptions = {}) =>
    rig({ express, tools: [pay, twice, fails], prompts: [faulty], replay: { store }, ...options });
  const answer = (state: string, given: object = YES, key = 'elicit-1') => ({
    requestState: state,
    inputResponses: { [key]: given },
  });

  it('an exact repeat gets the recorded result under its own id, and the handler does not run', async () => {
    const { tool: call } = await served();
    const { state } = askOf(await call('pay'));
    const first = await call('pay', undefined, answer(state), { id: 'a' });
    expect(textOf(first)).toBe('transferred 1, true');
    const rounds = await eventsOf<{ outcome: string }>('mrtr:round', async () => {
      for (const id of ['b', 7]) {
        const again = await call('pay', {}, answer(state), { id });
        expect(again.body).toEqual({ ...(first.body as object), id });
      }
    });
    expect(rounds.map(({ outcome }) => outcome)).toEqual(['repeated', 'repeated']);
    expect(transfers).toBe(1);
  });

  it('a repeat of a round that asked gets the same ask and the same next state', async () => {
    const { tool: call } = await served();
    const { state } = askOf(await call('twice'));
    const first = askOf(await call('twice', undefined, answer(state)));
    const again = askOf(await call('twice', undefined, answer(state)));
    expect(again).toEqual(first);
    expect(textOf(await call('twice', undefined, answer(first.state, YES, 'elicit-2')))).toBe('[true,true]');
  });

  it('C02 C35 an altered repeat is refused, whatever was altered', async () => {
    const { tool: call } = await served();
    const { state } = askOf(await call('pay'));
    expect(textOf(await call('pay', undefined, answer(state)))).toBe('transferred 1, true');
    const refused = await eventsOf<{ reason: string }>('mrtr:refused', async () => {
      for (const extra of [
        answer(state, NO),
        answer(state, { action: 'decline' }),
        { requestState: state },
        { requestState: state, inputResponses: {} },
      ]) {
        expectBadState(await call('pay', undefined, extra));
      }
      expectBadState(await call('pay', undefined, answer(`${state}=`)));
    });
    expect(refused.map(({ reason }) => reason)).toEqual([
      ...Array<string>(4).fill('ERR_MRTR_STATE_SPENT'),
      'ERR_MRTR_STATE_MALFORMED',
    ]);
    expect(transfers).toBe(1);
  });

  it('C35 twenty at once run the handler once, and all get its result', async () => {
    const { tool: call } = await served();
    const { state } = askOf(await call('pay'));
    const replies = await Promise.all(Array.from({ length: 20 }, () => call('pay', undefined, answer(state))));
    expect(new Set(replies.map(textOf))).toEqual(new Set(['transferred 1, true']));
    expect(transfers).toBe(1);
  });

  it('a repeat that waited in vain gets one stable error, an altered one is refused at once', async () => {
    let open: () => void = () => undefined;
    gate = new Promise<void>((resolve) => (open = resolve));
    const inside = new Promise<void>((resolve) => (entered = resolve));
    const { tool: call } = await served(undefined, { replay: { store: new MemoryReplayStore(), waitSeconds: 0 } });
    const { state } = askOf(await call('pay'));
    const first = call('pay', undefined, answer(state)).then(textOf);
    await inside;
    for (let i = 0; i < 3; i += 1) {
      const busy = await call('pay', undefined, answer(state));
      expect([busy.status, (busy.body as { error: unknown }).error]).toEqual([200, IN_FLIGHT]);
    }
    expectBadState(await call('pay', undefined, answer(state, NO)));
    open();
    expect(await first).toBe('transferred 1, true');
    expect(textOf(await call('pay', undefined, answer(state)))).toBe('transferred 1, true');
  });

  it('nobody can spend another’s state', async () => {
    const { tool: call } = await served();
    const { state } = askOf(await call('pay'));
    expectBadState(await call('pay', undefined, answer(state), { headers: { 'x-user': 'bob' } }));
    expectBadState(await call('twice', undefined, answer(state)));
    expectBadState(await call('pay', { other: 1 }, answer(state)));
    expect(textOf(await call('pay', undefined, answer(state)))).toBe('transferred 1, true');
  });

  it('a tool error spends the state, a server fault gives it back', async () => {
    const { tool: call, call: send } = await served();
    const { state } = askOf(await call('fails'));
    for (let i = 0; i < 2; i += 1) {
      expect((await call('fails', undefined, answer(state))).body).toMatchObject({
        result: { isError: true, content: [{ text: 'failed 1' }] },
      });
    }
    transfers = 0;
    const asked = askOf(await send('prompts/get', { name: 'faulty' }));
    for (let i = 1; i < 3; i += 1) {
      expect((await send('prompts/get', { name: 'faulty', ...answer(asked.state) })).body).toMatchObject({
        error: INTERNAL,
      });
      expect(transfers).toBe(i);
    }
  });

  it('a handler whose client went away finishes and settles; the repeat gets its result', async () => {
    let open: () => void = () => undefined;
    gate = new Promise<void>((resolve) => (open = resolve));
    const inside = new Promise<void>((resolve) => (entered = resolve));
    const { url, tool: call } = await served();
    const { state } = askOf(await call('pay'));
    const gone = new Promise<void>((resolve) => {
      const req = http.request(`${url}/mcp`, { method: 'POST', headers: headersOf('tools/call', 'pay') });
      req.on('error', () => resolve());
      req.end(
        JSON.stringify({
          jsonrpc: '2.0',
          id: 1,
          method: 'tools/call',
          params: { name: 'pay', _meta: metaOf(), ...answer(state) },
        }),
      );
      void inside.then(() => req.destroy());
    });
    await gone;
    const again = call('pay', undefined, answer(state)).then(textOf);
    open();
    expect(await again).toBe('transferred 1, true');
    expect(transfers).toBe(1);
  });

  it('a lease that runs out lets the round run again: at most once per lease', async () => {
    let now = 1_000_000;
    const clock = (): number => now;
    const hang = new Promise<never>(() => undefined);
    gate = hang;
    const inside = new Promise<void>((resolve) => (entered = resolve));
    const store = new MemoryReplayStore({ now: clock });
    const { tool: call } = await served(undefined, { now: clock, replay: { store, leaseSeconds: 30, waitSeconds: 0 } });
    const { state } = askOf(await call('pay'));
    const lost = call('pay', undefined, answer(state))
      .timeout(300)
      .catch(() => 'lost');
    await inside;
    now += 29_999;
    expect(((await call('pay', undefined, answer(state))).body as { error: unknown }).error).toEqual(IN_FLIGHT);
    now += 1;
    gate = Promise.resolve();
    expect(textOf(await call('pay', undefined, answer(state)))).toBe('transferred 1, true');
    expect(await lost).toBe('lost');
  });

  it('what the store keeps names no state and can be read by nobody but its principal’s request', async () => {
    const kept: string[] = [];
    const memory = new MemoryReplayStore();
    const store: ReplayStore = {
      claim: (id, digest, ...rest) => {
        kept.push(id, digest);
        return memory.claim(id, digest, ...rest);
      },
      settle: (id, reply) => {
        kept.push(reply);
        return memory.settle(id, reply);
      },
      release: (id) => memory.release(id),
    };
    const { tool: call } = await served(store);
    const { state } = askOf(await call('pay'));
    await call('pay', undefined, answer(state), { id: 'SENTINEL-ID' });
    expect(kept).toHaveLength(3);
    expect(kept[2]).toMatch(/^mrtr1\./);
    for (const text of kept) {
      expect(state).not.toContain(text);
      expect(text).not.toContain('SENTINEL');
      expect(text).not.toContain('transferred');
    }
    const swapping: ReplayStore = { ...store, claim: () => ({ kind: 'done', reply: kept[2] ?? '' }) };
    const other = await served(swapping);
    expectBadState(await other.tool('pay', undefined, answer(askOf(await other.tool('pay')).state)));
  });

  it('C119 a store that fails, hangs or answers junk fails closed, and the handler does not run', async () => {
    const broken = () => {
      throw new Error('SENTINEL');
    };
    const stores: [string, ReplayStore['claim']][] = [
      ['throws', broken],
      ['rejects', () => Promise.reject(new Error('SENTINEL'))],
      ['hangs', () => new Promise(() => undefined)],
      ['answers junk', () => ({ kind: 'yes' }) as never],
      ['answers nothing', () => undefined as never],
    ];
    for (const [name, claim] of stores) {
      const store: ReplayStore = { claim, settle: () => undefined, release: () => undefined };
      const { tool: call } = await served(undefined, { replay: { store, timeoutSeconds: 0.05 } });
      const { state } = askOf(await call('pay'));
      const errors = await eventsOf<{ code: string }>('mrtr:error', async () => {
        const reply = await call('pay', undefined, answer(state));
        expect([name, reply.status, (reply.body as { error: unknown }).error]).toEqual([name, 200, INTERNAL]);
      });
      expect([name, errors.map(({ code }) => code)]).toEqual([name, ['ERR_MRTR_STORE']]);
    }
    expect(transfers).toBe(0);
    const full = await served(new MemoryReplayStore({ maxEntries: 1 }));
    const one = askOf(await full.tool('pay')).state;
    const two = askOf(await full.tool('pay')).state;
    expect(textOf(await full.tool('pay', undefined, answer(one)))).toBe('transferred 1, true');
    expect((await full.tool('pay', undefined, answer(two))).body).toMatchObject({ error: INTERNAL });
    expect(transfers).toBe(1);
  });

  it('C119 a claim that is granted after its time-out is given back, so that the same request goes through afterwards', async () => {
    const memory = new MemoryReplayStore();
    const late: (() => void)[] = [];
    let hangs = true;
    let released: (id: string) => void = () => undefined;
    const givenBack = new Promise<string>((resolve) => (released = resolve));
    const store: ReplayStore = {
      claim: (...args) => {
        if (!hangs) return memory.claim(...args);
        return new Promise((resolve) => late.push(() => resolve(memory.claim(...args))));
      },
      settle: (id, reply) => memory.settle(id, reply),
      release: (id) => {
        memory.release(id);
        released(id);
      },
    };
    const { tool: call } = await served(undefined, { replay: { store, timeoutSeconds: 0.05, waitSeconds: 0 } });
    const { state } = askOf(await call('pay'));
    expect((await call('pay', undefined, answer(state))).body).toMatchObject({ error: INTERNAL });
    hangs = false;
    for (const answerNow of late) answerNow();
    await givenBack;
    expect(textOf(await call('pay', undefined, answer(state)))).toBe('transferred 1, true');
  });

  it('a store that fails once the handler has run does not keep the result from the client', async () => {
    const store: ReplayStore = {
      claim: () => ({ kind: 'claimed' }),
      settle: () => Promise.reject(new Error('down')),
      release: () => Promise.reject(new Error('down')),
    };
    const { tool: call, call: send } = await served(store);
    const { state } = askOf(await call('pay'));
    const errors = await eventsOf<{ code: string }>('mrtr:error', async () => {
      expect(textOf(await call('pay', undefined, answer(state)))).toBe('transferred 1, true');
      const asked = askOf(await send('prompts/get', { name: 'faulty' }));
      expect((await send('prompts/get', { name: 'faulty', ...answer(asked.state) })).body).toMatchObject({
        error: INTERNAL,
      });
    });
    expect(errors.map(({ code }) => code)).toEqual(['ERR_MRTR_STORE', 'ERR_MRTR_STORE', 'ERR_MRTR_HANDLER']);
  });

  it('upFront does not go with it', async () => {
    const early = tool('early', {}, async (_args, ctx) =>
      JSON.stringify(
        await ctx.elicit({ key: 'k', upFront: true, message: 'Sure?', form: form({ yes: field.boolean() }) }),
      ),
    );
    const { tool: call } = await served(undefined, { tools: [early] });
    const errors = await eventsOf<{ code: string }>('mrtr:error', async () => {
      expect(
        (await call('early', undefined, { inputResponses: { k: { action: 'accept', content: { yes: true } } } })).body,
      ).toMatchObject({ error: INTERNAL });
    });
    expect(errors).toMatchObject([{ code: 'ERR_MRTR_QUESTION' }]);
  });
});

describe('a state that was claimed twice in one process', () => {
  it('belongs to the later claim: the earlier one, past its lease, neither settles nor frees it', async () => {
    let now = 1_000_000;
    const clock = (): number => now;
    const codec = new SealedCodec({ keyring: Keyring.from(KEY), purpose: 'reply' });
    const store = new MemoryReplayStore({ now: clock });
    const singleUse = new SingleUse(
      { store, codec, leaseMs: 30_000, waitMs: 0, timeoutMs: 1000 },
      { ...systemEnvironment, now: clock },
    );
    const spend = (answers: object) =>
      singleUse.spend({ tokenId: 't', principal: null, answers, expiresAt: now + 300_000, gone: () => false });
    const claim = async (answers: object) => {
      const spent = await spend(answers);
      if (spent.kind !== 'run') throw new Error(`not claimed: ${spent.kind}`);
      return spent.hold;
    };
    const earlier = await claim({ a: YES });
    now += 30_000;
    const later = await claim({ a: NO });
    await earlier.settle('earlier');
    await earlier.release();
    expect(await spend({ a: NO })).toEqual({ kind: 'refused', reason: 'ERR_MRTR_STATE_IN_FLIGHT' });
    await later.settle('later');
    expect(await spend({ a: NO })).toEqual({ kind: 'done', result: 'later' });
    expect(await spend({ a: YES })).toEqual({ kind: 'refused', reason: 'ERR_MRTR_STATE_SPENT' });
  });
});
