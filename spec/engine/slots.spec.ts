import type { Asking } from '../../lib/engine/context.js';
import { UNKEYED, unkeyedKey } from '../../lib/engine/question.js';
import { LedgerMismatchError } from '../../lib/errors.js';
import { field, form } from '../../lib/elicitation/form.js';
import { accept, CONFIRM, Flow, named, nameOf, turns, warningsOf, YES } from '../support/engine.js';

const two = async (ctx: Asking) => [await nameOf(ctx, 'Name?'), await nameOf(ctx, 'Age?')];

describe('an incoming answer', () => {
  it('C45 (a) is not taken for a question that was never asked', async () => {
    const flow = new Flow(two);
    const early = { 'elicit-1': named('Eve'), 'elicit-2': named('7') };
    expect(await flow.asks(early)).toEqual({ 'elicit-1': 'Name?' });
    expect(flow.ledger.entries).toMatchObject([{ key: 'elicit-1', status: 'open', answer: null }]);
  });

  it('C45 (b) for the guessable next key is not stored', async () => {
    const flow = new Flow(two);
    await flow.asks();
    expect(await flow.asks({ 'elicit-1': named('Ann'), 'elicit-2': named('evil') })).toEqual({ 'elicit-2': 'Age?' });
    expect(JSON.stringify(flow.ledger)).not.toContain('evil');
    expect(await flow.asks()).toEqual({ 'elicit-2': 'Age?' });
    expect(await flow.completes({ 'elicit-2': named('7') })).toEqual(['Ann', '7']);
  });

  it('C45 (c) to a question that the handler has no more use for is ignored', async () => {
    let risk = true;
    const flow = new Flow(async (ctx) => (risk ? nameOf(ctx, 'Really?') : 'no risk'));
    await flow.asks();
    risk = false;
    const outcome = await flow.round({ 'elicit-1': { action: 'decline' } });
    expect(outcome).toMatchObject({ kind: 'complete', result: 'no risk', answered: 1 });
    expect(warningsOf(outcome)).toEqual([['unconsumed_answer', 'elicit-1']]);
  });

  it('of an unknown key is ignored and never sealed', async () => {
    const flow = new Flow(two);
    await flow.asks();
    await flow.asks({ 'elicit-1': named('Ann'), other: named('evil'), 'elicit-99': named('evil') });
    expect(JSON.stringify(flow.ledger)).not.toContain('evil');
  });

  it('to a question that has its answer is ignored', async () => {
    const flow = new Flow(two);
    await flow.asks();
    await flow.asks({ 'elicit-1': named('Ann') });
    expect(await flow.completes({ 'elicit-1': named('Eve'), 'elicit-2': named('7') })).toEqual(['Ann', '7']);
  });

  it('C55 to one of two open questions is kept while the other is asked again', async () => {
    const flow = new Flow((ctx) => Promise.all([nameOf(ctx, 'Name?'), nameOf(ctx, 'Age?')]));
    expect(await flow.asks()).toEqual({ 'elicit-1': 'Name?', 'elicit-2': 'Age?' });
    expect(await flow.asks({ 'elicit-2': named('7') })).toEqual({ 'elicit-1': 'Name?' });
    expect(await flow.completes({ 'elicit-1': named('Ann') })).toEqual(['Ann', '7']);
  });

  it('that is missing is asked for again under the same key', async () => {
    const flow = new Flow(two);
    await flow.asks();
    expect(await flow.asks()).toEqual({ 'elicit-1': 'Name?' });
    expect(await flow.asks({})).toEqual({ 'elicit-1': 'Name?' });
    expect(flow.ledger.entries).toMatchObject([{ key: 'elicit-1', attempts: 0 }]);
  });

  it('that the next execution does not reach is kept, looked at once it is reached, and not asked for again', async () => {
    let slow = true;
    const flow = new Flow((ctx) =>
      Promise.all([
        nameOf(ctx, 'First?').then(() => nameOf(ctx, 'Middle?')),
        slow ? turns(3).then(() => nameOf(ctx, 'Last?')) : nameOf(ctx, 'Last?'),
      ]),
    );
    slow = false;
    expect(await flow.asks()).toEqual({ 'elicit-1': 'First?', 'elicit-2': 'Last?' });
    slow = true;
    const both = { 'elicit-1': named('a'), 'elicit-2': named('z') };
    expect(await flow.asks(both)).toEqual({ 'elicit-3': 'Middle?' });
    expect(flow.ledger.entries.map(({ key, status }) => [key, status])).toEqual([
      ['elicit-1', 'answered'],
      ['elicit-2', 'unread'],
      ['elicit-3', 'open'],
    ]);
    // It is no longer open, so another answer to it is not taken.
    expect(await flow.completes({ 'elicit-2': named('evil'), 'elicit-3': named('m') })).toEqual(['m', 'z']);
  });

  it('that was kept unseen and proves unusable is asked for again with the reason', async () => {
    let reach = true;
    const flow = new Flow((ctx) =>
      Promise.all([nameOf(ctx, 'First?'), reach ? nameOf(ctx, 'Last?') : new Promise(() => undefined)]),
    );
    await flow.asks();
    reach = false;
    expect(await flow.asks({ 'elicit-2': accept({ name: 7 }) })).toEqual({ 'elicit-1': 'First?' });
    reach = true;
    expect(await flow.asks({ 'elicit-1': named('a') })).toEqual({ 'elicit-2': 'Last?\n\n"name" must be text.' });
    expect(await flow.completes({ 'elicit-2': named('z') })).toEqual(['a', 'z']);
  });

  it('cannot be given to an open question that the last round did not ask', async () => {
    let reach = true;
    const flow = new Flow((ctx) =>
      Promise.all([nameOf(ctx, 'First?'), reach ? nameOf(ctx, 'Last?') : new Promise(() => undefined)]),
    );
    expect(await flow.asks()).toEqual({ 'elicit-1': 'First?', 'elicit-2': 'Last?' });
    reach = false;
    expect(await flow.asks()).toEqual({ 'elicit-1': 'First?' });
    reach = true;
    const both = { 'elicit-1': named('a'), 'elicit-2': named('z') };
    expect(await flow.asks(both)).toEqual({ 'elicit-3': 'Last?' });
  });
});

