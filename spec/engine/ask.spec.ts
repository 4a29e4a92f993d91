import { z } from 'zod';
import { field, form } from '../../lib/elicitation/form.js';
import {
  elicitQuestion,
  rootsQuestion,
  sampleQuestion,
  urlQuestion,
  type ElicitOptions,
  type SampleOptions,
} from '../../lib/engine/ask.js';
import type { Question } from '../../lib/engine/question.js';
import { codeOf } from '../../lib/errors.js';
import { accept, CONFIRM, Flow, NAME, named, refusal, textsOf, YES } from '../support/engine.js';

const TEXT = { type: 'text', text: 'hi' };
const MESSAGE = { role: 'assistant', model: 'm-1', content: TEXT };
const SAMPLE: SampleOptions = { messages: [{ role: 'user', content: TEXT }], maxTokens: 100 };
const reasonOf = (question: Question<unknown>, answer: unknown) => {
  const reading = question.read(answer);
  if (reading instanceof Promise) throw new Error('it reads later');
  return reading.ok ? undefined : reading.reason;
};
const mistake = (make: () => unknown) => {
  try {
    make();
  } catch (error) {
    return { code: codeOf(error), message: (error as Error).message };
  }
  throw new Error('it is no mistake');
};

describe('the text that a question is known again by', () => {
  it.each<[string, Question<unknown>]>([
    ['a form', elicitQuestion({ message: 'Name?', form: NAME })],
    ['a form with a text to escape', elicitQuestion({ message: '"\\\n\u2028\ud800 é', form: NAME })],
    ['a Standard Schema', elicitQuestion({ message: 'Age?', form: z.object({ age: z.int().max(150) }) })],
    ['a link', urlQuestion({ message: 'Pay', url: 'https://pay.example/' })],
    ['a message of a model', sampleQuestion(SAMPLE)],
    ['roots', rootsQuestion()],
  ])('is the JSON of its request: %s', (_title, question) => {
    expect(question.rendered).toBe(JSON.stringify(question.request));
  });

  it('is the same for a form that is made anew', () => {
    const ask = () => elicitQuestion({ message: 'Name?', form: form({ name: field.string() }) });
    expect(ask().rendered).toBe(ask().rendered);
  });

  it('gives the fingerprint that is sealed in states of other nodes', async () => {
    const flow = new Flow((ctx) => ctx.elicit({ message: 'Größe?', form: NAME }));
    await flow.asks();
    expect(flow.ledger.entries).toMatchObject([{ fingerprint: 'g3fESmDP2pUPNKIPMrU24g' }]);
  });
});

