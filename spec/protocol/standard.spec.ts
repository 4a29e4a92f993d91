import { messageWithout } from '../../lib/protocol/standard.js';

describe('a validator’s message without the value', () => {
  it.each([
    ['arktype', 'note must be a number (was "secret")', 'note must be a number'],
    ['valibot', 'Invalid type: Expected number but received "secret"', 'Invalid type: Expected number'],
    ['zod', 'Invalid input: expected number, received string', 'Invalid input: expected number, received string'],
  ])('keeps what %s expected', (_library, message, text) => {
    expect(messageWithout({ note: 'secret' }, message)).toBe(text);
  });

  it('is nothing where the value stands in the middle, plain or escaped, however deep', () => {
    const circle: Record<string, unknown> = { list: [{ note: 'a "quoted" secret' }] };
    circle['self'] = circle;
    expect(messageWithout(circle, 'a "quoted" secret is taken')).toBeUndefined();
    expect(messageWithout(circle, 'cannot take {"note":"a \\"quoted\\" secret"}')).toBeUndefined();
    expect(messageWithout(circle, 'is taken')).toBe('is taken');
  });

  it('does not mind texts too short to tell', () => {
    expect(messageWithout('is', 'is taken')).toBe('is taken');
    expect(messageWithout('', 'is taken')).toBe('is taken');
    expect(messageWithout('take', 'is taken')).toBeUndefined();
  });

  it('walks any depth', () => {
    let value: unknown = 'secret';
    for (let level = 0; level < 100_000; level += 1) value = [value];
    expect(messageWithout(value, 'no secret')).toBeUndefined();
  });
});
