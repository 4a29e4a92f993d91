import { Flow, NAME } from '../support/engine.js';

describe('what an open question rejects with', () => {
  it('is an error that names the question and tells whoever catches it to let it pass', async () => {
    let caught: unknown;
    const flow = new Flow(async (ctx) => {
      try {
        return await ctx.elicit({ message: 'Name?', form: NAME, key: 'name' });
      } catch (error) {
        caught = error;
        throw error;
      }
    });
    await flow.asks();
    expect(caught).toBeInstanceOf(Error);
    expect(caught).toMatchObject({
      name: 'Suspension',
      message:
        'The question "name" is on its way to the client; this execution of the handler ends here. ' +
        'Let this error pass: catch blocks should rethrow what they do not know.',
    });
  });
});