describe('a form', () => {
  const question = elicitQuestion({ message: 'Name?', form: NAME });

  it('goes out in form mode with its schema', () => {
    expect(question.request).toEqual({
      method: 'elicitation/create',
      params: {
        mode: 'form',
        message: 'Name?',
        requestedSchema: { type: 'object', properties: { name: { type: 'string' } }, required: ['name'] },
      },
    });
    expect(question.needs).toEqual(['elicitation.form']);
  });

  it.each(['decline', 'cancel'])('C46 takes %s for an answer and strips its content', async (action) => {
    const wipes: string[] = [];
    const flow = new Flow(async (ctx) => {
      const answer = await ctx.elicit({ message: 'Wipe?', form: CONFIRM });
      if ((answer as { content?: { confirm: boolean } }).content?.confirm === true) wipes.push('wiped');
      await ctx.confirm('Sure?');
      return answer;
    });
    await flow.asks();
    await flow.asks({ 'elicit-1': { action, content: { confirm: true } } });
    expect(JSON.stringify(flow.ledger)).not.toContain('confirm');
    expect(await flow.completes({ 'elicit-2': YES })).toEqual({ action });
    expect(wipes).toEqual([]);
  });

  it('does not validate what comes with a refusal', () => {
    expect(question.read({ action: 'decline', content: { name: 7 } })).toMatchObject({ ok: true, record: 'decline' });
  });

  it.each<[string, unknown]>([
    ['{"method":"elicitation/create","result":…}', { method: 'elicitation/create', result: named('Ann') }],
    ['{"result":…}', { result: named('Ann') }],
    ['bare content', { name: 'Ann' }],
    ['an unknown action', { action: 'ACCEPT', content: { name: 'Ann' } }],
    ['an action that is none', { action: ['accept'], content: { name: 'Ann' } }],
    ['an inherited action', Object.create(named('Ann'))],
    ['a sampled message', MESSAGE],
    ['roots', { roots: [] }],
    ['nothing', {}],
  ])('C50 does not recognise %s', (_title, answer) => {
    expect(reasonOf(question, answer)).toBe('The answer has no valid action.');
  });

  it.each([[null], [undefined], [7], ['accept'], [[]], [[named('Ann')]]])('C51 does not recognise %p', (answer) => {
    expect(reasonOf(question, answer)).toBe('The answer has no valid action.');
  });

  it('C47 wants the content of what was accepted', () => {
    expect(reasonOf(question, { action: 'accept' })).toBe('The answer came without its content.');
    expect(reasonOf(question, { action: 'accept', content: null })).toBe('The answer came without its content.');
    expect(reasonOf(question, accept({}))).toBe('"name" is required.');
    expect(reasonOf(question, Object.assign(Object.create({ content: { name: 'x' } }), { action: 'accept' }))).toBe(
      'The answer came without its content.',
    );
  });

  it('C56 is asked again under its key, the message followed by the reason, once', async () => {
    const age = form({ age: field.integer() });
    const flow = new Flow((ctx) => ctx.elicit({ message: 'Age?', form: age }));
    await flow.asks();
    const again = { 'elicit-1': 'Age?\n\n"age" must be a whole number.' };
    expect(await flow.asks({ 'elicit-1': accept({ age: '30' }) })).toEqual(again);
    expect(await flow.asks({ 'elicit-1': accept({ age: 30.5 }) })).toEqual(again);
    expect(await flow.completes('{"elicit-1":{"action":"accept","content":{"age":30.0}}}')).toEqual(
      accept({ age: 30 }),
    );
  });

  it('hands on and records declared properties only', async () => {
    const flow = new Flow(async (ctx) => [
      await ctx.elicit({ message: 'Name?', form: NAME }),
      await ctx.confirm('Sure?'),
    ]);
    await flow.asks();
    await flow.asks({ 'elicit-1': { ...accept({ name: 'Ann', admin: true }), _meta: { evil: 1 }, extra: 'evil' } });
    expect(JSON.stringify(flow.ledger)).not.toMatch(/admin|evil/);
    expect(await flow.completes({ 'elicit-2': YES })).toEqual([named('Ann'), true]);
  });

  it('of a Standard Schema hands on what the schema makes of the answer, in every round', async () => {
    const schema = z.object({ name: z.string().transform((name) => name.toUpperCase()) });
    const flow = new Flow(async (ctx) => [
      await ctx.elicit({ message: 'Name?', form: schema }),
      await ctx.confirm('Sure?'),
    ]);
    await flow.asks();
    await flow.asks({ 'elicit-1': named('Ann') });
    expect(flow.ledger.entries[0]?.answer).toEqual({ name: 'Ann' });
    expect(await flow.completes({ 'elicit-2': YES })).toEqual([named('ANN'), true]);
  });
});

