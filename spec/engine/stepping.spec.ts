import {
  accept,
  Flow,
  gate,
  nameOf,
  named,
  refusal,
  turns,
  warningsOf,
  YES,
  type Answers,
  type Ctx,
} from '../support/engine.js';
import { stepping } from '../../lib/engine/stepping.js';
import { Round } from '../../lib/engine/engine.js';

const UNWIND_MS = 10_000;

/** Runs that a handler's steps have had, by name. */
class Runs extends Map<string, number> {
  ran(name: string): number {
    const n = (this.get(name) ?? 0) + 1;
    this.set(name, n);
    return n;
  }
}

describe('ctx.step', () => {
  it('runs once in a flow and gives later rounds what it gave', async () => {
    const runs = new Runs();
    const flow = new Flow(async (ctx) => {
      const order = await ctx.step('load', async () => ({ id: 'A', n: runs.ran('load') }));
      const name = await nameOf(ctx, `Who gets ${order.id}?`);
      const n = await ctx.step('ship', () => runs.ran('ship'));
      const last = await nameOf(ctx, `And after ${name}?`);
      return [order, name, n, last];
    });
    await flow.asks();
    expect(await flow.asks({ 'elicit-1': named('Ann') })).toEqual({ 'elicit-2': 'And after Ann?' });
    expect(await flow.completes({ 'elicit-2': named('Bob') })).toEqual([{ id: 'A', n: 1 }, 'Ann', 1, 'Bob']);
    expect([...runs]).toEqual([
      ['load', 1],
      ['ship', 1],
    ]);
  });

  it('gives undefined back as undefined, and null as null', async () => {
    const runs = new Runs();
    const flow = new Flow(async (ctx) => {
      const nothing = await ctx.step('nothing', () => void runs.ran('nothing'));
      const none = await ctx.step('none', () => null);
      await ctx.confirm('Sure?');
      return [nothing, none];
    });
    await flow.asks();
    expect(await flow.completes({ 'elicit-1': YES })).toEqual([undefined, null]);
    expect(runs.get('nothing')).toBe(1);
  });

  it('tells the runs of one name in a loop apart', async () => {
    const runs = new Runs();
    const flow = new Flow(async (ctx) => {
      const got: unknown[] = [];
      for (const each of ['x', 'y', 'z']) {
        got.push(await ctx.step('load', () => `${each}${runs.ran('load')}`));
        if (each === 'y') await ctx.confirm('Go on?');
      }
      return got;
    });
    await flow.asks();
    expect(await flow.completes({ 'elicit-1': YES })).toEqual(['x1', 'y2', 'z3']);
    expect(runs.get('load')).toBe(3);
  });

  it('works in branches that run side by side, with a name each', async () => {
    const runs = new Runs();
    const flow = new Flow((ctx) =>
      Promise.all(
        ['a', 'b'].map(async (each) => {
          const n = await ctx.step(`load ${each}`, () => runs.ran(each));
          return `${await nameOf(ctx, `${each}${n}?`)} ${await ctx.step(`save ${each}`, () => runs.ran(each))}`;
        }),
      ),
    );
    expect(await flow.asks()).toEqual({ 'elicit-1': 'a1?', 'elicit-2': 'b1?' });
    expect(await flow.completes({ 'elicit-1': named('Ann'), 'elicit-2': named('Bob') })).toEqual(['Ann 2', 'Bob 2']);
  });

  it('hands out copies: what the handler changes is not what the next round gets', async () => {
    const source = { tags: ['a'] };
    const flow = new Flow(async (ctx) => {
      const loaded = await ctx.step('load', () => source);
      const first = JSON.stringify(loaded);
      loaded.tags.push('changed');
      await ctx.confirm('Sure?');
      return [first, source.tags];
    });
    await flow.asks();
    expect(await flow.completes({ 'elicit-1': YES })).toEqual(['{"tags":["a"]}', ['a']]);
  });

  it('that throws is not recorded, and its error reaches the handler', async () => {
    const runs = new Runs();
    const flow = new Flow(async (ctx) => {
      const load = (): Promise<number> =>
        ctx.step('load', () => {
          if (runs.ran('load') === 1) throw new Error('down');
          return 7;
        });
      let got: unknown;
      try {
        got = await load();
      } catch (error) {
        got = (error as Error).message;
      }
      await ctx.confirm('Sure?');
      return [got, await load()];
    });
    await flow.asks();
    expect(await flow.completes({ 'elicit-1': YES })).toEqual([7, 7]);
    expect(runs.get('load')).toBe(3);
  });

  it('ends the tool like any error of it when the handler lets it pass', async () => {
    const flow = new Flow((ctx) =>
      ctx.step('load', () => {
        throw new Error('down');
      }),
    );
    expect(await flow.fails()).toEqual({ code: 'ERR_MRTR_HANDLER', message: 'down' });
  });

  it('refuses a result that is no data, even beside an open question', async () => {
    const flow = new Flow((ctx) => Promise.all([ctx.step('load', () => new Date()), ctx.confirm('Sure?')]));
    expect(await flow.fails()).toEqual({
      code: 'ERR_MRTR_STEP',
      message: 'ctx.step("load") gave a Date, which does not survive a round as it is. Return date.toISOString().',
    });
  });

  it('under one name twice at once is a fault, even inside a catch', async () => {
    const runs = new Runs();
    const flow = new Flow(async (ctx) => {
      const both = await Promise.allSettled([1, 2].map(() => ctx.step('load', async () => runs.ran('load'))));
      return both.length;
    });
    expect(await flow.fails()).toEqual({
      code: 'ERR_MRTR_STEP',
      message:
        'The step "load" was started while it was running, so their results could not be told apart. ' +
        'Give each branch a name of its own, for example with an id in it.',
    });
    expect(runs.get('load')).toBe(1);
  });

  it('is told from its double in later rounds just the same', async () => {
    let twice = false;
    const flow = new Flow(async (ctx) => {
      const names = twice ? [1, 2] : [1];
      await Promise.all(names.map(() => ctx.step('load', () => 1)));
      await ctx.confirm('Sure?');
    });
    await flow.asks();
    twice = true;
    expect((await flow.fails({ 'elicit-1': YES })).code).toBe('ERR_MRTR_STEP');
  });

  it.each<[string, unknown[], string]>([
    [
      'no name',
      [undefined, () => 1],
      'ctx.step needs a name of 1 to 128 characters as its first argument: ctx.step("load", () => …).',
    ],
    [
      'an empty name',
      ['', () => 1],
      'ctx.step needs a name of 1 to 128 characters as its first argument: ctx.step("load", () => …).',
    ],
    [
      'a long name',
      ['x'.repeat(129), () => 1],
      'ctx.step needs a name of 1 to 128 characters as its first argument: ctx.step("load", () => …).',
    ],
    [
      'a value',
      ['load', Promise.resolve(1)],
      'ctx.step("load") needs a function as its second argument; got object. Write () => ….',
    ],
  ])('refuses %s', async (_what, args, message) => {
    const flow = new Flow((ctx) => refusal(ctx.step(...(args as Parameters<typeof ctx.step>))));
    expect(await flow.completes()).toEqual({ code: 'ERR_MRTR_STEP', message });
  });

  it('that has started is awaited before the state is sealed', async () => {
    const runs = new Runs();
    const slow = gate<string>();
    const flow = new Flow((ctx) =>
      Promise.all([ctx.step('slow', () => (runs.ran('slow'), slow.promise)), ctx.confirm('Sure?')]),
    );
    const round = flow.asks();
    await turns();
    slow.open('done');
    expect(await round).toEqual({ 'elicit-1': 'Sure?' });
    expect(await flow.completes({ 'elicit-1': YES })).toEqual(['done', true]);
    expect(runs.get('slow')).toBe(1);
  });

  it('that takes longer than the time to unwind is left out, and runs again', async () => {
    const runs = new Runs();
    const flow = new Flow((ctx) =>
      Promise.all([
        ctx.step('slow', () => (runs.ran('slow') === 1 ? new Promise<string>(() => undefined) : 'done')),
        ctx.confirm('Sure?'),
      ]),
    );
    const round = flow.round();
    await turns();
    flow.timers.fire(UNWIND_MS);
    expect(warningsOf(await round)).toEqual([['slow_unwind', 'elicit-1']]);
    expect(await flow.completes({ 'elicit-1': YES })).toEqual(['done', true]);
    expect(runs.get('slow')).toBe(2);
  });

  it('does not start beside a question that was asked before it, awaited or not', async () => {
    const runs = new Runs();
    const together = new Flow((ctx) =>
      Promise.all([ctx.confirm('Sure?'), ctx.step('pay', () => runs.ran('pay')), nameOf(ctx, 'Name?')]),
    );
    expect(await together.asks()).toEqual({ 'elicit-1': 'Sure?', 'elicit-2': 'Name?' });
    expect(runs.size).toBe(0);
    expect(await together.completes({ 'elicit-1': YES, 'elicit-2': named('Ann') })).toEqual([true, 1, 'Ann']);
    const forgotten = new Flow(async (ctx) => {
      const sure = ctx.confirm('Sure?') as unknown;
      if (sure !== false) await ctx.step('pay again', () => runs.ran('pay again'));
      return 'paid';
    });
    expect(await forgotten.asks()).toEqual({ 'elicit-1': 'Sure?' });
    expect([...runs.keys()]).toEqual(['pay']);
  });

  it('gives back what is recorded while another question of the turn is open', async () => {
    const runs = new Runs();
    const flow = new Flow((ctx) =>
      Promise.all([ctx.step('load', () => runs.ran('load')).then((n) => nameOf(ctx, `A${n}?`)), nameOf(ctx, 'B?')]),
    );
    expect(Object.values(await flow.asks()).sort()).toEqual(['A1?', 'B?']);
    expect(Object.values(await flow.asks()).sort()).toEqual(['A1?', 'B?']);
    expect(runs.get('load')).toBe(1);
  });

  it.each<[string, (ctx: Ctx) => Promise<unknown>, Answers]>([
    ['too many unusable answers', (ctx) => ctx.confirm('Sure?'), { 'elicit-1': accept({ confirm: 'x' }) }],
    [
      'one key twice',
      (ctx) => ctx.confirm('Sure?', { key: 'a' }).then(() => ctx.confirm('Sure?', { key: 'a' })),
      { a: YES },
    ],
  ])('does not start after %s, whoever caught that', async (_what, ask, answers) => {
    const runs = new Runs();
    const flow = new Flow(
      async (ctx) => {
        try {
          await ask(ctx);
        } catch {
          // What is meant to go on.
        } finally {
          await ctx.step('pay', () => runs.ran('pay'));
        }
        return ctx.step('pay again', () => runs.ran('pay again'));
      },
      { maxAttempts: 1 },
    );
    await flow.asks();
    await flow.fails(answers);
    expect(runs.size).toBe(0);
  });

  it('does not start after a mismatch that is refused', async () => {
    const runs = new Runs();
    let n = 0;
    const flow = new Flow(
      async (ctx) => {
        await ctx.confirm(`Sure ${++n}?`).catch(() => undefined);
        await ctx.step('pay', () => runs.ran('pay'));
      },
      { onLedgerMismatch: 'reject' },
    );
    await flow.asks();
    expect((await flow.fails({ 'elicit-1': YES })).code).toBe('ERR_MRTR_LEDGER_MISMATCH');
    expect(runs.size).toBe(0);
  });

  it('does not start once a question is open: a catch that swallows it moves no money', async () => {
    const runs = new Runs();
    const flow = new Flow(async (ctx) => {
      let sure: boolean;
      try {
        sure = await ctx.confirm('Sure?');
      } catch {
        sure = true;
      }
      if (sure) await ctx.step('transfer', () => runs.ran('transfer'));
      return sure;
    });
    expect(await flow.asks()).toEqual({ 'elicit-1': 'Sure?' });
    expect(runs.get('transfer')).toBeUndefined();
    expect(await flow.completes({ 'elicit-1': accept({ confirm: false }) })).toBe(false);
    expect(runs.get('transfer')).toBeUndefined();
  });

  it('in a finally block runs when the flow gets there, not whenever a round unwinds', async () => {
    const runs = new Runs();
    const flow = new Flow(async (ctx) => {
      await ctx.step('lock', () => runs.ran('lock'));
      try {
        return await nameOf(ctx, 'Name?');
      } finally {
        await ctx.step('unlock', () => runs.ran('unlock'));
      }
    });
    await flow.asks();
    expect([...runs.keys()]).toEqual(['lock']);
    expect(await flow.completes({ 'elicit-1': named('Ann') })).toBe('Ann');
    expect([...runs]).toEqual([
      ['lock', 1],
      ['unlock', 1],
    ]);
  });

  it('may ask, and is then recorded once it has its answer', async () => {
    const runs = new Runs();
    const flow = new Flow((ctx) =>
      ctx.step('order', async () => ({ name: await nameOf(ctx, 'Name?'), n: runs.ran('order') })),
    );
    await flow.asks();
    expect(await flow.completes({ 'elicit-1': named('Ann') })).toEqual({ name: 'Ann', n: 1 });
  });

  it('does not start after the round is over', async () => {
    let late: (() => Promise<unknown>) | undefined;
    const runs = new Runs();
    const flow = new Flow((ctx) => {
      late = () => ctx.step('late', () => runs.ran('late'));
      return 'done';
    });
    await flow.completes();
    expect((await refusal(late?.() ?? Promise.resolve())).code).toBe('ERR_MRTR_ROUND_OVER');
    expect(runs.size).toBe(0);
  });

  it('that nobody awaits causes no unhandled rejection and holds up no result', async () => {
    const failing = new Flow((ctx) => {
      void ctx.step('fails', async () => Promise.reject(new Error('down')));
      return 'done';
    });
    expect(await failing.completes()).toBe('done');
    const hanging = new Flow((ctx) => {
      void ctx.step('hangs', () => new Promise(() => undefined));
      return 'done';
    });
    expect(await hanging.completes()).toBe('done');
  });

  it('cannot spin the engine', async () => {
    const flow = new Flow(async (ctx) => {
      for (;;) await ctx.step('', () => 1).catch(() => undefined);
    });
    expect((await flow.fails()).code).toBe('ERR_MRTR_TOO_MANY_REJECTIONS');
  });
});

