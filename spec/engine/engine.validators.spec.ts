import type { Asking } from '../../lib/engine/context.js';
import { Flow, gate, named, nameOf, schemaWith, textsOf, turns } from '../support/engine.js';

const UNWIND_MS = 10_000;

describe('validators that take their time', () => {
  type Verdict = { value: { name: string } } | { issues: { message: string }[] };
  const slow = () => {
    const verdict = gate<Verdict>();
    return { verdict, form: schemaWith(() => verdict.promise) };
  };
  const valid = (name: string): Verdict => ({ value: { name } });
  const invalid: Verdict = { issues: [{ message: 'is taken' }] };

  it('are awaited, in the round that brings the answer and in later ones', async () => {
    const form = schemaWith(async (value) => {
      await turns(2);
      return { value: value as { name: string } };
    });
    const flow = new Flow(async (ctx) => [await ctx.elicit({ message: 'Name?', form }), await nameOf(ctx, 'Age?')]);
    await flow.asks();
    expect(await flow.asks({ 'elicit-1': named('Ann') })).toEqual({ 'elicit-2': 'Age?' });
    expect(await flow.completes({ 'elicit-2': named('7') })).toEqual([named('Ann'), '7']);
  });

  it('that refuse lead to the question again, with the reason', async () => {
    const form = schemaWith(async () => invalid);
    const flow = new Flow((ctx) => ctx.elicit({ message: 'Name?', form }));
    await flow.asks();
    const again = await flow.asks({ 'elicit-1': named('Ann') });
    expect(again['elicit-1']).toMatch(/^Name\?\n\n.*is taken/);
  });

  it('that refuse what they once took lead to the question again', async () => {
    let takes = true;
    const form = schemaWith(async (value) => (takes ? { value: value as { name: string } } : invalid));
    const flow = new Flow(async (ctx) => [await ctx.elicit({ message: 'Name?', form }), await nameOf(ctx, 'Age?')]);
    await flow.asks();
    await flow.asks({ 'elicit-1': named('Ann') });
    takes = false;
    expect(await flow.asks({ 'elicit-2': named('7') })).toEqual({ 'elicit-1': 'Name?' });
    takes = true;
    expect(await flow.completes({ 'elicit-1': named('Bob') })).toEqual([named('Bob'), '7']);
  });

  it('C27 a race against one does not complete before it has spoken: it refuses, so the question is asked', async () => {
    const { verdict, form } = slow();
    const flow = new Flow((ctx) => Promise.race([ctx.elicit({ message: 'Name?', form }), turns(1).then(() => 'lost')]));
    await flow.asks();
    let ended = false;
    const round = flow.asks({ 'elicit-1': named('Ann') }).finally(() => (ended = true));
    await turns(10);
    expect(ended).toBe(false);
    verdict.open(invalid);
    expect((await round)['elicit-1']).toMatch(/is taken/);
  });

  it('C27 a race against one that accepts completes with what the race gave, and the answer is kept', async () => {
    const { verdict, form } = slow();
    const flow = new Flow((ctx) => Promise.race([ctx.elicit({ message: 'Name?', form }), turns(1).then(() => 'lost')]));
    await flow.asks();
    const round = flow.round({ 'elicit-1': named('Ann') });
    await turns();
    verdict.open(valid('Ann'));
    expect(await round).toEqual({ kind: 'complete', result: 'lost', answered: 1, warnings: [] });
  });

  it('C27 what follows upon one, after the handler has settled, is asked or validated before the round ends', async () => {
    const first = slow();
    const second = slow();
    const askName = (ctx: Asking) => ctx.elicit({ message: 'Name?', form: first.form });
    const askNick = (ctx: Asking) => ctx.elicit({ message: 'Nick?', form: second.form });
    const flow = new Flow((ctx) => Promise.all([askName(ctx), askNick(ctx)]));
    expect(await flow.asks()).toEqual({ 'elicit-1': 'Name?', 'elicit-2': 'Nick?' });
    flow.handler = (ctx) => {
      const branch = async () => {
        await askName(ctx);
        await askNick(ctx);
        return nameOf(ctx, 'Age?');
      };
      return Promise.race([branch(), turns(1).then(() => 'lost')]);
    };
    let ended = false;
    const round = flow.asks({ 'elicit-1': named('Ann'), 'elicit-2': named('An') }).finally(() => (ended = true));
    await turns();
    first.verdict.open(valid('Ann'));
    await turns(10);
    expect(ended).toBe(false);
    second.verdict.open(valid('An'));
    expect(await round).toEqual({ 'elicit-3': 'Age?' });
  });

  it('are awaited beside an open question, so that their answers are recorded', async () => {
    const { verdict, form } = slow();
    const flow = new Flow((ctx) => Promise.all([ctx.elicit({ message: 'Name?', form }), nameOf(ctx, 'Age?')]));
    await flow.asks();
    const round = flow.asks({ 'elicit-1': named('Ann') });
    await turns();
    verdict.open(valid('Ann'));
    expect(await round).toEqual({ 'elicit-2': 'Age?' });
    expect(flow.ledger.entries.map(({ status }) => status)).toEqual(['answered', 'open']);
  });

  it('that never settle are a fault once the time to unwind is over, not a completed call', async () => {
    const { form } = slow();
    const flow = new Flow((ctx) => Promise.race([ctx.elicit({ message: 'Name?', form }), turns(1).then(() => 'lost')]));
    await flow.asks();
    const round = flow.fails({ 'elicit-1': named('Ann') });
    await turns();
    flow.timers.fire(UNWIND_MS);
    expect(await round).toEqual({
      code: 'ERR_MRTR_HANDLER_TIMEOUT',
      message:
        "An answer was still being validated 10 s after the handler had settled. Make the schema's validator settle sooner.",
    });
  });

  it('that never settle beside an open question end the round with the ask and keep the answer', async () => {
    let { form } = slow();
    const flow = new Flow((ctx) => Promise.all([ctx.elicit({ message: 'Name?', form }), nameOf(ctx, 'Age?')]));
    await flow.asks();
    const round = flow.round({ 'elicit-1': named('Ann') });
    await turns();
    expect(flow.timers.pending.map(({ ms }) => ms)).toEqual([UNWIND_MS]);
    flow.timers.fire(UNWIND_MS);
    expect(textsOf(await round)).toEqual({ 'elicit-2': 'Age?' });
    form = schemaWith(() => valid('Ann'));
    expect(await flow.completes({ 'elicit-2': named('7') })).toEqual([named('Ann'), '7']);
  });
});