describe('a link', () => {
  const question = urlQuestion({ message: 'Pay', url: new URL('https://pay.example/a b') });

  it('goes out in URL mode, as an absolute URL and without an elicitation id', () => {
    expect(question.request).toEqual({
      method: 'elicitation/create',
      params: { mode: 'url', message: 'Pay', url: 'https://pay.example/a%20b' },
    });
    expect(question.needs).toEqual(['elicitation.url']);
  });

  it('C63 with until records an accept only once it holds, and polls count neither as rounds nor as attempts', async () => {
    let done = false;
    let asked = 0;
    const flow = new Flow((ctx) =>
      ctx.elicitUrl({ message: 'Pay.', url: 'https://a.example/', until: () => (asked++, done) }),
    );
    await flow.asks();
    for (let poll = 1; poll <= 20; poll++) {
      const outcome = await flow.round({ 'elicit-1': { action: 'accept', content: { paid: true } } });
      expect(textsOf(outcome)).toEqual({ 'elicit-1': 'Pay.\n\nThis is not done yet.' });
      expect(outcome).toMatchObject({ answered: 0, ledger: { entries: [{ attempts: 0, status: 'open' }] } });
      expect(asked).toBe(poll);
    }
    expect(await flow.asks()).toEqual({ 'elicit-1': 'Pay.' });
    expect(asked).toBe(20);
    done = true;
    expect(await flow.completes({ 'elicit-1': { action: 'accept' } })).toEqual({ action: 'accept' });
  });

  it('does not look at until again once it held, nor for a refusal', async () => {
    let asked = 0;
    const flow = new Flow(async (ctx) => {
      const options = { message: 'Pay.', url: 'https://a.example/', until: async () => ++asked === 1 };
      const paid = await ctx.elicitUrl({ ...options, key: 'pay' });
      const signed = await ctx.elicitUrl({ ...options, key: 'sign' });
      return [paid.action, signed.action, await ctx.confirm('Sure?')];
    });
    await flow.asks();
    await flow.asks({ pay: { action: 'accept' } });
    await flow.asks({ sign: { action: 'decline' } });
    expect(await flow.completes({ 'elicit-1': YES })).toEqual(['accept', 'decline', true]);
    expect(asked).toBe(1);
  });

  it.each<[unknown, string]>([
    [1, 'a number'],
    ['true', 'a text of 4 characters'],
    [{}, 'an object'],
    [undefined, 'undefined'],
  ])('refuses an until that gives %j, which would be polled for ever', async (given, got) => {
    const flow = new Flow((ctx) =>
      ctx.elicitUrl({ message: 'Pay.', url: 'https://a.example/', until: () => given as boolean }),
    );
    await flow.asks();
    expect(await flow.fails({ 'elicit-1': { action: 'accept' } })).toEqual({
      code: 'ERR_MRTR_HANDLER',
      message: `ctx.elicitUrl needs an until that gives true or false; it gave ${got}.`,
    });
  });

  it('is not completed past when until throws, whoever caught that or forgot to await it', async () => {
    for (const handler of [
      (asked: Promise<unknown>) => asked.then(String, () => 'paid'),
      (asked: Promise<unknown>) => (void asked, 'paid'),
    ]) {
      const flow = new Flow((ctx) =>
        handler(
          ctx.elicitUrl({ message: 'Pay.', url: 'https://a.example/', until: () => Promise.reject(new Error('down')) }),
        ),
      );
      await flow.asks();
      const outcome = await flow.fails({ 'elicit-1': { action: 'accept' } });
      expect(outcome).toEqual({ code: 'ERR_MRTR_HANDLER', message: 'down' });
    }
  });

  it('hands what until throws to the handler', async () => {
    const flow = new Flow((ctx) =>
      ctx.elicitUrl({ message: 'Pay.', url: 'https://a.example/', until: () => Promise.reject(new Error('down')) }),
    );
    await flow.asks();
    expect(await flow.fails({ 'elicit-1': { action: 'accept' } })).toEqual({
      code: 'ERR_MRTR_HANDLER',
      message: 'down',
    });
  });

  it('C129 needs a function as until', async () => {
    const flow = new Flow((ctx) =>
      refusal(ctx.elicitUrl({ message: 'Pay.', url: 'https://a.example/', until: true as never })),
    );
    expect(await flow.completes()).toEqual({
      code: 'ERR_MRTR_QUESTION',
      message: 'ctx.elicitUrl needs a function as until, as in until: () => payments.isPaid(id); got a boolean.',
    });
  });

  it.each(['accept', 'decline', 'cancel'])('C63 takes %s for an answer and ignores content', async (action) => {
    const flow = new Flow(async (ctx) => [
      await ctx.elicitUrl({ message: 'Pay', url: 'https://pay.example/' }),
      await ctx.confirm('Sure?'),
    ]);
    await flow.asks();
    await flow.asks({ 'elicit-1': { action, content: { paid: true } } });
    expect(JSON.stringify(flow.ledger)).not.toContain('paid');
    expect(await flow.completes({ 'elicit-2': YES })).toEqual([{ action }, true]);
  });

  it('C50 does not recognise another kind of answer and is asked again with the reason', async () => {
    const flow = new Flow((ctx) => ctx.elicitUrl({ message: 'Pay', url: 'https://pay.example/' }));
    await flow.asks();
    for (const answer of [MESSAGE, { roots: [] }, { result: { action: 'accept' } }]) {
      expect(await flow.asks({ 'elicit-1': answer })).toEqual({ 'elicit-1': 'Pay\n\nThe answer has no valid action.' });
    }
    expect(await flow.completes({ 'elicit-1': { action: 'cancel' } })).toEqual({ action: 'cancel' });
  });
});