describe('C52 keys that live on Object.prototype', () => {
  it.each(['constructor', 'toString', 'hasOwnProperty', 'valueOf', '__proto__'])(
    '%s is a key like any other',
    async (key) => {
      const flow = new Flow((ctx) => nameOf(ctx, 'Name?', { key }));
      const answer = `{${JSON.stringify(key)}:{"action":"accept","content":{"name":"Ann"}}}`;
      const outcome = await flow.round('{}');
      expect(outcome.kind === 'input_required' && [...outcome.requests.keys()]).toEqual([key]);
      expect((await flow.round({})).kind).toBe('input_required');
      expect(await flow.completes(answer)).toBe('Ann');
    },
  );

  it('a raw __proto__ answers nothing and pollutes nothing', async () => {
    const flow = new Flow((ctx) => ctx.elicit({ message: 'Sure?', form: CONFIRM }));
    await flow.asks();
    const hostile = `{"__proto__":${JSON.stringify(YES)}}`;
    expect(await flow.asks(hostile)).toEqual({ 'elicit-1': 'Sure?' });
    expect(await flow.asks(`{"elicit-1":{"__proto__":${JSON.stringify(YES)}}}`)).toEqual({
      'elicit-1': 'Sure?\n\nThe answer has no valid action.',
    });
    expect(({} as Record<string, unknown>)['action']).toBeUndefined();
    expect(await flow.completes({ 'elicit-1': YES })).toEqual(YES);
  });
});

