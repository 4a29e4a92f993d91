import fc from 'fast-check';
import { z } from 'zod';
import { field, form, tool, prompt, resource } from '../lib/index.js';
import type { MrtrOptions } from '../lib/options.js';
import {
  askOf,
  BAD_STATE,
  closeAll,
  eventsOf,
  expectBadState,
  EXPRESSES,
  KEY,
  OTHER_KEY,
  rig,
  textOf,
  YES,
  type Rig,
  type RigOptions,
} from './support/http.js';

const CONFIRM = form({ confirm: field.boolean() });

interface Shop {
  readonly transfers: number[];
  runs: number;
  readonly definitions: Pick<MrtrOptions, 'tools' | 'prompts' | 'resources'>;
}

function shop(): Shop {
  const state: Shop = { transfers: [], runs: 0, definitions: {} };
  const ask = (name: string) =>
    tool(name, { inputSchema: z.looseObject({ amount: z.number().optional() }) }, async ({ amount = 0 }, ctx) => {
      state.runs += 1;
      const answer = await ctx.elicit({ message: `Transfer ${amount}?`, form: CONFIRM });
      if (answer.action === 'accept' && answer.content.confirm) state.transfers.push(amount);
      return `done ${amount}`;
    });
  const tools = ['pay', 'pay:x', 'x', 'other'].map(ask);
  const prompts = [
    prompt('pay', {}, async (_args, ctx) => {
      state.runs += 1;
      return String(await ctx.confirm('Prompt?'));
    }),
  ];
  const resources = [
    resource('r', 'test://r', {}, async (_uri, ctx) => {
      state.runs += 1;
      return String(await ctx.confirm('Resource?'));
    }),
  ];
  return Object.assign(state, { definitions: { tools, prompts, resources } });
}

afterAll(closeAll);

