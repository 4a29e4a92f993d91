import { existsSync } from 'node:fs';
import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';

interface Check {
  readonly id: string;
  readonly status: 'SUCCESS' | 'INFO' | 'SKIPPED' | 'WARNING' | 'FAILURE';
  readonly errorMessage?: string;
}

/** What one scenario came to. Without a single check that passed it did not pass either. */
export interface Verdict {
  readonly scenario: string;
  readonly passed: number;
  /** A line for each check that failed, warned or was skipped. */
  readonly failures: readonly string[];
}

const FOLDER = /^server-(.+)-\d{4}-\d\d-\d\dT[\d-]+Z$/;

/** Judges what the suite left in a folder. */
export async function verdicts(folder: string, scenarios: readonly string[]): Promise<readonly Verdict[]> {
  const results = await readResults(folder);
  return scenarios.map((scenario) => judge(scenario, results.get(scenario) ?? []));
}

/** The scenarios in a folder of the suite that belong to the tasks extension. */
export async function taskScenarios(folder: string): Promise<readonly string[]> {
  return [...(await readResults(folder)).keys()].filter((scenario) => scenario.startsWith('tasks-'));
}

async function readResults(folder: string): Promise<ReadonlyMap<string, readonly Check[]>> {
  const results = new Map<string, readonly Check[]>();
  for (const name of await readdir(folder)) {
    const scenario = FOLDER.exec(name)?.[1];
    if (scenario === undefined) continue;
    results.set(scenario, await readChecks(join(folder, name, 'checks.json')));
  }
  return results;
}

async function readChecks(file: string): Promise<readonly Check[]> {
  // A scenario that broke down leaves its folder empty.
  return existsSync(file) ? (JSON.parse(await readFile(file, 'utf8')) as Check[]) : [];
}

function judge(scenario: string, checks: readonly Check[]): Verdict {
  const passed = checks.filter(({ status }) => status === 'SUCCESS').length;
  const failures = checks
    .filter(({ status }) => status !== 'SUCCESS' && status !== 'INFO')
    .map(({ id, status, errorMessage = '' }) => `${status} ${id} ${errorMessage}`);
  if (passed === 0 && failures.length === 0) failures.push('MISSING the scenario left no check that passed');
  return { scenario, passed, failures };
}
