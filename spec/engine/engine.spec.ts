import type { Asking } from '../../lib/engine/context.js';
import {
  accept,
  CONFIRM,
  EVERYTHING,
  Flow,
  gate,
  NAME,
  named,
  refusal,
  nameOf,
  textsOf,
  ticks,
  turns,
  warningsOf,
  YES,
} from '../support/engine.js';

const UNWIND_MS = 10_000;

const pay = (ctx: Asking) => ctx.elicit({ message: 'Transfer?', form: CONFIRM });

describe('whatever the handler makes of the rejection, the question goes out', () => {
  it('C24 a broad catch that takes the signal for consent does not complete', async () => {
    let transfers = 0;
    const flow = new Flow(async (ctx) => {
      let answer;
      try {
        answer = await pay(ctx);
      } catch {
        answer = YES;
      }
      if (answer.action === 'accept') transfers += 1;
      return `transferred, ${JSON.stringify(answer.action)}`;
    });
    const outcome = await flow.round();
    expect(textsOf(outcome)).toEqual({ 'elicit-1': 'Transfer?' });
    expect(warningsOf(outcome)).toEqual([['swallowed_signal', 'elicit-1']]);
    transfers = 0; // what stands after the catch has run, and nothing of it reached the client
    expect(await flow.completes({ 'elicit-1': { action: 'decline' } })).toBe('transferred, "decline"');
    expect(transfers).toBe(0);
  });

  it('C24 a wrapper that rethrows with a cause does not fail the call', async () => {
    const flow = new Flow(async (ctx) => {
      try {
        return (await pay(ctx)).action;
      } catch (cause) {
        throw new Error('tool failed', { cause });
      }
    });
    const outcome = await flow.round();
    expect(textsOf(outcome)).toEqual({ 'elicit-1': 'Transfer?' });
    expect(warningsOf(outcome)).toEqual([]);
    expect(await flow.completes({ 'elicit-1': YES })).toBe('accept');
  });

  it('C24 a .catch(() => undefined) does not complete', async () => {
    const flow = new Flow(async (ctx) => (await pay(ctx).catch(() => undefined))?.action ?? 'undefined');
    const outcome = await flow.round();
    expect(textsOf(outcome)).toEqual({ 'elicit-1': 'Transfer?' });
    expect(warningsOf(outcome)).toEqual([['swallowed_signal', 'elicit-1']]);
    expect(await flow.completes({ 'elicit-1': YES })).toBe('accept');
  });

  it.each<[string, string | undefined]>([
    ['without a key', undefined],
    ['with a key', 'name'],
  ])('C24 a catch block that asks the same question again, %s, asks it once', async (_title, key) => {
    const options = key === undefined ? {} : { key };
    const flow = new Flow(async (ctx) => {
      try {
        return await nameOf(ctx, 'Name?', options);
      } catch {
        return await nameOf(ctx, 'Name?', options);
      }
    });
    const wireKey = key ?? 'elicit-1';
    expect(await flow.asks()).toEqual({ [wireKey]: 'Name?' });
    expect(await flow.completes({ [wireKey]: named('Ann') })).toBe('Ann');
  });

  it('C25 a question that nobody awaits goes out, the same way in 100 runs, and nothing stays unhandled', async () => {
    const unhandled = jest.fn();
    process.on('unhandledRejection', unhandled);
    try {
      for (let run = 0; run < 100; run++) {
        const flow = new Flow((ctx) => {
          void pay(ctx);
          void ctx.confirm('Sure?');
          return { content: [] };
        });
        const outcome = await flow.round();
        expect(textsOf(outcome)).toEqual({ 'elicit-1': 'Transfer?', 'elicit-2': 'Sure?' });
        expect(warningsOf(outcome)).toEqual([['swallowed_signal', 'elicit-1', 'elicit-2']]);
      }
      await turns();
      expect(unhandled).not.toHaveBeenCalled();
    } finally {
      process.off('unhandledRejection', unhandled);
    }
  });

  it('C25 what hangs on a question that nobody awaits is left alone, and no timer stays behind', async () => {
    const unhandled = jest.fn();
    process.on('unhandledRejection', unhandled);
    try {
      const followed = jest.fn();
      const flow = new Flow((ctx) => {
        void pay(ctx).then(followed);
        return 'done';
      });
      expect(await flow.asks()).toEqual({ 'elicit-1': 'Transfer?' });
      await turns();
      expect(followed).not.toHaveBeenCalled();
      expect(unhandled).not.toHaveBeenCalled();
      expect(flow.timers.pending).toEqual([]);
    } finally {
      process.off('unhandledRejection', unhandled);
    }
  });

  it('C25 a void ask in a timer that fires while the handler runs goes out too', async () => {
    const flow = new Flow(async (ctx) => {
      setTimeout(() => void pay(ctx));
      await new Promise((resolve) => setTimeout(resolve, 1));
      await turns();
      return 'done';
    });
    expect(await flow.asks()).toEqual({ 'elicit-1': 'Transfer?' });
  });

  it('C25 a void ask in a timer that fires after the round changes nothing and stays quiet', async () => {
    const asked = gate<Promise<unknown>>();
    const flow = new Flow((ctx) => {
      setImmediate(() => {
        void pay(ctx);
        void ctx.confirm('Sure?');
        asked.open(Promise.resolve());
      });
      return 'done';
    });
    expect(await flow.completes()).toBe('done');
    await asked.promise;
    await turns();
  });

  it('C27 a race with a timer never completes past an open question, and nothing comes later', async () => {
    const timer = gate();
    const flow = new Flow(async (ctx) => {
      await Promise.race([pay(ctx), timer.promise]);
      return 'complete';
    });
    const outcome = await flow.round();
    expect(textsOf(outcome)).toEqual({ 'elicit-1': 'Transfer?' });
    const before = JSON.stringify(outcome);
    timer.open();
    await turns();
    expect(JSON.stringify(outcome)).toBe(before);
    expect(await flow.completes({ 'elicit-1': YES })).toBe('complete');
  });

  it('C27 a race that is lost at once does not complete', async () => {
    const flow = new Flow((ctx) => Promise.race([pay(ctx), Promise.resolve('lost')]));
    const outcome = await flow.round();
    expect(textsOf(outcome)).toEqual({ 'elicit-1': 'Transfer?' });
    expect(warningsOf(outcome)).toEqual([['swallowed_signal', 'elicit-1']]);
  });

  it('C27 allSettled over two questions asks both', async () => {
    const flow = new Flow(async (ctx) => {
      const settled = await Promise.allSettled([nameOf(ctx, 'First?'), nameOf(ctx, 'Last?')]);
      return settled.map((one) => (one.status === 'fulfilled' ? one.value : 'rejected'));
    });
    expect(await flow.asks()).toEqual({ 'elicit-1': 'First?', 'elicit-2': 'Last?' });
    expect(await flow.completes({ 'elicit-1': named('Ann'), 'elicit-2': named('Lee') })).toEqual(['Ann', 'Lee']);
  });

  it('C27 a time-out helper that answers for the question does not complete, and its late ask is refused', async () => {
    const timer = gate();
    const asked = gate<Promise<unknown>>();
    const flow = new Flow((ctx) => {
      const timedOut = timer.promise.then(() => {
        asked.open(refusal(pay(ctx)));
        return 'timed out';
      });
      return Promise.race([pay(ctx).catch(() => timedOut), turns().then(() => 'gave up')]);
    });
    const outcome = await flow.round();
    expect(textsOf(outcome)).toEqual({ 'elicit-1': 'Transfer?' });
    timer.open();
    expect(await await asked.promise).toMatchObject({ code: 'ERR_MRTR_ROUND_OVER' });
    expect(textsOf(outcome)).toEqual({ 'elicit-1': 'Transfer?' });
  });

  it('C103 a missing capability is the outcome even where a catch block swallowed the question', async () => {
    const flow = new Flow((ctx) => pay(ctx).catch(() => 'carried on'), { capabilities: {} });
    expect(await flow.round()).toMatchObject({
      kind: 'failed',
      code: 'ERR_MRTR_CAPABILITY',
      requiredCapabilities: { elicitation: { form: {} } },
    });
  });
});