describe('ctx.idempotencyKey', () => {
  const keysOf = (secret: string) => {
    const input = { ledger: { entries: [], nextOrdinal: 1, steps: new Map() } } as never;
    return stepping(new Round(input), secret).idempotencyKey;
  };

  it('is the HMAC-SHA256 of the label as JSON under the secret of the flow', () => {
    // printf '"refund"' | openssl dgst -sha256 -hmac secret -binary | base64
    expect(keysOf('secret')('refund')).toBe('-PTLBRb-QnKOXsDAu_kmkv2kB-527sqv0cZkKr0LXtY');
  });

  it('is equal for equal labels of one flow, and different across labels and flows', () => {
    const labels = ['refund', 'Refund', 'refund ', '\ud800', '\ud801', '__proto__', 'x'.repeat(9999)];
    const all = ['one flow', 'another'].flatMap((secret) => labels.map((label) => keysOf(secret)(label)));
    expect(new Set(all).size).toBe(all.length);
    expect(all).toEqual(['one flow', 'another'].flatMap((secret) => labels.map((label) => keysOf(secret)(label))));
    for (const key of all) expect(key).toMatch(/^[\w-]{43}$/);
  });

  it.each([
    [undefined, 'undefined'],
    ['', 'an empty text'],
    [7, 'a number'],
  ])('needs a label, not %j', (label, got) => {
    expect(() => keysOf('secret')(label as string)).toThrow(
      expect.objectContaining({
        code: 'ERR_MRTR_STEP',
        message: `ctx.idempotencyKey needs a label that says what for, as in ctx.idempotencyKey("refund"); got ${got}.`,
      }) as Error,
    );
  });
});
