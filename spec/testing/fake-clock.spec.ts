import { fakeClock } from '../../lib/testing/fake-clock.js';

describe('a fake clock', () => {
  it('stands still until it is advanced', () => {
    const clock = fakeClock(1000);
    expect(clock.now()).toBe(1000);
    clock.advance(250);
    clock.advance(0);
    expect(clock.now()).toBe(1250);
    expect(fakeClock().now()).toBe(Date.UTC(2026, 6, 28));
  });

  it('runs what is due, each at its time, in the order of times and then of setting', () => {
    const { now, advance, after } = fakeClock(0);
    const ran: [string, number][] = [];
    const run = (name: string) => () => void ran.push([name, now()]);
    after(30, run('c'));
    after(10, run('a'));
    after(30, run('d'));
    after(20, () => {
      run('b')();
      after(5, run('b2'));
      after(500, run('late'));
    });
    advance(9);
    expect(ran).toEqual([]);
    advance(91);
    expect(ran).toEqual([
      ['a', 10],
      ['b', 20],
      ['b2', 25],
      ['c', 30],
      ['d', 30],
    ]);
    expect(now()).toBe(100);
    advance(420);
    expect(ran.at(-1)).toEqual(['late', 520]);
    expect(ran).toHaveLength(6);
  });

  it('runs nothing that was called off, even by what was due with it', () => {
    const { advance, after } = fakeClock();
    const ran: string[] = [];
    const cancel = after(10, () => void ran.push('a'));
    cancel();
    after(10, () => {
      ran.push('b');
      cancelLast();
    });
    const cancelLast = after(10, () => void ran.push('c'));
    advance(1000);
    expect(ran).toEqual(['b']);
    expect(cancelLast).not.toThrow();
  });

  it.each([-1, NaN, Infinity, '5', undefined])('does not advance by %p', (ms) => {
    const clock = fakeClock(7);
    expect(() => clock.advance(ms as number)).toThrow(
      new RangeError(`advance() takes milliseconds, 0 or more; got ${String(ms)}. A clock does not go back.`),
    );
    expect(clock.now()).toBe(7);
  });
});
