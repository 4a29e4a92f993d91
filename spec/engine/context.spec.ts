import { accept, Flow, NAME, named, refusal, YES } from '../support/engine.js';

describe('ctx.confirm', () => {
  it.each<[object, boolean]>([
    [YES, true],
    [accept({ confirm: false }), false],
    [{ action: 'decline' }, false],
    [{ action: 'cancel', content: { confirm: true } }, false],
  ])('makes %j %p', async (answer, expected) => {
    const flow = new Flow((ctx) => ctx.confirm('Sure?'));
    expect(await flow.asks()).toEqual({ 'elicit-1': 'Sure?' });
    expect(await flow.completes({ 'elicit-1': answer })).toBe(expected);
  });

  it('C47 asks again when accepted without the tick', async () => {
    const flow = new Flow((ctx) => ctx.confirm('Sure?'));
    await flow.asks();
    expect(await flow.asks({ 'elicit-1': accept({}) })).toEqual({ 'elicit-1': 'Sure?\n\n"Yes" is required.' });
  });

  it('takes a key', async () => {
    const flow = new Flow((ctx) => ctx.confirm('Sure?', { key: 'sure' }));
    expect(await flow.asks()).toEqual({ sure: 'Sure?' });
    expect(await flow.completes({ sure: YES })).toBe(true);
  });

  it('C129 needs a message', async () => {
    const flow = new Flow((ctx) => refusal(ctx.confirm('')));
    expect(await flow.completes()).toEqual({
      code: 'ERR_MRTR_QUESTION',
      message: 'ctx.confirm needs a message that tells the person why; got an empty text.',
    });
  });
});

describe('the methods of ctx', () => {
  it('C129 work destructured', async () => {
    const flow = new Flow(({ elicit, elicitUrl, confirm, sample, listRoots }) =>
      Promise.all([
        elicit({ message: 'Name?', form: NAME }),
        elicitUrl({ message: 'Pay', url: 'https://pay.example/' }),
        confirm('Sure?'),
        sample({ messages: [], maxTokens: 1 }),
        listRoots(),
      ]),
    );
    const message = { role: 'assistant', model: 'm', content: { type: 'text', text: 'hi' } };
    expect(Object.keys(await flow.asks())).toEqual(['elicit-1', 'elicit-2', 'elicit-3', 'sample-4', 'roots-5']);
    expect(
      await flow.completes({
        'elicit-1': named('Ann'),
        'elicit-2': { action: 'accept' },
        'elicit-3': YES,
        'sample-4': message,
        'roots-5': { roots: [{ uri: 'file:///a' }] },
      }),
    ).toEqual([named('Ann'), { action: 'accept' }, true, message, [{ uri: 'file:///a' }]]);
  });
});