describe.each(EXPRESSES)('hostile state on %s', (_name, express) => {
  async function setUp(options: RigOptions = {}): Promise<{ rig: Rig; shop: Shop; state: string; key: string }> {
    const made = shop();
    const served = await rig({ express, ...made.definitions, ...options });
    const { state, keys } = askOf(await served.tool('pay', { amount: 1 }));
    made.runs = 0;
    return { rig: served, shop: made, state, key: keys[0] ?? '' };
  }

  async function expectRefused(served: Rig, made: Shop, state: unknown, args: unknown = { amount: 1 }): Promise<void> {
    const before = made.runs;
    expectBadState(await served.tool('pay', args, { requestState: state, inputResponses: { 'elicit-1': YES } }));
    expect(made.runs).toBe(before);
    expect(made.transfers).toEqual([]);
  }

  it('C01 a state cut short is refused, however short', async () => {
    const { rig: served, shop: made, state } = await setUp();
    const [version, keyId, sealed = ''] = state.split('.');
    const bytes = Buffer.from(sealed, 'base64url');
    for (let cut = 1; cut <= 16; cut += 1) {
      await expectRefused(served, made, `${version}.${keyId}.${bytes.subarray(0, -cut).toString('base64url')}`);
    }
    for (const length of [0, 11, 12, 23, 24, 27, 39, 40]) {
      await expectRefused(served, made, `${version}.${keyId}.${bytes.subarray(0, length).toString('base64url')}`);
    }
  });

  it('C02 only the one spelling of a state is taken', async () => {
    const { rig: served, shop: made, state } = await setUp();
    const middle = Math.floor(state.length / 2);
    const spellings = [
      `${state}=`,
      `${state}=AAAA`,
      `${state}!`,
      ` ${state}`,
      `${state}\n`,
      `${state.slice(0, middle)}\n${state.slice(middle)}`,
      state.replaceAll('-', '+').replaceAll('_', '/'),
      `${state}.`,
      state.toUpperCase(),
    ].filter((spelling) => spelling !== state);
    const alphabet = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_';
    const others = Array.from(alphabet)
      .map((last) => state.slice(0, -1) + last)
      .filter((other) => other !== state);
    expect(others).toHaveLength(63);
    for (const spelling of [...spellings, ...others]) await expectRefused(served, made, spelling);
  });

  it('C04 a state of another JSON type is refused, null counts as none', async () => {
    const { rig: served, shop: made, state } = await setUp();
    for (const wrong of [[state], { toString: state }, 7, true, {}, '']) await expectRefused(served, made, wrong);
    askOf(await served.tool('pay', { amount: 1 }, { requestState: null }));
  });

  it('C05 a version or key id from elsewhere is refused', async () => {
    const made = shop();
    const a = await rig({ express, ...made.definitions, keys: [KEY, OTHER_KEY] });
    const b = await rig({ express, ...made.definitions, keys: [OTHER_KEY, KEY] });
    const fromA = askOf(await a.tool('pay', { amount: 1 })).state.split('.');
    const fromB = askOf(await b.tool('pay', { amount: 1 })).state.split('.');
    expect(fromA[1]).not.toBe(fromB[1]);
    for (const served of [a, b]) {
      await expectRefused(served, made, [fromA[0], fromB[1], fromA[2]].join('.'));
      await expectRefused(served, made, [fromB[0], fromA[1], fromB[2]].join('.'));
      await expectRefused(served, made, ['mrtr2', fromA[1], fromA[2]].join('.'));
    }
  });

  it('C12 every refusal is the same to the byte, and the events know the cause', async () => {
    let now = 1_000_000_000_000;
    const { rig: served, shop: made, state } = await setUp({ now: () => now });
    const foreign = await rig({ express, ...made.definitions, keys: OTHER_KEY, now: () => now });
    const foreignState = askOf(await foreign.tool('pay', { amount: 1 })).state;
    const flipped = state.slice(0, 40) + (state[40] === 'A' ? 'B' : 'A') + state.slice(41);
    const headers = { 'x-user': 'bob' };
    const sends = [
      () => served.tool('pay', { amount: 1 }, { requestState: flipped }, { id: 1 }),
      () => served.tool('pay', { amount: 1 }, { requestState: state }, { id: 1, headers }),
      () => served.tool('other', { amount: 1 }, { requestState: state }, { id: 1 }),
      () => served.tool('pay', { amount: 2 }, { requestState: state }, { id: 1 }),
      () => served.tool('pay', { amount: 1 }, { requestState: foreignState }, { id: 1 }),
      () => served.tool('pay', { amount: 1 }, { requestState: 'junk' }, { id: 1 }),
      () => {
        now += 300_000;
        return served.tool('pay', { amount: 1 }, { requestState: state }, { id: 1 });
      },
    ];
    const replies: unknown[] = [];
    const events = await eventsOf<{ reason: string }>('mrtr:refused', async () => {
      for (const send of sends) {
        const { status, text, headers: sent } = await send();
        const { date: _date, ...stable } = sent as Record<string, string>;
        replies.push({ status, text, stable });
      }
    });
    for (const reply of replies) expect(reply).toEqual(replies[0]);
    expect(events.map(({ reason }) => reason)).toEqual([
      'ERR_MRTR_STATE_UNVERIFIED',
      'ERR_MRTR_STATE_UNVERIFIED',
      'ERR_MRTR_STATE_UNVERIFIED',
      'ERR_MRTR_STATE_PARAMS',
      'ERR_MRTR_STATE_UNKNOWN_KEY',
      'ERR_MRTR_STATE_MALFORMED',
      'ERR_MRTR_STATE_EXPIRED',
    ]);
    expect(made.runs).toBe(1);
  });

  it('C16 a __proto__ or constructor member in the arguments neither vanishes nor pollutes', async () => {
    const { rig: served, shop: made, state } = await setUp();
    const members = [
      '"__proto__":{"currency":"XXX"}',
      '"deep":{"__proto__":{"currency":"XXX"}}',
      '"constructor":{"prototype":{"x":1}}',
    ];
    for (const member of members) {
      const raw = (body: string): string => body.replace('"amount":1', `"amount":1,${member}`);
      const extra = { requestState: state, inputResponses: { 'elicit-1': YES } };
      expectBadState(await served.tool('pay', { amount: 1 }, extra, { raw }));
      askOf(await served.tool('pay', { amount: 1 }, {}, { raw }));
    }
    expect(made.transfers).toEqual([]);
    expect(({} as { currency?: unknown }).currency).toBeUndefined();
    expect(({} as { x?: unknown }).x).toBeUndefined();
  });

  it('C18 another order of members, another _meta and unknown params change nothing; another order of an array does', async () => {
    const { rig: served } = await setUp();
    const first = askOf(await served.tool('pay', { b: 1, a: { y: 2, x: 3 }, list: [1, 2], amount: 4 }));
    const again = { requestState: first.state, inputResponses: { 'elicit-1': YES } };
    const meta = {
      progressToken: 'p',
      traceparent: '00-1-1-01',
      'io.modelcontextprotocol/clientInfo': { name: 'other', version: '2' },
    };
    const reordered = { amount: 4, list: [1, 2], a: { x: 3, y: 2 }, b: 1 };
    expect(textOf(await served.tool('pay', reordered, { ...again, unknown: true }, { meta }))).toBe('done 4');
    expectBadState(await served.tool('pay', { ...reordered, list: [2, 1] }, again));
    const bare = askOf(await served.tool('pay'));
    expect(textOf(await served.tool('pay', {}, { ...again, requestState: bare.state }))).toBe('done 0');
  });

  it('C19 fields that look alike when joined do not stand for each other', async () => {
    for (const glue of [':', '|', '\u0000', '#', '/']) {
      const made = shop();
      const served = await rig({
        express,
        ...made.definitions,
        principal: (req) => decodeURIComponent(req.get('x-user') ?? 'ann'),
      });
      const as = (user: string) => ({ headers: { 'x-user': encodeURIComponent(user) } });
      const first = askOf(await served.tool('x', {}, {}, as(`ann${glue}pay`)));
      const again = { requestState: first.state, inputResponses: { 'elicit-1': YES } };
      expectBadState(await served.tool('pay:x', {}, again, as('ann')));
      expectBadState(await served.tool('pay:x', {}, again, as(`ann${glue}`)));
      expect(made.transfers).toEqual([]);
    }
  });

  it('C20 other arguments under an approved question are refused', async () => {
    const { rig: served, shop: made } = await setUp();
    const { state } = askOf(await served.tool('pay', { amount: 10 }));
    await expectRefused(served, made, state, { amount: 10_000 });
    expect(
      textOf(await served.tool('pay', { amount: 10 }, { requestState: state, inputResponses: { 'elicit-1': YES } })),
    ).toBe('done 10');
    expect(made.transfers).toEqual([10]);
  });

  it('C20 arguments beyond 4 KiB are bound by their digest', async () => {
    const { rig: served } = await setUp();
    const long = { amount: 1, note: 'n'.repeat(9000) };
    const { state } = askOf(await served.tool('pay', long));
    const again = { requestState: state, inputResponses: { 'elicit-1': YES } };
    expectBadState(await served.tool('pay', { ...long, note: `${long.note}!` }, again));
    expect(textOf(await served.tool('pay', long, again))).toBe('done 1');
  });

  it('C92 another user cannot use a state, nor learn whose it is', async () => {
    const { rig: served, shop: made, state } = await setUp();
    const bob = { headers: { 'x-user': 'bob' } };
    const reply = await served.tool(
      'pay',
      { amount: 1 },
      { requestState: state, inputResponses: { 'elicit-1': YES } },
      bob,
    );
    expectBadState(reply);
    expect(reply.text).not.toContain('ann');
    expect(made.runs).toBe(0);
    const own = askOf(await served.tool('pay', { amount: 1 }, {}, bob));
    const answered = { requestState: own.state, inputResponses: { 'elicit-1': YES } };
    expectBadState(await served.tool('pay', { amount: 1 }, answered));
  });

  it('refuses a flow that began too long ago, a state from the future and one with too many rounds', async () => {
    let now = 1_000_000_000_000;
    const { rig: served, shop: made, state } = await setUp({ now: () => now, maxFlowSeconds: 400 });
    now += 250_000;
    const polled = askOf(await served.tool('pay', { amount: 1 }, { requestState: state })).state;
    now += 149_999;
    askOf(await served.tool('pay', { amount: 1 }, { requestState: polled }));
    now += 1;
    const late = await eventsOf<{ reason: string }>('mrtr:refused', () => expectRefused(served, made, polled));
    expect(late.map(({ reason }) => reason)).toEqual(['ERR_MRTR_STATE_FLOW_EXPIRED']);
    now -= 400_000 + 60_001;
    const early = await eventsOf<{ reason: string }>('mrtr:refused', () => expectRefused(served, made, state));
    expect(early.map(({ reason }) => reason)).toEqual(['ERR_MRTR_STATE_FUTURE']);
    now += 1;
    askOf(await served.tool('pay', { amount: 1 }, { requestState: state }));
  });

  it('refuses a state that is longer than maxStateBytes before looking at it', async () => {
    const unsealed: string[] = [];
    const { rig: served, shop: made } = await setUp({
      codec: {
        seal: () => 'short',
        unseal: (token) => {
          unsealed.push(token);
          return undefined;
        },
      },
      maxStateBytes: 1024,
    });
    await expectRefused(served, made, 'x'.repeat(1025));
    expect(unsealed).toEqual([]);
    await expectRefused(served, made, 'x'.repeat(1024));
    expect(unsealed).toHaveLength(1);
  });
});

