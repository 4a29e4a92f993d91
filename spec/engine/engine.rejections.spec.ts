import type { Asking } from '../../lib/engine/context.js';
import { Flow, NAME, named, nameOf, ticks, turns } from '../support/engine.js';

describe('a handler that asks in a loop whatever comes', () => {
  const LIMIT = 10_000;
  const TOO_MANY = {
    code: 'ERR_MRTR_TOO_MANY_REJECTIONS',
    message:
      'The handler kept calling ctx after 64 of its calls had been rejected. Let the first rejection pass instead of retrying it in a loop.',
  };
  /** Asks until the engine stops it; the guard only keeps a broken engine from hanging the test run. */
  const insist = async (ask: () => Promise<unknown>, count: { calls: number }): Promise<string> => {
    while (count.calls < LIMIT) {
      count.calls += 1;
      try {
        await ask();
        return 'answered';
      } catch {
        continue;
      }
    }
    throw new Error('the engine let it spin');
  };
  const macrotask = () => {
    const timer = { fired: false };
    setImmediate(() => (timer.fired = true));
    return timer;
  };

  it.each<[string, (ctx: Asking) => Promise<unknown>]>([
    ['a wrong question', (ctx) => ctx.elicit({ message: '', form: NAME })],
    ['a wrong confirmation', (ctx) => ctx.confirm('')],
    ['a wrong key', (ctx) => ctx.listRoots({ key: 'roots-1' })],
  ])('%s is stopped after 64 rejections, as a fault', async (_title, ask) => {
    const count = { calls: 0 };
    const timer = macrotask();
    expect(await new Flow((ctx) => insist(() => ask(ctx), count)).fails()).toEqual(TOO_MANY);
    expect(count.calls).toBe(65);
    await turns(1);
    expect(timer.fired).toBe(true);
  });

  it.each<[string, string | undefined]>([
    ['the same question', undefined],
    ['the same key', 'k'],
  ])('%s is stopped with the ask', async (_title, key) => {
    const count = { calls: 0 };
    const timer = macrotask();
    const flow = new Flow((ctx) => insist(() => nameOf(ctx, 'Name?', key === undefined ? {} : { key }), count));
    const wireKey = key ?? 'elicit-1';
    expect(await flow.asks()).toEqual({ [wireKey]: 'Name?' });
    expect(count.calls).toBe(65);
    expect(timer.fired).toBe(true);
    expect(await flow.completes({ [wireKey]: named('Ann') })).toBe('answered');
  });

  it('a new question each time is stopped with the asks', async () => {
    const count = { calls: 0 };
    const flow = new Flow((ctx) => insist(() => nameOf(ctx, `Question ${count.calls}?`), count));
    expect(Object.keys(await flow.asks())).toHaveLength(64);
    expect(count.calls).toBe(65);
  });

  it('without awaiting, is stopped at the first call after the rejections', async () => {
    let settled = false;
    const timer = macrotask();
    const flow = new Flow(async (ctx) => {
      for (let call = 0; call < 1000; call++) void ctx.confirm('');
      await ticks(1);
      await ctx.confirm('').catch(() => undefined);
      settled = true;
    });
    expect(await flow.fails()).toEqual(TOO_MANY);
    await turns(1);
    expect(timer.fired).toBe(true);
    expect(settled).toBe(false);
  });

  it('after the round, is stopped too', async () => {
    const count = { calls: 0 };
    const flow = new Flow((ctx) => {
      setImmediate(() => void insist(() => nameOf(ctx, 'Late?'), count));
      return 'done';
    });
    expect(await flow.completes()).toBe('done');
    await turns(3);
    expect(count.calls).toBe(65);
  });

  it('may have up to 64 rejections', async () => {
    const flow = new Flow(async (ctx) => {
      for (let call = 0; call < 63; call++) await ctx.confirm('').catch(() => undefined);
      return nameOf(ctx, 'Name?');
    });
    expect(await flow.asks()).toEqual({ 'elicit-1': 'Name?' });
    expect(await flow.completes({ 'elicit-1': named('Ann') })).toBe('Ann');
  });
});