describe('a request to the model', () => {
  it('goes out with its parameters and without key and upFront', () => {
    const question = sampleQuestion({ ...SAMPLE, systemPrompt: 'Be brief.', key: 'k', upFront: true });
    expect(question.request).toEqual({
      method: 'sampling/createMessage',
      params: { ...SAMPLE, systemPrompt: 'Be brief.' },
    });
    expect(question).toMatchObject({ key: 'k', upFront: true });
  });

  it.each<[Partial<SampleOptions>, string[]]>([
    [{}, ['sampling']],
    [{ includeContext: 'none' }, ['sampling']],
    [{ includeContext: 'allServers' }, ['sampling', 'sampling.context']],
    [{ tools: [] }, ['sampling', 'sampling.tools']],
    [{ toolChoice: { mode: 'auto' } }, ['sampling', 'sampling.tools']],
  ])('%j needs %j', (more, needs) => {
    expect(sampleQuestion({ ...SAMPLE, ...more }).needs).toEqual(needs);
  });

  it('with tools is gated by sampling.tools', async () => {
    const flow = new Flow((ctx) => ctx.sample({ ...SAMPLE, tools: [{}] }), { capabilities: { sampling: {} } });
    expect(await flow.round()).toMatchObject({
      code: 'ERR_MRTR_CAPABILITY',
      requiredCapabilities: { sampling: { tools: {} } },
    });
  });

  it.each<[string, object]>([
    ['one block', MESSAGE],
    ['several blocks', { ...MESSAGE, content: [TEXT, { type: 'image', data: 'AA==', mimeType: 'image/png' }] }],
    ['a stop reason', { ...MESSAGE, stopReason: 'endTurn' }],
  ])('takes a message of %s, in every round', async (_title, message) => {
    const flow = new Flow(async (ctx) => [await ctx.sample(SAMPLE), await ctx.confirm('Sure?')]);
    expect(await flow.asks()).toEqual({ 'sample-1': 'sampling/createMessage' });
    await flow.asks({ 'sample-1': message });
    expect(await flow.completes({ 'elicit-2': YES })).toEqual([message, true]);
  });

  it('keeps only the known members of a message', () => {
    const hostile = { ...MESSAGE, stopReason: 7, _meta: { evil: 1 }, evil: true };
    expect(sampleQuestion(SAMPLE).read(hostile)).toEqual({ ok: true, record: MESSAGE, value: MESSAGE });
  });

  it.each<[string, unknown]>([
    ['another kind of answer', YES],
    ['an envelope', { method: 'sampling/createMessage', result: MESSAGE }],
    ['another role', { ...MESSAGE, role: 'system' }],
    ['no model', { role: 'assistant', content: TEXT }],
    ['text for content', { ...MESSAGE, content: 'hi' }],
    ['a block without a type', { ...MESSAGE, content: [TEXT, { text: 'hi' }] }],
    ['a block that is none', { ...MESSAGE, content: [null] }],
    ['no content', { role: 'assistant', model: 'm' }],
    ['an inherited message', Object.create(MESSAGE)],
  ])('C50 does not recognise %s', (_title, answer) => {
    expect(reasonOf(sampleQuestion(SAMPLE), answer)).toBe('The answer is no message of a model.');
  });

  it('is sent again as it was after an unusable answer, and the attempts count', async () => {
    const flow = new Flow((ctx) => ctx.sample(SAMPLE), { maxAttempts: 2 });
    await flow.asks();
    const again = await flow.round({ 'sample-1': YES });
    expect(again.kind === 'input_required' && again.requests.get('sample-1')?.params).toEqual(SAMPLE);
    expect(await flow.fails({ 'sample-1': YES })).toMatchObject({ code: 'ERR_MRTR_ATTEMPTS' });
  });
});