describe('the wire keys', () => {
  it('of unkeyed questions count through all kinds in the order of opening; explicit keys take no number', async () => {
    const flow = new Flow((ctx) =>
      Promise.all([
        nameOf(ctx, 'Name?'),
        nameOf(ctx, 'Keyed?', { key: 'k' }),
        ctx.elicitUrl({ message: 'Pay', url: 'https://pay.example/' }),
        ctx.sample({ messages: [], maxTokens: 1 }),
        ctx.listRoots(),
        ctx.confirm('Sure?'),
      ]),
    );
    expect(Object.keys(await flow.asks())).toEqual(['elicit-1', 'k', 'elicit-2', 'sample-3', 'roots-4', 'elicit-5']);
  });

  it('are never used again, even when their question is gone', async () => {
    let text = 'Delete 3 files?';
    const flow = new Flow((ctx) => nameOf(ctx, text));
    expect(await flow.asks()).toEqual({ 'elicit-1': 'Delete 3 files?' });
    for (const [ordinal, count] of [4, 5, 6].entries()) {
      text = `Delete ${count} files?`;
      expect(await flow.asks({ [`elicit-${ordinal + 1}`]: named('yes') })).toEqual({ [`elicit-${ordinal + 2}`]: text });
    }
    expect(await flow.completes({ 'elicit-4': named('yes') })).toBe('yes');
  });

  it('of unkeyed questions are those that explicit keys must not look like', () => {
    expect([unkeyedKey('elicit', 1), unkeyedKey('url', 2), unkeyedKey('sample', 3), unkeyedKey('roots', 40)]).toEqual([
      'elicit-1',
      'elicit-2',
      'sample-3',
      'roots-40',
    ]);
    for (const key of ['elicit-1', 'sample-007', 'roots-12345']) expect(key).toMatch(UNKEYED);
    for (const key of ['elicit', 'elicit-', 'elicit-1a', 'a-elicit-1', 'Elicit-1', 'url-1', 'elicit-1\n']) {
      expect(key).not.toMatch(UNKEYED);
    }
  });
});