describe('what a handler returns or throws when nothing is open', () => {
  it('is the outcome', async () => {
    expect(await new Flow(() => 7).round()).toEqual({ kind: 'complete', result: 7, answered: 0, warnings: [] });
    const error = new Error('database down');
    const thrown = { kind: 'failed', code: 'ERR_MRTR_HANDLER', error };
    expect(await new Flow(() => Promise.reject(error)).round()).toEqual(thrown);
    expect(
      await new Flow(() => {
        throw error;
      }).round(),
    ).toEqual(thrown);
  });

  it('counts the answers that the request brought and that were usable', async () => {
    const flow = new Flow((ctx) => Promise.all([nameOf(ctx, 'First?'), nameOf(ctx, 'Last?')]));
    await flow.asks();
    const halfway = await flow.round({ 'elicit-1': named('Ann'), 'elicit-2': accept({ name: 7 }) });
    expect(halfway).toMatchObject({ kind: 'input_required', answered: 1 });
    expect(await flow.round({ 'elicit-1': named('Eve') })).toMatchObject({ kind: 'input_required', answered: 0 });
    expect(await flow.round({ 'elicit-2': named('Lee') })).toMatchObject({
      kind: 'complete',
      answered: 1,
      result: ['Ann', 'Lee'],
    });
  });
});