describe('a request for roots', () => {
  it('goes out bare', () => {
    expect(rootsQuestion().request).toEqual({ method: 'roots/list' });
    expect(rootsQuestion().needs).toEqual(['roots']);
  });

  it('takes a list of file URLs and keeps only what it knows, in every round', async () => {
    const flow = new Flow(async (ctx) => [await ctx.listRoots(), await ctx.confirm('Sure?')]);
    expect(await flow.asks()).toEqual({ 'roots-1': 'roots/list' });
    const roots = [
      { uri: 'file:///a', name: 'A', _meta: { evil: 1 } },
      { uri: 'file:///b', name: 7 },
    ];
    await flow.asks({ 'roots-1': { roots, evil: true } });
    expect(JSON.stringify(flow.ledger)).not.toContain('evil');
    const kept = [{ uri: 'file:///a', name: 'A' }, { uri: 'file:///b' }];
    expect(await flow.completes({ 'elicit-2': YES })).toEqual([kept, true]);
  });

  it.each<[string, unknown]>([
    ['another kind of answer', YES],
    ['an envelope', { result: { roots: [] } }],
    ['a list that is none', { roots: { length: 0 } }],
    ['a root that is none', { roots: ['file:///a'] }],
    ['a root without a URI', { roots: [{ name: 'A' }] }],
    ['a root elsewhere', { roots: [{ uri: 'https://a.example/' }] }],
  ])('C50 does not recognise %s', (_title, answer) => {
    expect(reasonOf(rootsQuestion(), answer)).toBe('The answer is no list of roots.');
  });
});

