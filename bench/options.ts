import { parseArgs } from 'node:util';

export const PARTS = ['flow', 'micro', 'memory', 'growth'] as const;
export type Part = (typeof PARTS)[number];

/** What one run of the bench does, and for how long. */
export interface BenchOptions {
  readonly parts: readonly Part[];
  readonly json: boolean;
  /** Three servers without anything in front, instead of all. */
  readonly quick: boolean;
  readonly warmUpSeconds: number;
  readonly runSeconds: number;
  readonly runs: number;
}

export const USAGE = `npm run bench -- [--quick] [--json] [--only flow|micro|memory|growth]…
  --quick        the flow table only: three servers, 3 runs of 2 s each, under a minute
  --json         one JSON object a line
  --only <part>  this part; may be given several times
  --runs <n>, --seconds <s>, --warm-up <s>   runs of the flow, 1 to 50, and how long they and the warm-up take, up to 60`;

export function parseOptions(args: readonly string[]): BenchOptions {
  const { values } = parseArgs({
    args: [...args],
    options: {
      quick: { type: 'boolean', default: false },
      json: { type: 'boolean', default: false },
      only: { type: 'string', multiple: true },
      runs: { type: 'string' },
      seconds: { type: 'string' },
      'warm-up': { type: 'string' },
    },
  });
  const { quick, json, only = quick ? ['flow'] : PARTS } = values;
  const unknown = only.find((part) => !PARTS.some((known) => known === part));
  if (unknown !== undefined) throw new Error(`--only takes ${PARTS.join(', ')}; got ${JSON.stringify(unknown)}.`);
  return {
    parts: PARTS.filter((part) => only.includes(part)),
    json,
    quick,
    warmUpSeconds: within('--warm-up', values['warm-up'], 3, 0, 60),
    runSeconds: within('--seconds', values.seconds, quick ? 2 : 5, 0.1, 60),
    runs: Math.round(within('--runs', values.runs, quick ? 3 : 5, 1, 50)),
  };
}

function within(name: string, text: string | undefined, fallback: number, least: number, most: number): number {
  if (text === undefined) return fallback;
  const value = Number(text);
  if (text.trim() === '' || !(value >= least && value <= most)) {
    throw new Error(`${name} takes a number from ${least} to ${most}; got ${JSON.stringify(text)}.`);
  }
  return value;
}
