import { spread, type Spread } from '../statistics.js';

/** Something to measure: does it this many times. */
export type Repeated = (times: number) => void | Promise<void>;

const BATCH_MS = 30;
const REPETITIONS = 11;
const MAX_TIMES = 1 << 22;

// What was computed has to go somewhere, or it need not be computed.
let sink: unknown;

export function repeat(once: () => unknown): Repeated {
  return (times) => {
    for (let time = 0; time < times; time += 1) sink = once();
  };
}

export function repeatAsync(once: () => Promise<unknown>): Repeated {
  return async (times) => {
    for (let time = 0; time < times; time += 1) sink = await once();
  };
}

/** Whatever was computed last. */
export function lastResult(): unknown {
  return sink;
}

/**
 * What is counted: the time of the processor, which hardly depends on what else the machine does, or that of the clock for
 * whatever has to wait.
 */
export type Counted = 'processor' | 'clock';

/** Microseconds that each takes: several batches of each, in turns, after as many to warm up as it takes to fill a batch. */
export async function measure<Name extends string>(
  cases: Readonly<Record<Name, Repeated>>,
  counted: Counted = 'processor',
): Promise<Record<Name, Spread & { readonly all: readonly number[] }>> {
  const names = Object.keys(cases) as Name[];
  const times = new Map<Name, number>();
  for (const name of names) times.set(name, await timesFor(cases[name], counted));
  const figures = new Map<Name, number[]>(names.map((name) => [name, []]));
  for (let repetition = 0; repetition < REPETITIONS; repetition += 1) {
    for (const name of names) {
      const count = times.get(name) ?? 1;
      figures.get(name)?.push(((await millisecondsOf(cases[name], count, counted)) * 1000) / count);
    }
  }
  const entries = names.map((name) => {
    const all = figures.get(name) ?? [];
    return [name, { ...spread(all), all }];
  });
  return Object.fromEntries(entries) as Record<Name, Spread & { readonly all: readonly number[] }>;
}

/** How often it fits into a batch; taken twice, since one time may be that of something else on the machine. */
async function timesFor(run: Repeated, counted: Counted): Promise<number> {
  for (let times = 1; times < MAX_TIMES; times *= 2) {
    const fastest = Math.min(await millisecondsOf(run, times, counted), await millisecondsOf(run, times, counted));
    if (fastest >= BATCH_MS) return times;
  }
  return MAX_TIMES;
}

async function millisecondsOf(run: Repeated, times: number, counted: Counted): Promise<number> {
  const startedAt = now(counted);
  await run(times);
  return now(counted) - startedAt;
}

function now(counted: Counted): number {
  if (counted === 'clock') return performance.now();
  const { user, system } = process.cpuUsage();
  return (user + system) / 1000;
}
