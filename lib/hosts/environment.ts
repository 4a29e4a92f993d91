import { systemTimers, type Timers } from '../engine/timers.js';
import { pooledRandom } from '../seal/random.js';

/** The clock and chance of one middleware: replaced in tests. */
export interface Environment {
  /** Milliseconds of the epoch. */
  now(): number;
  random(size: number): Buffer;
  readonly timers: Timers;
}

export const systemEnvironment: Environment = {
  now: () => Date.now(),
  random: pooledRandom,
  timers: systemTimers,
};
