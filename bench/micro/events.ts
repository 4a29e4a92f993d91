import { subscribe, unsubscribe } from 'node:diagnostics_channel';
import { built } from '../built.js';
import type { Row } from '../table.js';
import { measure, repeat } from './measure.js';

const QUESTION = { key: 'confirm', kind: 'elicit', fingerprint: 'x'.repeat(22) };

/** Telling a round: free as long as nobody listens. */
export async function benchEvents(): Promise<readonly Row[]> {
  const { publish } = await built('events');
  let heard = 0;
  const listener = (): void => {
    heard += 1;
  };
  const once = (): void =>
    publish('mrtr:round', () => ({
      method: 'tools/call',
      target: 'refund',
      flowId: 'x'.repeat(22),
      round: 1,
      outcome: 'input_required',
      durationMs: 1,
      answered: 0,
      questions: [{ ...QUESTION }],
    }));
  const { silent } = await measure({ silent: repeat(once) });
  subscribe('mrtr:round', listener);
  const { heeded } = await measure({ heeded: repeat(once) });
  unsubscribe('mrtr:round', listener);
  if (heard === 0) throw new Error('Nobody heard an event.');
  return [
    { case: 'nobody listens', µs: silent.median, min: silent.min, max: silent.max },
    { case: 'one listener', µs: heeded.median, min: heeded.min, max: heeded.max },
  ];
}
