import { mkdir, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { start } from './child.js';
import { requiredScenarios, revisions, type Revision } from './revisions.js';
import { install, runSuite, SUITE } from './suite.js';
import { nameOf, variants, type Variant } from './variants.js';
import { taskScenarios, verdicts, type Verdict } from './verdict.js';

const ROOT = join(import.meta.dirname, '..', '..');
const SERVER = join(import.meta.dirname, 'server.ts');

/** Where the results of a revision on an app are left. */
function folderOf({ express, parser }: Variant, { name }: Revision): string {
  return join(results, `${express}-${parser}-${name}`);
}

/** Runs the suite of each revision against one app. */
async function examine(variant: Variant): Promise<void> {
  const server = await start(['--import', 'tsx', SERVER, variant.express, variant.parser], ROOT);
  try {
    for (const revision of revisions) await runSuite(server.url, revision.name, folderOf(variant, revision));
  } finally {
    await server.stop();
  }
}

function print({ scenario, passed, failures, excused }: Verdict): void {
  const word = failures.length > 0 ? 'FAIL' : excused.length > 0 ? 'part' : 'ok  ';
  console.log(`  ${word}  ${scenario.padEnd(46)} ${passed} passed, ${failures.length} failed`);
  for (const failure of failures) console.log(`          ${failure}`);
}

// Without this a signal would leave the children behind.
for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => process.exit(1));

await install();
const results = await mkdtemp(join(tmpdir(), 'express-mrtr-conformance-'));
const demands = await Promise.all(
  revisions.map(async (revision) => ({ revision, scenarios: await requiredScenarios(revision, SUITE) })),
);
let passed = 0;
let failed = 0;

for (const variant of variants) {
  for (const revision of revisions) await mkdir(folderOf(variant, revision));
  try {
    await examine(variant);
  } catch (error) {
    failed += 1;
    console.log(`\nFAIL ${nameOf(variant)}: ${String(error)}`);
  }
  for (const { revision, scenarios } of demands) {
    console.log(`\n${nameOf(variant)}, ${revision.name}`);
    const folder = folderOf(variant, revision);
    for (const verdict of await verdicts(folder, scenarios, revision.exceptions)) {
      print(verdict);
      passed += verdict.passed;
      failed += verdict.failures.length;
    }
    const tasks = await taskScenarios(folder);
    if (tasks.length > 0) console.log(`  --    ${tasks.length} tasks-* scenarios are of an extension and out of scope`);
  }
}

console.log('');
for (const { revision, scenarios } of demands) {
  console.log(`${revision.name}: ${scenarios.length} scenarios on ${variants.length} apps`);
  for (const { scenario, check, reason } of revision.exceptions)
    console.log(`  except ${scenario}, ${check}: ${reason}`);
}
if (failed === 0) {
  await rm(results, { recursive: true });
} else {
  console.log(`The results are kept in ${results}`);
  process.exitCode = 1;
}
console.log(`conformance: ${passed} passed, ${failed} failed`);
