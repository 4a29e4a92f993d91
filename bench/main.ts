import { cpus, loadavg } from 'node:os';
import { build } from './build.js';
import { benchFlow } from './flow.js';
import { benchGrowth } from './growth.js';
import { benchMemory } from './memory.js';
import { benchMicro } from './micro.js';
import { parseOptions, USAGE, type BenchOptions } from './options.js';
import { endChildrenAtExit } from './processes/child.js';
import { jsonLines, say, tables, type Report } from './report.js';

/** Measures the package beside others; `USAGE` says how. */

const LIMIT_MINUTES = 60;

main(process.argv.slice(2)).catch((error: unknown) => {
  say(error instanceof Error ? (error.stack ?? error.message) : String(error));
  process.exit(1);
});

async function main(args: readonly string[]): Promise<void> {
  if (args.includes('--help')) return say(USAGE);
  const options = parseOptions(args);
  const report = options.json ? jsonLines : tables;
  endChildrenAtExit();
  setTimeout(() => {
    say(`The bench is not done after ${LIMIT_MINUTES} minutes.`);
    process.exit(1);
  }, LIMIT_MINUTES * 60_000).unref();
  say('building');
  await build();
  report.table('machine', 'machine', [machine()]);
  for (const part of options.parts) await run(part, options, report);
  report.table('machine', 'machine, afterwards', [machine()]);
}

function run(part: BenchOptions['parts'][number], options: BenchOptions, report: Report): Promise<void> {
  switch (part) {
    case 'flow':
      return benchFlow(options, report);
    case 'micro':
      return benchMicro(report);
    case 'memory':
      return benchMemory(report);
    case 'growth':
      return benchGrowth(report);
  }
}

/** Figures are worth something beside the machine that they come from, and what else it had to do. */
function machine(): Record<string, string | number> {
  const [first] = cpus();
  return {
    cpu: first?.model.trim() ?? 'unknown',
    cores: cpus().length,
    node: process.version,
    date: new Date().toISOString().slice(0, 10),
    load1: loadavg()[0] ?? 0,
  };
}