describe('C28 a question that changed between rounds', () => {
  const deletion = (message: () => string, key?: string) => {
    const state = { deleted: 0 };
    const flow = new Flow(async (ctx) => {
      const answer = await ctx.elicit({ message: message(), form: CONFIRM, ...(key !== undefined && { key }) });
      if (answer.action === 'accept' && answer.content.confirm) state.deleted += 1;
      return 'done';
    });
    return { flow, state };
  };

  it.each<[string, string | undefined, string]>([
    ['unkeyed', undefined, 'elicit-2'],
    ['keyed', 'delete', 'delete'],
  ])('in its text, %s, is asked anew and does not get the old answer', async (_title, key, newKey) => {
    let count = 3;
    const { flow, state } = deletion(() => `Delete ${count} files?`, key);
    const [oldKey = ''] = Object.keys(await flow.asks());
    count = 400;
    expect(await flow.asks({ [oldKey]: YES, [newKey]: YES })).toEqual({ [newKey]: 'Delete 400 files?' });
    expect(state.deleted).toBe(0);
    await flow.completes({ [newKey]: YES });
    expect(state.deleted).toBe(1);
  });

  it.each<[string, string | undefined]>([
    ['unkeyed', undefined],
    ['keyed', 'delete'],
  ])('after it was answered, %s, is asked anew', async (_title, key) => {
    let count = 3;
    const flow = new Flow(async (ctx) => [
      await nameOf(ctx, `Delete ${count} files?`, key === undefined ? {} : { key }),
      await nameOf(ctx, 'Why?', { key: 'why' }),
    ]);
    const [oldKey = ''] = Object.keys(await flow.asks());
    await flow.asks({ [oldKey]: named('yes') });
    count = 400;
    const again = await flow.asks({ why: named('old') });
    expect(Object.values(again)).toEqual(['Delete 400 files?']);
    const outcome = await flow.round({ [Object.keys(again)[0] ?? '']: named('no') });
    expect(outcome).toMatchObject({ kind: 'complete', result: ['no', 'old'] });
    expect(warningsOf(outcome)).toEqual(key === undefined ? [['unconsumed_answer', 'elicit-1']] : []);
  });

  it('in its schema alone is asked anew', async () => {
    let shape = CONFIRM;
    const flow = new Flow((ctx) => ctx.elicit({ message: 'Delete?', form: shape, key: 'k' }));
    await flow.asks();
    shape = form({ confirm: field.boolean({ title: 'And all backups' }) });
    expect(await flow.asks({ k: YES })).toEqual({ k: 'Delete?' });
    expect(await flow.completes({ k: YES })).toEqual(YES);
  });

  it('in its kind alone is asked anew', async () => {
    let link = false;
    const flow = new Flow((ctx) =>
      link
        ? ctx.elicitUrl({ message: 'Sure?', url: 'https://a.example/', key: 'k' })
        : ctx.confirm('Sure?', { key: 'k' }),
    );
    await flow.asks();
    link = true;
    expect(await flow.asks({ k: YES })).toEqual({ k: 'Sure?' });
    expect(await flow.completes({ k: { action: 'accept' } })).toEqual({ action: 'accept' });
  });

  it('starts with no attempts used up', async () => {
    let text = 'Old?';
    const flow = new Flow((ctx) => nameOf(ctx, text, { key: 'k' }), { maxAttempts: 2 });
    await flow.asks();
    await flow.asks({ k: accept({}) });
    text = 'New?';
    await flow.asks();
    expect(await flow.asks({ k: accept({}) })).toEqual({ k: 'New?\n\n"name" is required.' });
  });

  describe("under onLedgerMismatch: 'reject'", () => {
    const strict = { onLedgerMismatch: 'reject' } as const;

    it('is refused, and the error names both', async () => {
      let count = 3;
      const { flow, state } = deletion(() => `Delete ${count} files?`);
      flow.options = strict;
      await flow.asks();
      count = 400;
      const outcome = await flow.round({ 'elicit-1': YES });
      if (outcome.kind !== 'failed') throw new Error(outcome.kind);
      expect(outcome.code).toBe('ERR_MRTR_LEDGER_MISMATCH');
      expect(outcome.error).toBeInstanceOf(LedgerMismatchError);
      expect(outcome.error).toMatchObject({
        ordinal: 1,
        expected: 'elicit-1',
        actual: 'elicit',
        message:
          'Question 1 of this flow was "elicit-1", but the handler now reached "elicit". ' +
          'What stands before a question must not change which question is asked; or use onLedgerMismatch: "reask".',
      });
      expect(state.deleted).toBe(0);
    });

    it('is refused under its key too', async () => {
      let text = 'Delete 3 files?';
      const flow = new Flow((ctx) => nameOf(ctx, text, { key: 'delete' }), strict);
      await flow.asks();
      text = 'Delete 400 files?';
      const { code, message } = await flow.fails({ delete: named('yes') });
      expect(code).toBe('ERR_MRTR_LEDGER_MISMATCH');
      expect(message).toContain(
        'Question 1 of this flow was "delete", but the handler now reached "delete (changed)".',
      );
    });

    it('is refused when another question stands in its place, even in a catch block', async () => {
      let swap = false;
      const flow = new Flow(async (ctx) => {
        const order = swap ? ['b', 'a'] : ['a', 'b'];
        for (const key of order) await nameOf(ctx, `${key}?`, { key }).catch(() => 'swallowed');
        return 'done';
      }, strict);
      await flow.asks();
      swap = true;
      const { code, message } = await flow.fails({ a: named('1') });
      expect(code).toBe('ERR_MRTR_LEDGER_MISMATCH');
      expect(message).toContain('Question 1 of this flow was "a", but the handler now reached "b"');
    });

    it('does not trouble a handler that asks the same in each round', async () => {
      const flow = new Flow(
        async (ctx) => [
          await nameOf(ctx, 'Tag?'),
          await nameOf(ctx, 'Tag?'),
          await nameOf(ctx, 'Why?', { key: 'why' }),
        ],
        strict,
      );
      await flow.asks();
      await flow.asks({ 'elicit-1': named('x') });
      await flow.asks({ 'elicit-2': named('y') });
      expect(await flow.completes({ why: named('z') })).toEqual(['x', 'y', 'z']);
    });

    it('does not trouble a handler that has no more use for a question', async () => {
      let ask = true;
      const flow = new Flow((ctx) => (ask ? nameOf(ctx, 'Name?') : 'no need'), strict);
      await flow.asks();
      ask = false;
      expect(await flow.completes({ 'elicit-1': named('Ann') })).toBe('no need');
    });

    it('does not trouble a handler whose first answer came up front', async () => {
      const flow = new Flow(
        async (ctx) => [await nameOf(ctx, 'Name?', { key: 'name', upFront: true }), await nameOf(ctx, 'Age?')],
        strict,
      );
      expect(await flow.asks({ name: named('Ann') })).toEqual({ 'elicit-1': 'Age?' });
      expect(await flow.asks({ 'elicit-1': named('7') })).toEqual({ name: 'Name?' });
      expect(await flow.completes({ name: named('Ann') })).toEqual(['Ann', '7']);
    });
  });
});

