import { AssertionError } from 'node:assert';
import { z } from 'zod';
import { field, form, prompt, resource, resourceTemplate, tool } from '../../lib/index.js';
import { accept, decline, expectDeterministic, leave } from '../../lib/testing/index.js';
import { eventsOf } from '../support/http.js';

const YES = accept({ confirm: true });
const ADVICE =
  'A question must not depend on the clock, on chance or on a lookup that changes. What does belongs into ctx.step(name, fn), which keeps what it found for the whole flow.';

async function failureOf(call: Promise<unknown>): Promise<string> {
  const failure: unknown = await call.catch((error: unknown) => error);
  expect(failure).toBeInstanceOf(AssertionError);
  return (failure as Error).message;
}

/** Counts up: what a question must not do. */
function counter(): () => number {
  let count = 0;
  return () => (count += 1);
}

describe('expectDeterministic', () => {
  it('returns what the test client returns, and runs what stands behind the last question once', async () => {
    let runs = 0;
    let paid = 0;
    const pay = tool('pay', { inputSchema: z.object({ to: z.string() }) }, async ({ to }, ctx) => {
      runs += 1;
      if (!(await ctx.confirm(`Pay ${to}?`))) return 'Nothing.';
      if (!(await ctx.confirm('Really?'))) return 'Nothing.';
      paid += 1;
      return `Paid ${to}.`;
    });
    const answers = { 'elicit-1': YES, 'elicit-2': YES };
    const { text, asked, rounds, result } = await expectDeterministic(pay, { args: { to: 'Bob' }, answers });
    expect([text, asked, rounds.length]).toEqual(['Paid Bob.', ['elicit-1', 'elicit-2'], 3]);
    expect(result?.content).toHaveLength(1);
    expect([runs, paid]).toEqual([5, 1]);
  });

  it('drives prompts, resources and templates', async () => {
    const answers = { 'elicit-1': YES };
    const letter = prompt('letter', { argsSchema: z.object({ to: z.string() }) }, async ({ to }, ctx) =>
      (await ctx.confirm('Formal?')) ? `Dear ${to}` : to,
    );
    expect((await expectDeterministic(letter, { args: { to: 'Ann' }, answers })).result?.messages).toHaveLength(1);
    const motd = resource('motd', 'shop://motd', {}, async (_uri, ctx) => String(await ctx.confirm('Long?')));
    expect((await expectDeterministic(motd, { answers })).text).toBe('true');
    const order = resourceTemplate('order', 'shop://orders/{id}', {}, async (_uri, { id }, ctx) =>
      (await ctx.confirm('Show?')) ? String(id) : '',
    );
    const uri = 'shop://orders/A-1';
    expect((await expectDeterministic(order, { uri, answers })).result?.contents).toMatchObject([{ uri, text: 'A-1' }]);
    await expect(expectDeterministic(order, { answers })).rejects.toThrow(
      'expectDeterministic() needs to know which resource of the template "shop://orders/{id}" to read: give its uri.',
    );
  });

  it('refuses what is no definition', async () => {
    await expect(expectDeterministic({ kind: 'tool' } as never)).rejects.toThrow(
      new TypeError('expectDeterministic() takes what tool(), prompt(), resource() or resourceTemplate() returned.'),
    );
  });

  it('finds a text that changes, and names the round, the key and both texts', async () => {
    const next = counter();
    const pay = tool('pay', {}, async (_args, ctx) => {
      await ctx.confirm('Pay?', { key: 'pay' });
      await ctx.confirm(`Number ${next()}?`, { key: 'sure' });
      return 'done';
    });
    const message = await failureOf(expectDeterministic(pay, { answers: { pay: YES, sure: YES } }));
    expect(message).toContain(
      'The handler is not deterministic: executed again in round 2, it asks something else.\n  at first: "sure": {"method":"elicitation/create"',
    );
    expect(message).toMatch(
      /at first: "sure": .*"message":"Number 1\?".*\n {2}then: {5}"sure": .*"message":"Number 2\?"/,
    );
    expect(message.endsWith(`\n${ADVICE}`)).toBe(true);
  });

  it('finds the clock in a question, even where both executions would fit into a millisecond', async () => {
    const start = Date.now();
    let looks = 0;
    // A flow looks at the clock less often than this.
    const clock = jest.spyOn(Date, 'now').mockImplementation(() => start + Math.floor((looks += 1) / 500));
    try {
      const pay = tool('pay', {}, async (_args, ctx) => String(await ctx.confirm(`Pay by ${Date.now()}?`)));
      expect(await failureOf(expectDeterministic(pay, { answers: { 'elicit-1': YES } }))).toContain('in round 1');
    } finally {
      clock.mockRestore();
    }
  });

  it.each<[string, readonly string[][], string, string]>([
    ['another key', [['a'], ['b']], '"a": {', '"b": {'],
    [
      'another order',
      [
        ['a', 'b'],
        ['b', 'a'],
      ],
      '"a": {',
      '"b": {',
    ],
    ['a question less', [['a', 'b'], ['a']], '"b": {', 'no further question'],
    ['a question more', [['a'], ['a', 'b']], 'no further question', '"b": {'],
    ['no question', [['a'], []], '"a": {', 'no question, but the result "done"'],
  ])('finds %s', async (_what, keys, first, then) => {
    const next = counter();
    const ask = tool('ask', {}, async (_args, ctx) => {
      await Promise.all((keys[next() - 1] ?? []).map((key) => ctx.confirm(`${key}?`, { key })));
      return 'done';
    });
    const lines = (await failureOf(expectDeterministic(ask, { answers: () => YES }))).split('\n');
    expect(lines[1]).toContain(`  at first: ${first}`);
    expect(lines[2]).toContain(`  then:     ${then}`);
  });

  it('finds an execution that fails', async () => {
    const next = counter();
    const ask = prompt('ask', {}, async (_args, ctx) => {
      if (next() === 2) throw new Error('flaky');
      return String(await ctx.confirm('Sure?'));
    });
    const message = await failureOf(expectDeterministic(ask, { answers: () => YES }));
    expect(message).toContain('then:     the error {"code":-32603');
  });

  it('lets a step look at what changes', async () => {
    const next = counter();
    const ask = tool('ask', {}, async (_args, ctx) => {
      const number = await ctx.step('number', () => next());
      return (await ctx.confirm(`Number ${number}?`)) ? `Took ${number}.` : '';
    });
    expect((await expectDeterministic(ask, { answers: { 'elicit-1': YES } })).text).toBe('Took 1.');
  });

  it('takes partial answers, and answers that are asked again with a reason', async () => {
    const name = form({ name: field.string({ maxLength: 3 }) });
    const ask = tool('ask', {}, async (_args, ctx) => {
      const [one, two] = await Promise.all([
        ctx.elicit({ key: 'one', message: 'One?', form: name }),
        ctx.elicit({ key: 'two', message: 'Two?', form: name }),
      ]);
      return `${one.action} ${two.action}`;
    });
    const answers = { one: [accept({ name: 'long' }), accept({ name: 'ok' })], two: [leave(), leave(), decline()] };
    const { text, asked } = await expectDeterministic(ask, { answers });
    expect([text, asked]).toEqual(['accept decline', ['one', 'two', 'one', 'two', 'two']]);
  });

  it('does not execute a round again that asks for a URL', async () => {
    const next = counter();
    const ask = tool('ask', {}, async (_args, ctx) => {
      next();
      const { action } = await ctx.elicitUrl({ message: 'Pay there', url: 'https://pay.example/1' });
      return action;
    });
    expect((await expectDeterministic(ask, { answers: () => decline() })).text).toBe('decline');
    expect(next()).toBe(3);
  });

  it('takes a user, capabilities and options of mrtr()', async () => {
    const ask = tool('ask', {}, async (_args, ctx) => {
      await ctx.confirm('Sure?');
      return JSON.stringify([ctx.user, ctx.client.supports('roots')]);
    });
    const errors: unknown[] = [];
    const { text } = await expectDeterministic(ask, {
      user: { id: 'ann' },
      capabilities: { elicitation: {} },
      answers: () => YES,
      options: { onError: (error) => void errors.push(error), audience: 'shop' },
    });
    expect(JSON.parse(text)).toEqual([{ id: 'ann' }, false]);
    expect(errors).toEqual([]);
  });

  it('fails like the test client when the script does not fit', async () => {
    const ask = tool('ask', {}, async (_args, ctx) => String(await ctx.confirm('Sure?')));
    expect(await failureOf(expectDeterministic(ask))).toContain('The script has no answer to the question "elicit-1"');
    expect(await failureOf(expectDeterministic(ask, { answers: { 'elicit-1': YES, b: YES } }))).toContain(
      '"b" was never asked',
    );
    expect(await failureOf(expectDeterministic(ask, { answers: { 'elicit-1': leave() }, maxRounds: 2 }))).toContain(
      'The call is not over after 2 requests',
    );
  });

  it('refuses nothing on the way of a handler that is right', async () => {
    const ask = tool('ask', {}, async (_args, ctx) => {
      for (let n = 1; n <= 3; n += 1) await ctx.confirm(`Number ${n}?`);
      return 'done';
    });
    const refused = await eventsOf('mrtr:refused', () => expectDeterministic(ask, { answers: () => YES }));
    expect(refused).toEqual([]);
  });
});
