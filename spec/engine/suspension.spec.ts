import { suspensionOf } from '../../lib/engine/suspension.js';
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

  it('has no frames in its stack, and leaves the limit for all other errors as it was', () => {
    const { stackTraceLimit } = Error;
    Error.stackTraceLimit = 7;
    try {
      const { stack, message } = suspensionOf('name');
      expect(stack?.endsWith(message)).toBe(true);
      expect(Error.stackTraceLimit).toBe(7);
      expect(new Error('another').stack).toContain('    at ');
    } finally {
      Error.stackTraceLimit = stackTraceLimit;
    }
  });

  it('is made with a stack where the limit cannot be set', () => {
    const limit = Object.getOwnPropertyDescriptor(Error, 'stackTraceLimit');
    Object.defineProperty(Error, 'stackTraceLimit', { value: 5, writable: false, configurable: true });
    try {
      expect(suspensionOf('name').stack).toContain('    at ');
    } finally {
      Object.defineProperty(Error, 'stackTraceLimit', limit ?? {});
    }
  });
});