describe('questions of equal text', () => {
  it('C31 asked three times in sequence get three answers', async () => {
    const flow = new Flow(async (ctx) => {
      const tags: string[] = [];
      for (let i = 0; i < 3; i++) tags.push(await nameOf(ctx, 'Another tag?'));
      return tags;
    });
    expect(await flow.asks()).toEqual({ 'elicit-1': 'Another tag?' });
    expect(await flow.asks({ 'elicit-1': named('x') })).toEqual({ 'elicit-2': 'Another tag?' });
    expect(await flow.asks({ 'elicit-2': named('y') })).toEqual({ 'elicit-3': 'Another tag?' });
    expect(await flow.completes({ 'elicit-3': named('z') })).toEqual(['x', 'y', 'z']);
  });

  it.each<[string, (ctx: Asking) => unknown, string]>([
    ['elicit', (ctx) => nameOf(ctx, 'Same?'), 'elicit'],
    ['confirm', (ctx) => ctx.confirm('Same?'), 'elicit'],
    ['elicitUrl', (ctx) => ctx.elicitUrl({ message: 'Same?', url: 'https://a.example/' }), 'url'],
    ['sample', (ctx) => ctx.sample({ messages: [], maxTokens: 1 }), 'sample'],
    ['listRoots', (ctx) => ctx.listRoots(), 'roots'],
  ])('open at once and unkeyed are a mistake that says to give keys: %s', async (_title, ask, kind) => {
    const flow = new Flow((ctx) => Promise.allSettled([ask(ctx), ask(ctx)]).then(() => 'completed'));
    expect(await flow.fails()).toEqual({
      code: 'ERR_MRTR_DUPLICATE_QUESTION',
      message:
        `Two unkeyed ${JSON.stringify(kind)} questions of equal text are open at once, so their answers could not be told apart. ` +
        'Give each an explicit key: ctx.elicit({ key: "first", … }).',
    });
  });

  it('open at once under keys of their own are two questions', async () => {
    const flow = new Flow((ctx) =>
      Promise.all([nameOf(ctx, 'Same?', { key: 'a' }), nameOf(ctx, 'Same?', { key: 'b' }), nameOf(ctx, 'Same?')]),
    );
    expect(await flow.asks()).toEqual({ a: 'Same?', b: 'Same?', 'elicit-1': 'Same?' });
    const answers = { b: named('2'), a: named('1'), 'elicit-1': named('3') };
    expect(await flow.completes(answers)).toEqual(['1', '2', '3']);
  });

  it('that differ in their form are two questions', async () => {
    const other = form({ name: field.string({ maxLength: 9 }) });
    const flow = new Flow((ctx) => Promise.all([nameOf(ctx, 'Same?'), ctx.elicit({ message: 'Same?', form: other })]));
    expect(await flow.asks()).toEqual({ 'elicit-1': 'Same?', 'elicit-2': 'Same?' });
  });

  it('of which one comes a turn later are asked one after the other', async () => {
    const flow = new Flow((ctx) => Promise.all([nameOf(ctx, 'Same?'), turns(2).then(() => nameOf(ctx, 'Same?'))]));
    expect(await flow.asks()).toEqual({ 'elicit-1': 'Same?' });
    expect(await flow.asks({ 'elicit-1': named('x') })).toEqual({ 'elicit-2': 'Same?' });
    expect(await flow.completes({ 'elicit-2': named('y') })).toEqual(['x', 'y']);
  });
});

describe('a key used twice in one execution', () => {
  const MESSAGE =
    'The key "k" was used twice in one execution. Give each question a key of its own, ' +
    'for example with a loop index in it.';

  it('is a mistake, at once or in sequence, caught or not', async () => {
    const failure = { code: 'ERR_MRTR_DUPLICATE_KEY', message: MESSAGE };
    const ask = (ctx: Asking, message: string) => nameOf(ctx, message, { key: 'k' });
    expect(await new Flow((ctx) => Promise.all([ask(ctx, 'a?'), ask(ctx, 'b?')])).fails()).toEqual(failure);
    const flow = new Flow(async (ctx) => [await ask(ctx, 'a?'), await ask(ctx, 'a?').catch(() => 'swallowed')]);
    await flow.asks();
    expect(await flow.fails({ k: named('x') })).toEqual(failure);
  });
});

