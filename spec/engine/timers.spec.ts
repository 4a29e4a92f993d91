import { systemTimers } from '../../lib/engine/timers.js';
import { ticks } from '../support/engine.js';

describe('the timers of the system', () => {
  it('end a turn after its microtasks', async () => {
    const order: string[] = [];
    const ended = new Promise<void>((resolve) => {
      systemTimers.endOfTurn(() => {
        order.push('end of turn');
        resolve();
      });
    });
    await ticks(10);
    order.push('microtasks');
    await ended;
    expect(order).toEqual(['microtasks', 'end of turn']);
  });

  it('run out, unless they are called off', async () => {
    const off = jest.fn();
    systemTimers.after(1, off)();
    await new Promise<void>((resolve) => systemTimers.after(2, resolve));
    expect(off).not.toHaveBeenCalled();
  });

  it('longer than the longest of Node do not run out at once', async () => {
    const off = jest.fn();
    const callOff = systemTimers.after(2 ** 31 + 5000, off);
    await new Promise<void>((resolve) => systemTimers.after(20, resolve));
    expect(off).not.toHaveBeenCalled();
    callOff();
  });

  it('C128 keep no process alive', () => {
    const before = process.getActiveResourcesInfo().filter((name) => name === 'Timeout').length;
    const callOff = systemTimers.after(60_000, () => undefined);
    expect(process.getActiveResourcesInfo().filter((name) => name === 'Timeout')).toHaveLength(before);
    callOff();
  });

  it("C128 do not stand still under an application's fake timers", async () => {
    jest.useFakeTimers();
    try {
      await new Promise<void>((resolve) => systemTimers.endOfTurn(resolve));
      await new Promise<void>((resolve) => systemTimers.after(1, resolve));
    } finally {
      jest.useRealTimers();
    }
  });
});