describe('questions of one turn', () => {
  it('go out together, however many microtasks lie between them', async () => {
    const flow = new Flow((ctx) =>
      Promise.all([
        nameOf(ctx, 'First?'),
        Promise.resolve().then(() => nameOf(ctx, 'Middle?')),
        ticks(20).then(() => nameOf(ctx, 'Last?')),
      ]),
    );
    expect(await flow.asks()).toEqual({ 'elicit-1': 'First?', 'elicit-2': 'Middle?', 'elicit-3': 'Last?' });
  });

  it('do not wait for one that comes turns later', async () => {
    const flow = new Flow((ctx) =>
      Promise.all([nameOf(ctx, 'First?'), turns(3).then(() => nameOf(ctx, 'Last?'))]).then((names) => names.join(' ')),
    );
    expect(await flow.asks()).toEqual({ 'elicit-1': 'First?' });
    expect(await flow.asks({ 'elicit-1': named('Ann') })).toEqual({ 'elicit-2': 'Last?' });
    expect(await flow.completes({ 'elicit-2': named('Lee') })).toBe('Ann Lee');
  });

  it('take in what a handler asks while it unwinds', async () => {
    const flow = new Flow(async (ctx) => {
      try {
        return await nameOf(ctx, 'Name?');
      } finally {
        await nameOf(ctx, 'Keep a copy?');
      }
    });
    expect(await flow.asks()).toEqual({ 'elicit-1': 'Name?', 'elicit-2': 'Keep a copy?' });
    expect(await flow.completes({ 'elicit-1': named('Ann'), 'elicit-2': named('no') })).toBe('Ann');
  });
});

describe('unwinding', () => {
  it('C37 a finally block is awaited before the round ends', async () => {
    let locked = true;
    const flow = new Flow(async (ctx) => {
      try {
        return (await pay(ctx)).action;
      } finally {
        await turns(10);
        locked = false;
      }
    });
    expect(await flow.asks()).toEqual({ 'elicit-1': 'Transfer?' });
    expect(locked).toBe(false);
  });

  it('C37 a finally block that throws changes nothing about the ask', async () => {
    const flow = new Flow(async (ctx) => {
      try {
        return (await pay(ctx)).action;
      } finally {
        await turns(2);
        // eslint-disable-next-line no-unsafe-finally -- that is the case
        throw new Error('unlock failed');
      }
    });
    expect(await flow.asks()).toEqual({ 'elicit-1': 'Transfer?' });
    expect(await flow.fails({ 'elicit-1': YES })).toEqual({ code: 'ERR_MRTR_HANDLER', message: 'unlock failed' });
  });

  it('takes 10 s at most: then the round ends with a warning and what comes later is refused', async () => {
    const unlock = gate();
    const later = gate<Promise<unknown>>();
    const flow = new Flow(async (ctx) => {
      try {
        return await pay(ctx);
      } finally {
        await unlock.promise;
        later.open(refusal(nameOf(ctx, 'Later?')));
      }
    });
    const round = flow.round();
    await turns();
    expect(flow.timers.pending.map(({ ms }) => ms)).toEqual([UNWIND_MS]);
    flow.timers.fire(UNWIND_MS);
    const outcome = await round;
    expect(textsOf(outcome)).toEqual({ 'elicit-1': 'Transfer?' });
    expect(warningsOf(outcome)).toEqual([['slow_unwind', 'elicit-1']]);
    unlock.open();
    expect(await await later.promise).toMatchObject({ code: 'ERR_MRTR_ROUND_OVER' });
  });

  it('has no limit before a question is open', async () => {
    const work = gate<string>();
    const flow = new Flow(() => work.promise);
    const round = flow.round();
    await turns();
    expect(flow.timers.pending).toEqual([]);
    work.open('done');
    expect(await round).toMatchObject({ kind: 'complete', result: 'done' });
  });
});

