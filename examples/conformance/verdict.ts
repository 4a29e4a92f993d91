import { existsSync } from 'node:fs';
import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Exception } from './exceptions.js';

interface Check {
  readonly id: string;
  readonly status: 'SUCCESS' | 'INFO' | 'SKIPPED' | 'WARNING' | 'FAILURE';
  readonly errorMessage?: string;
}

/** What one scenario came to. Without a single check that passed it did not pass either. */
export interface Verdict {
  readonly scenario: string;
  readonly passed: number;
  /** A line for each check that failed, warned or was skipped without being listed, or that is listed and did neither. */
  readonly failures: readonly string[];
  /** The exceptions that were needed. */
  readonly excused: readonly Exception[];
}

const FOLDER = /^server-(.+)-\d{4}-\d\d-\d\dT[\d-]+Z$/;

/** Judges what the suite left in a folder. */
export async function verdicts(
  folder: string,
  scenarios: readonly string[],
  exceptions: readonly Exception[],
): Promise<readonly Verdict[]> {
  const results = await readResults(folder);
  const of = (scenario: string): Exception[] => exceptions.filter((exception) => exception.scenario === scenario);
  return scenarios.map((scenario) => judge(scenario, results.get(scenario) ?? [], of(scenario)));
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

function judge(scenario: string, checks: readonly Check[], exceptions: readonly Exception[]): Verdict {
  const passed = checks.filter(({ status }) => status === 'SUCCESS').length;
  const unpassed = checks.filter(({ status }) => status !== 'SUCCESS' && status !== 'INFO');
  const failures = unpassed
    .filter(({ id }) => !exceptions.some(({ check }) => check === id))
    .map(({ id, status, errorMessage = '' }) => `${status} ${id} ${errorMessage}`);
  const excused = exceptions.filter(({ check }) => unpassed.some(({ id }) => id === check));
  const idle = exceptions.filter((exception) => !excused.includes(exception));
  failures.push(
    ...idle.map(({ check }) => `LISTED ${check} is an exception, but it did not fail: take it off the list`),
  );
  if (passed === 0 && unpassed.length === 0) failures.push('MISSING the scenario left no check that passed');
  return { scenario, passed, failures, excused };
}
