import { mkdir, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { start } from './child.js';
import { install, requiredScenarios, runSuite } from './suite.js';
import { nameOf, variants, type Variant } from './variants.js';
import { taskScenarios, verdicts, type Verdict } from './verdict.js';

const ROOT = join(import.meta.dirname, '..', '..');
const SERVER = join(import.meta.dirname, 'server.ts');

/** Runs the suite against one app, leaving its results in `folder`. */
async function examine({ express, parser }: Variant, folder: string): Promise<void> {
  await mkdir(folder);
  const server = await start(['--import', 'tsx', SERVER, express, parser], ROOT);
  try {
    await runSuite(server.url, folder);
  } finally {
    await server.stop();
  }
}

function print({ scenario, passed, failures }: Verdict): void {
  const word = failures.length === 0 ? 'ok  ' : 'FAIL';
  console.log(`  ${word}  ${scenario.padEnd(46)} ${passed} passed, ${failures.length} failed`);
  for (const failure of failures) console.log(`          ${failure}`);
}

// Without this a signal would leave the children behind.
for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => process.exit(1));

await install();
const scenarios = await requiredScenarios();
const results = await mkdtemp(join(tmpdir(), 'express-mrtr-conformance-'));
let passed = 0;
let failed = 0;

for (const variant of variants) {
  const folder = join(results, `${variant.express}-${variant.parser}`);
  console.log(`\n${nameOf(variant)}`);
  try {
    await examine(variant, folder);
  } catch (error) {
    failed += 1;
    console.log(`  FAIL  ${String(error)}`);
  }
  for (const verdict of await verdicts(folder, scenarios)) {
    print(verdict);
    passed += verdict.passed;
    failed += verdict.failures.length;
  }
  const tasks = await taskScenarios(folder);
  console.log(`  --    ${tasks.length} tasks-* scenarios are of an extension and out of scope`);
}

console.log(`\n${scenarios.length} scenarios on ${variants.length} apps`);
if (failed === 0) {
  await rm(results, { recursive: true });
} else {
  console.log(`The results are kept in ${results}`);
  process.exitCode = 1;
}
console.log(`conformance: ${passed} passed, ${failed} failed`);