describe('properties of the sealed state over HTTP', () => {
  it('any character changed, dropped, added or swapped with another state’s is refused without running the handler', async () => {
    const made = shop();
    const served = await rig(made.definitions);
    const one = askOf(await served.tool('pay', { amount: 1 })).state;
    const two = askOf(await served.tool('pay', { amount: 1 })).state;
    made.runs = 0;
    const position = fc.nat({ max: one.length - 1 });
    const character = fc.constantFrom(...Array.from('ABCXYZabcxyz019-_.=+/ \n\u0000é'));
    const mutation = fc.oneof(
      fc.tuple(position, character).map(([at, c]) => one.slice(0, at) + c + one.slice(at + 1)),
      fc.tuple(position, character).map(([at, c]) => one.slice(0, at) + c + one.slice(at)),
      position.map((at) => one.slice(0, at) + one.slice(at + 1)),
      position.map((at) => one.slice(0, at) + two.slice(at)),
      position.map((at) => one.slice(0, at)),
    );
    await fc.assert(
      fc.asyncProperty(mutation, async (state) => {
        fc.pre(state !== one && state !== two);
        const reply = await served.tool(
          'pay',
          { amount: 1 },
          { requestState: state, inputResponses: { 'elicit-1': YES } },
        );
        expect((reply.body as { error: unknown }).error).toEqual(BAD_STATE);
      }),
      { numRuns: 150 },
    );
    expect(made.runs).toBe(0);
  });

  it('two contexts that differ in anything refuse each other’s states', async () => {
    const made = shop();
    const rigs = new Map<string, Rig>();
    for (const audience of ['shop', 'bank']) rigs.set(audience, await rig({ ...made.definitions, audience }));
    interface Context {
      readonly audience: string;
      readonly user: string;
      readonly request: readonly [method: string, params: Record<string, unknown>];
    }
    const requests: Context['request'][] = [
      ['tools/call', { name: 'pay', arguments: { amount: 1 } }],
      ['tools/call', { name: 'pay', arguments: { amount: 2 } }],
      ['tools/call', { name: 'x', arguments: { amount: 1 } }],
      ['prompts/get', { name: 'pay', arguments: {} }],
      ['resources/read', { uri: 'test://r' }],
    ];
    const context: fc.Arbitrary<Context> = fc.record({
      audience: fc.constantFrom('shop', 'bank'),
      user: fc.constantFrom('ann', 'bob', 'Ann', '42'),
      request: fc.constantFrom(...requests),
    });
    const send = ({ audience, user, request: [method, params] }: Context, extra = {}) => {
      const served = rigs.get(audience);
      if (served === undefined) throw new Error(`no rig for ${audience}`);
      return served.call(method, { ...params, ...extra }, { headers: { 'x-user': user } });
    };
    await fc.assert(
      fc.asyncProperty(context, context, async (from, to) => {
        const { state } = askOf(await send(from));
        const same = JSON.stringify(from) === JSON.stringify(to);
        const runs = made.runs;
        const reply = await send(to, { requestState: state });
        if (same) askOf(reply);
        else {
          expectBadState(reply);
          expect(made.runs).toBe(runs);
        }
      }),
      { numRuns: 100 },
    );
  });
});
