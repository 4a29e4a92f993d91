import type { Shots } from './load/shoot.js';
import type { BenchOptions } from './options.js';
import { Child } from './processes/child.js';
import { say, type Report } from './report.js';
import { FRONTS, type FrontName } from './servers/front.js';
import type { Listening, ServerName, Start } from './servers/main.js';
import { median, ratio, spread } from './statistics.js';
import type { Row } from './table.js';

const ALL: readonly ServerName[] = ['express-mrtr', 'official SDK', 'bare Express', 'bare node:http'];
const START_SECONDS = 30;

/** One run, and the processor time that each request took the server: it hardly depends on what else the machine does. */
interface Run extends Shots {
  readonly cpuMicroseconds: number;
}

interface Contender extends Listening {
  readonly name: ServerName;
  readonly child: Child;
  readonly runs: Run[];
}

/** The two-round flow against each server, with each thing in front of it. */
export async function benchFlow(options: BenchOptions, report: Report): Promise<void> {
  for (const front of options.quick ? (['nothing'] as const) : FRONTS) {
    const names = ALL.filter((name) => name !== 'bare node:http' || (front === 'nothing' && !options.quick));
    const contenders = await compare(names, front, options);
    const behind = front === 'nothing' ? '' : `, behind ${front}`;
    report.table('flow', `two-round flow${behind}`, contenders.map(rowOf));
    report.table('flow', `ratios${behind}`, ratiosOf(contenders));
  }
}

async function compare(names: readonly ServerName[], front: FrontName, options: BenchOptions): Promise<Contender[]> {
  const load = new Child('load/main');
  const servers = names.map((name) => ({ name, child: new Child('servers/main') }));
  try {
    const contenders = await Promise.all(
      servers.map(async ({ name, child }): Promise<Contender> => {
        const start: Start = { server: name, front };
        return { name, child, runs: [], ...(await child.request<Listening>('start', start, START_SECONDS)) };
      }),
    );
    for (const { port, headers } of contenders) await load.request('prepare', { port, headers }, START_SECONDS);
    if (options.warmUpSeconds > 0) {
      for (const contender of contenders) await shootAt(load, contender, options.warmUpSeconds);
    }
    for (let run = 1; run <= options.runs; run += 1) {
      say(`flow, ${front} in front: run ${run} of ${options.runs}`);
      for (const contender of contenders) contender.runs.push(await shootAt(load, contender, options.runSeconds));
    }
    return contenders;
  } finally {
    await Promise.all([load, ...servers.map(({ child }) => child)].map((child) => child.stop()));
  }
}

async function shootAt(load: Child, { name, port, child }: Contender, seconds: number): Promise<Run> {
  const before = await child.request<number>('cpu', undefined, START_SECONDS);
  const shots = await load.request<Shots>('run', { port, seconds }, seconds + START_SECONDS);
  if (shots.problems.length > 0) throw new Error(`${name} did not serve the flow: ${shots.problems.join('; ')}.`);
  const used = (await child.request<number>('cpu', undefined, START_SECONDS)) - before;
  return { ...shots, cpuMicroseconds: used / shots.requests };
}

const perSecond = ({ runs }: Contender): number[] => runs.map((run) => run.perSecond);
const cpu = ({ runs }: Contender): number[] => runs.map((run) => run.cpuMicroseconds);
const p99 = ({ runs }: Contender): number[] => runs.map((run) => run.p99Ms);

function rowOf(contender: Contender): Row {
  const { name, runs } = contender;
  const rate = spread(perSecond(contender));
  return {
    server: name,
    'req/s': Math.round(rate.median),
    min: Math.round(rate.min),
    max: Math.round(rate.max),
    p50Ms: median(runs.map((run) => run.p50Ms)),
    p99Ms: median(p99(contender)),
    'cpu µs': median(cpu(contender)),
    replyBytes: Math.round(median(runs.map((run) => run.replyBytes))),
    requests: runs.reduce((sum, run) => sum + run.requests, 0),
    runs: runs.length,
  };
}

function ratiosOf(contenders: readonly Contender[]): Row[] {
  const find = (name: ServerName): Contender | undefined => contenders.find((contender) => contender.name === name);
  const own = find('express-mrtr');
  const bare = find('bare Express');
  if (own === undefined || bare === undefined) return [];
  const others = contenders.filter((contender) => contender !== own);
  const targets: Partial<Record<ServerName, string>> = { 'bare Express': '>= 0.85', 'official SDK': '>= 3.0' };
  return [
    ...others.map((other) => ({
      ratio: `req/s of express-mrtr / ${other.name}`,
      ...ratio(perSecond(own), perSecond(other)),
      target: targets[other.name] ?? '',
    })),
    ...others.map((other) => ({
      ratio: `requests per second of processor time, express-mrtr / ${other.name}`,
      ...ratio(cpu(other), cpu(own)),
      target: '',
    })),
    { ratio: 'p99 of express-mrtr / bare Express', ...ratio(p99(own), p99(bare)), target: '<= 1.5' },
  ];
}