describe('upFront', () => {
  const handler = (ctx: Asking) => nameOf(ctx, 'Name?', { key: 'name', upFront: true });

  it('takes the answer that comes with a fresh call', async () => {
    expect(await new Flow(handler).completes({ name: named('Ann') })).toBe('Ann');
  });

  it('validates it like any answer', async () => {
    const flow = new Flow(handler);
    expect(await flow.asks({ name: accept({ name: 7 }) })).toEqual({ name: 'Name?\n\n"name" must be text.' });
    expect(flow.ledger.entries).toMatchObject([{ key: 'name', status: 'open', attempts: 1 }]);
    expect(await flow.completes({ name: named('Ann') })).toBe('Ann');
  });

  it('asks when there is none', async () => {
    const flow = new Flow(handler);
    expect(await flow.asks()).toEqual({ name: 'Name?' });
    expect(await flow.completes({ name: named('Ann') })).toBe('Ann');
  });

  it('holds for one execution and leaves nothing in the ledger', async () => {
    const flow = new Flow(async (ctx) => [await handler(ctx), await nameOf(ctx, 'Age?')]);
    expect(await flow.asks({ name: named('Ann') })).toEqual({ 'elicit-1': 'Age?' });
    expect(JSON.stringify(flow.ledger)).not.toContain('Ann');
    expect(await flow.asks({ 'elicit-1': named('7') })).toEqual({ name: 'Name?' });
  });

  it('takes nothing with a state, before the question was asked', async () => {
    const flow = new Flow(async (ctx) => [await nameOf(ctx, 'Age?'), await handler(ctx)]);
    await flow.asks();
    expect(await flow.asks({ 'elicit-1': named('7'), name: named('Eve') })).toEqual({ name: 'Name?' });
  });

  it('is a mistake where states are spent, even in a catch block', async () => {
    const failure = {
      code: 'ERR_MRTR_QUESTION',
      message:
        'upFront does not go with the replay option: an answer that comes with a fresh call is bound to no state that could be spent.',
    };
    expect(await new Flow(handler, { upFront: false }).fails({ name: named('Ann') })).toEqual(failure);
    const swallowing = (ctx: Asking) => handler(ctx).catch(() => 'carried on');
    expect(await new Flow(swallowing, { upFront: false }).fails()).toEqual(failure);
  });

  it('is off unless asked for', async () => {
    const flow = new Flow((ctx) => nameOf(ctx, 'Name?', { key: 'name' }));
    expect(await flow.asks({ name: named('Ann') })).toEqual({ name: 'Name?' });
  });
});

describe('unusable answers', () => {
  const handler = (ctx: Asking) => nameOf(ctx, 'Name?');

  it('are counted through the rounds, and the last one ends the flow', async () => {
    const flow = new Flow(handler, { maxAttempts: 3 });
    const again = { 'elicit-1': 'Name?\n\n"name" is required.' };
    await flow.asks();
    expect(await flow.asks({ 'elicit-1': accept({}) })).toEqual(again);
    expect(flow.ledger.entries).toMatchObject([{ status: 'open', attempts: 1, answer: null }]);
    expect(await flow.asks()).toEqual({ 'elicit-1': 'Name?' });
    expect(await flow.asks({ 'elicit-1': accept({}) })).toEqual(again);
    expect(await flow.fails({ 'elicit-1': accept({}) })).toEqual({
      code: 'ERR_MRTR_ATTEMPTS',
      message: 'The question "elicit-1" was given 3 unusable answers (maxAttempts); the flow has ended.',
    });
  });

  it('end the flow even where a catch block swallows the error', async () => {
    const flow = new Flow((ctx) => handler(ctx).catch(() => 'carried on'), { maxAttempts: 1 });
    await flow.asks();
    expect(await flow.fails({ 'elicit-1': accept({}) })).toMatchObject({ code: 'ERR_MRTR_ATTEMPTS' });
  });

  it('are counted by question', async () => {
    const flow = new Flow((ctx) => Promise.all([nameOf(ctx, 'a?'), nameOf(ctx, 'b?')]), { maxAttempts: 2 });
    await flow.asks();
    await flow.asks({ 'elicit-1': accept({}), 'elicit-2': accept({}) });
    expect(await flow.completes({ 'elicit-1': named('x'), 'elicit-2': named('y') })).toEqual(['x', 'y']);
  });
});