describe('the time that a handler may take', () => {
  it('ends the round as a fault when nothing is open', async () => {
    const flow = new Flow(() => new Promise(() => undefined), { handlerTimeoutMs: 1500 });
    const round = flow.fails();
    flow.timers.fire(1500);
    expect(await round).toEqual({
      code: 'ERR_MRTR_HANDLER_TIMEOUT',
      message:
        'The handler has not settled within 1.5 s (handlerTimeoutSeconds). Pass ctx.signal to what it waits for.',
    });
  });

  it('ends the round with the ask when a question is open', async () => {
    const flow = new Flow((ctx) => pay(ctx).catch(() => new Promise(() => undefined)), { handlerTimeoutMs: 1500 });
    const round = flow.asks();
    await turns();
    flow.timers.fire(1500);
    expect(await round).toEqual({ 'elicit-1': 'Transfer?' });
  });

  it('leaves no timer behind and means nothing when it is 0', async () => {
    const flow = new Flow(() => 'done', { handlerTimeoutMs: 1500 });
    expect(await flow.completes()).toBe('done');
    expect(flow.timers.pending).toEqual([]);
    flow.options = { handlerTimeoutMs: 0 };
    flow.handler = () => {
      expect(flow.timers.pending).toEqual([]);
      return 'done';
    };
    expect(await flow.completes()).toBe('done');
  });
});

describe('what the handler changes', () => {
  it('C33 in an answer is not recorded: every execution sees what the client sent', async () => {
    const seen: unknown[] = [];
    const flow = new Flow(async (ctx) => {
      const answer = await ctx.elicit({ message: 'Name?', form: NAME });
      if (answer.action !== 'accept') return 'nothing';
      seen.push(structuredClone(answer));
      Object.assign(answer.content, { name: 'z', extra: true });
      return [answer.content.name, await nameOf(ctx, 'Once more?')];
    });
    await flow.asks();
    await flow.asks({ 'elicit-1': named('Ann') });
    expect(await flow.completes({ 'elicit-2': named('Lee') })).toEqual(['z', 'Lee']);
    expect(seen).toEqual([named('Ann'), named('Ann')]);
  });

  it('C33 in a sampled message or in roots is not recorded either', async () => {
    const seen: unknown[] = [];
    const flow = new Flow(async (ctx) => {
      const message = await ctx.sample({ messages: [], maxTokens: 9 });
      seen.push(structuredClone(message));
      (message.content as { text: string }).text = 'z';
      const roots = await ctx.listRoots();
      seen.push(structuredClone(roots));
      Object.assign(roots[0] ?? {}, { name: 'z' });
      return nameOf(ctx, 'Name?');
    });
    const message = { role: 'assistant', model: 'm', content: { type: 'text', text: 'hi' } };
    const roots = [{ uri: 'file:///a', name: 'A' }];
    await flow.asks();
    await flow.asks({ 'sample-1': message });
    await flow.asks({ 'roots-2': { roots } });
    await flow.completes({ 'elicit-3': named('Ann') });
    expect(seen).toEqual([message, message, roots, message, roots]);
  });

  it('C33 in its arguments before it asks is not part of the flow', async () => {
    const flow = new Flow(async (ctx) => {
      const args: { items: string[]; note?: string } = { items: ['a'] };
      args.items.push('x');
      args.note = 'n';
      return [await nameOf(ctx, `Keep ${args.items.length}?`), args];
    });
    expect(await flow.asks()).toEqual({ 'elicit-1': 'Keep 2?' });
    expect(await flow.completes({ 'elicit-1': named('yes') })).toEqual(['yes', { items: ['a', 'x'], note: 'n' }]);
  });

  it('in the messages of a sample, after asking, does not change what goes out', async () => {
    const flow = new Flow((ctx) => {
      const messages: { role: 'user'; content: unknown }[] = [{ role: 'user', content: { type: 'text', text: 'a' } }];
      const asked = ctx.sample({ messages, maxTokens: 9 });
      messages.push({ role: 'user', content: { type: 'text', text: 'b' } });
      return asked;
    });
    const outcome = await flow.round();
    if (outcome.kind !== 'input_required') throw new Error(outcome.kind);
    expect(outcome.requests.get('sample-1')?.params).toEqual({
      messages: [{ role: 'user', content: { type: 'text', text: 'a' } }],
      maxTokens: 9,
    });
  });
});