describe('C129 a question that cannot be asked', () => {
  const circular: { self?: unknown } = {};
  circular.self = circular;

  it.each<[string, unknown, string]>([
    ['no options', undefined, 'ctx.elicit takes one object, as in ctx.elicit({ message, form }); got undefined.'],
    [
      'a bare text',
      'Name?',
      'ctx.elicit takes one object, as in ctx.elicit({ message, form }); got a text of 5 characters.',
    ],
    [
      'a number JSON cannot say',
      10n,
      'ctx.elicit takes one object, as in ctx.elicit({ message, form }); got a bigint.',
    ],
    ['no message', { form: NAME }, 'ctx.elicit needs a message that tells the person why; got undefined.'],
    [
      'an empty message',
      { message: '', form: NAME },
      'ctx.elicit needs a message that tells the person why; got an empty text.',
    ],
    [
      'a message JSON cannot say',
      { message: circular, form: NAME },
      'ctx.elicit needs a message that tells the person why; got an object.',
    ],
    [
      'a misspelt option',
      { message: 'Name?', from: NAME },
      'ctx.elicit knows no option "from"; it takes message, form, key, upFront.',
    ],
    [
      'a key in the pattern of unkeyed questions',
      { message: 'Name?', form: NAME, key: 'elicit-1' },
      'ctx.elicit key must be a text of 1 to 128 characters that does not look like "elicit-1"; got "elicit-1".',
    ],
    [
      'an empty key',
      { message: 'Name?', form: NAME, key: '' },
      'ctx.elicit key must be a text of 1 to 128 characters that does not look like "elicit-1"; got "".',
    ],
    [
      'a key that is no text',
      { message: 'Name?', form: NAME, key: 7 },
      'ctx.elicit key must be a text of 1 to 128 characters that does not look like "elicit-1"; got 7.',
    ],
    [
      'upFront without a key',
      { message: 'Name?', form: NAME, upFront: true },
      'ctx.elicit upFront needs an explicit key, by which the client sends the answer.',
    ],
  ])('says so of %s', (_title, options, message) => {
    expect(mistake(() => elicitQuestion(options as ElicitOptions<unknown>))).toEqual({
      code: 'ERR_MRTR_QUESTION',
      message,
    });
  });

  it('takes a key of 128 characters and refuses one of 129', () => {
    const ask = (length: number) => elicitQuestion({ message: 'Name?', form: NAME, key: 'k'.repeat(length) });
    expect(ask(128).key).toHaveLength(128);
    expect(mistake(() => ask(129)).code).toBe('ERR_MRTR_QUESTION');
  });

  it.each<[string, unknown, string]>([
    ['a text for a schema', 'string', 'a text of 6 characters'],
    ['a JSON Schema', { type: 'object', properties: {} }, 'an object'],
    ['nothing', undefined, 'undefined'],
  ])('says so of %s', (_title, schema, shown) => {
    expect(mistake(() => elicitQuestion({ message: 'Name?', form: schema } as ElicitOptions<unknown>))).toEqual({
      code: 'ERR_MRTR_SCHEMA',
      message: `ctx.elicit: \`form\` must be made by form({...}) or be a Standard Schema; got ${shown}. Wrap fields in form({ … }).`,
    });
  });

  it.each<[unknown, string]>([
    ['/pay', 'a text of 4 characters'],
    ['', 'an empty text'],
    [undefined, 'undefined'],
    [7, 'a number'],
  ])('says so of the url %p', (url, shown) => {
    expect(mistake(() => urlQuestion({ message: 'Pay', url: url as string }))).toEqual({
      code: 'ERR_MRTR_QUESTION',
      message: `ctx.elicitUrl needs an absolute url, such as "https://example.com/pay"; got ${shown}.`,
    });
  });

  it.each<[string, unknown]>([
    ['nothing', undefined],
    ['no messages', { maxTokens: 1 }],
    ['no maxTokens', { messages: [] }],
    ['a fraction of a token', { messages: [], maxTokens: 1.5 }],
  ])('says so of a sample of %s', (_title, options) => {
    expect(mistake(() => sampleQuestion(options as SampleOptions))).toEqual({
      code: 'ERR_MRTR_QUESTION',
      message: 'ctx.sample needs an object with messages (an array) and maxTokens (an integer).',
    });
  });

  it('says so of a sample that JSON cannot carry', () => {
    const found = mistake(() => sampleQuestion({ ...SAMPLE, metadata: circular }));
    expect(found.code).toBe('ERR_MRTR_QUESTION');
    expect(found.message).toBe('ctx.sample takes only what JSON can carry: no cycles, no bigints.');
  });

  it('says so of options that roots do not know', () => {
    expect(mistake(() => rootsQuestion({ name: 'x' } as never))).toEqual({
      code: 'ERR_MRTR_QUESTION',
      message: 'ctx.listRoots knows no option "name"; it takes key, upFront.',
    });
  });

  it('rejects the call, so that a handler which lets it pass fails', async () => {
    const flow = new Flow((ctx) => ctx.elicit({ message: 'Name?', form: 'string' as never }));
    expect(await flow.fails()).toEqual({
      code: 'ERR_MRTR_HANDLER',
      message:
        'ctx.elicit: `form` must be made by form({...}) or be a Standard Schema; got a text of 6 characters. Wrap fields in form({ … }).',
    });
  });
});