describe('an answer that the completed execution did not take', () => {
  it('is a warning', async () => {
    let ask = true;
    const flow = new Flow(async (ctx) => [ask ? await nameOf(ctx, 'Name?') : 'none', await nameOf(ctx, 'Age?')]);
    await flow.asks();
    await flow.asks({ 'elicit-1': named('Ann') });
    ask = false;
    const outcome = await flow.round({ 'elicit-2': named('7') });
    expect(outcome).toMatchObject({ kind: 'complete', result: ['none', '7'] });
    expect(warningsOf(outcome)).toEqual([['unconsumed_answer', 'elicit-1']]);
  });

  it('is none while questions are open', async () => {
    let ask = true;
    const flow = new Flow(async (ctx) => [ask ? await nameOf(ctx, 'Name?') : 'none', await nameOf(ctx, 'Age?')]);
    await flow.asks();
    await flow.asks({ 'elicit-1': named('Ann') });
    ask = false;
    expect(warningsOf(await flow.round())).toEqual([]);
  });
});

describe('branches that change places between rounds', () => {
  it('get the answers of their own questions', async () => {
    let round = 0;
    const flow = new Flow(async (ctx) => {
      const delays = round++ % 2 === 0 ? [0, 2, 4] : [4, 2, 0];
      return Promise.all(
        ['a', 'b', 'c'].map(async (branch, place) => {
          await turns(delays[place]);
          const first = await nameOf(ctx, `First of ${branch}?`);
          return [first, await nameOf(ctx, `Second of ${branch}?`)];
        }),
      );
    });
    let asked = await flow.asks();
    const given: string[] = [];
    for (;;) {
      const answers = Object.entries(asked).map(([key, text]) => [key, named(`to ${text}`)] as const);
      given.push(...Object.values(asked));
      const outcome = await flow.round(Object.fromEntries(answers));
      if (outcome.kind === 'complete') {
        expect(outcome.result).toEqual(
          ['a', 'b', 'c'].map((branch) => [`to First of ${branch}?`, `to Second of ${branch}?`]),
        );
        expect(outcome.warnings).toEqual([]);
        break;
      }
      asked = await flow.asks();
    }
    expect(new Set(given).size).toBe(given.length);
    expect(given).toHaveLength(6);
  });
});

describe('a question that changed after it was answered', () => {
  it('is warned of at once when it has a key', async () => {
    let n = 0;
    const flow = new Flow((ctx) => nameOf(ctx, `Number ${++n}?`, { key: 'name' }));
    expect(warningsOf(await flow.round())).toEqual([]);
    expect(warningsOf(await flow.round())).toEqual([]);
    expect(warningsOf(await flow.round({ name: named('Ann') }))).toEqual([['changed_question', 'name']]);
  });

  it('is warned of when it happens a second time where it has none', async () => {
    let n = 0;
    const flow = new Flow((ctx) => nameOf(ctx, `At ${++n}?`));
    await flow.round();
    expect(warningsOf(await flow.round({ 'elicit-1': named('Ann') }))).toEqual([]);
    expect(warningsOf(await flow.round({ 'elicit-2': named('Ann') }))).toEqual([['changed_question', 'elicit-3']]);
  });

  it('is no other question that comes later', async () => {
    const flow = new Flow(async (ctx) => [await nameOf(ctx, 'A?'), await nameOf(ctx, 'B?'), await nameOf(ctx, 'C?')]);
    await flow.round();
    expect(warningsOf(await flow.round({ 'elicit-1': named('Ann') }))).toEqual([]);
    expect(warningsOf(await flow.round({ 'elicit-2': named('Bob') }))).toEqual([]);
    expect(warningsOf(await flow.round({ 'elicit-3': named('Cat') }))).toEqual([]);
  });
});