describe('asking after the round', () => {
  const MESSAGE =
    'ctx was asked after the round was over: the handler has settled, or the client went away. ' +
    'Await every question before the handler returns.';

  it('rejects and says why', async () => {
    let kept: Asking | undefined;
    const flow = new Flow((ctx) => {
      kept = ctx;
      return 'done';
    });
    expect(await flow.completes()).toBe('done');
    if (kept === undefined) throw new Error('the handler did not run');
    for (const late of [
      pay(kept),
      kept.confirm('Sure?'),
      kept.elicitUrl({ message: 'Pay', url: 'https://a.example' }),
    ]) {
      expect(await refusal(late)).toEqual({ code: 'ERR_MRTR_ROUND_OVER', message: MESSAGE });
    }
  });

  it('leaves the ledger and the requests of the round alone', async () => {
    let kept: Asking | undefined;
    const flow = new Flow((ctx) => {
      kept = ctx;
      return nameOf(ctx, 'Name?');
    });
    const outcome = await flow.round();
    const before = JSON.stringify([flow.ledger, textsOf(outcome)]);
    if (kept !== undefined) await refusal(pay(kept));
    await turns();
    expect(JSON.stringify([flow.ledger, textsOf(outcome)])).toBe(before);
  });

  it('is refused as soon as the client is gone', async () => {
    let gone = false;
    const flow = new Flow(
      async (ctx) => {
        gone = true;
        return refusal(pay(ctx));
      },
      { gone: () => gone },
    );
    expect(await flow.completes()).toEqual({ code: 'ERR_MRTR_ROUND_OVER', message: MESSAGE });
  });
});

describe('the capabilities of the client', () => {
  const askAll = (ctx: Asking) =>
    Promise.all([
      pay(ctx),
      ctx.elicitUrl({ message: 'Pay', url: 'https://pay.example/' }),
      ctx.sample({ messages: [], maxTokens: 9, tools: [] }),
      ctx.sample({ messages: [], maxTokens: 9, includeContext: 'thisServer' }),
      ctx.listRoots(),
    ]);

  it('C102 are checked for all open questions at once, and nothing is asked when any is missing', async () => {
    expect(await new Flow(askAll, { capabilities: {} }).round()).toMatchObject({
      kind: 'failed',
      code: 'ERR_MRTR_CAPABILITY',
      requiredCapabilities: { elicitation: { form: {}, url: {} }, sampling: { tools: {}, context: {} }, roots: {} },
    });
    const { elicitation, sampling } = EVERYTHING;
    expect(await new Flow(askAll, { capabilities: { elicitation, sampling } }).round()).toMatchObject({
      kind: 'failed',
      requiredCapabilities: { roots: {} },
    });
    const { message } = await new Flow(pay, { capabilities: { elicitation: { url: {} } } }).fails();
    expect(message).toBe(
      'The handler asked for what the client did not declare: {"elicitation":{"form":{}}}. ' +
        'Look at ctx.client.supports(…) before asking, or set requires on the definition.',
    );
  });

  it('C101 that are all there let everything out', async () => {
    expect(Object.keys(await new Flow(askAll).asks())).toEqual([
      'elicit-1',
      'elicit-2',
      'sample-3',
      'sample-4',
      'roots-5',
    ]);
    expect(await new Flow(pay, { capabilities: { elicitation: {} } }).asks()).toEqual({ 'elicit-1': 'Transfer?' });
  });

  it('of an answered question are not asked for again', async () => {
    const flow = new Flow(pay);
    await flow.asks();
    flow.options = { capabilities: {} };
    expect(await flow.completes({ 'elicit-1': YES })).toEqual(YES);
  });
});
