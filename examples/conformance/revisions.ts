import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { EXCEPTIONS, type Exception } from './exceptions.js';

/** A revision of MCP by which the suite judges a server. */
export interface Revision {
  readonly name: '2026-07-28' | '2025-11-25';
  /** Scenarios that the revision's requirements run without scoring them, and that this package is held to all the same. */
  readonly beyondRequired: readonly string[];
  /** How many scenarios there are in all: a change of the file's form must not pass for a shorter list. */
  readonly expected: number;
  readonly exceptions: readonly Exception[];
}

export const revisions: readonly Revision[] = [
  {
    name: '2026-07-28',
    beyondRequired: ['json-schema-2020-12', 'http-header-validation', 'http-custom-header-server-validation'],
    expected: 40,
    exceptions: [],
  },
  {
    name: '2025-11-25',
    beyondRequired: ['server-session-lifecycle', 'json-schema-2020-12', 'server-sse-polling'],
    expected: 33,
    exceptions: EXCEPTIONS,
  },
];

/** The scenarios that must pass: those that the revision requires of a server, and those that go beyond. */
export async function requiredScenarios(
  { name, beyondRequired, expected }: Revision,
  suite: string,
): Promise<string[]> {
  const requirements = await readFile(join(suite, 'requirements', `${name}.yaml`), 'utf8');
  const section = /^server:\n((?: {2}- \S+\n)+)/m.exec(requirements)?.[1] ?? '';
  const required = [...section.matchAll(/- (\S+)/g)].map(([, scenario]) => String(scenario));
  const scenarios = [...required, ...beyondRequired];
  if (scenarios.length === expected) return scenarios;
  throw new Error(
    `Expected ${expected} scenarios of ${name}, found ${scenarios.length}: have the requirements changed their form?`,
  );
}
