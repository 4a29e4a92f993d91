import { existsSync } from 'node:fs';
import { open, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { run } from './child.js';

const HERE = import.meta.dirname;
const MODULES = join(HERE, 'node_modules');
const SUITE = join(MODULES, '@modelcontextprotocol', 'conformance');
const SUITE_NODE = join(MODULES, 'node', 'bin', 'node');
const REVISION = '2026-07-28';

const INSTALL_MS = 300_000;
const RUN_MS = 180_000;

/** The revision's requirements leave these unscored, for the suite's own fixture cannot pass them. This package does. */
const BEYOND_REQUIRED = ['json-schema-2020-12', 'http-header-validation', 'http-custom-header-server-validation'];
const EXPECTED = 40;

/** Installs the suite and its own Node.js beside this file, unless the versions that are asked for are there. */
export async function install(): Promise<void> {
  if (await isInstalled()) return;
  await run('npm', ['ci', '--prefix', HERE, '--no-audit', '--no-fund'], {
    cwd: HERE,
    output: 'inherit',
    timeout: INSTALL_MS,
  });
  if (await isInstalled()) return;
  throw new Error(
    `The suite is not complete. Run "npm ci --prefix ${HERE}" with install scripts allowed: one of them brings Node.js.`,
  );
}

async function isInstalled(): Promise<boolean> {
  const { dependencies } = await manifest(HERE);
  const wanted = Object.entries(dependencies ?? {});
  if (!existsSync(SUITE_NODE) || !wanted.every(([name]) => existsSync(join(MODULES, name, 'package.json'))))
    return false;
  const found = await Promise.all(wanted.map(([name]) => manifest(join(MODULES, name))));
  return wanted.every(([, version], index) => found[index]?.version === version);
}

interface Manifest {
  readonly version?: string;
  readonly dependencies?: Readonly<Record<string, string>>;
}

async function manifest(folder: string): Promise<Manifest> {
  return JSON.parse(await readFile(join(folder, 'package.json'), 'utf8')) as Manifest;
}

/** The scenarios that must pass: those that the revision requires of a server, and those that go beyond. */
export async function requiredScenarios(): Promise<readonly string[]> {
  const requirements = await readFile(join(SUITE, 'requirements', `${REVISION}.yaml`), 'utf8');
  const section = /^server:\n((?: {2}- \S+\n)+)/m.exec(requirements)?.[1] ?? '';
  const required = [...section.matchAll(/- (\S+)/g)].map(([, name]) => String(name));
  const scenarios = [...required, ...BEYOND_REQUIRED];
  if (scenarios.length === EXPECTED) return scenarios;
  throw new Error(
    `Expected ${EXPECTED} scenarios, found ${scenarios.length}: have the requirements changed their form?`,
  );
}

/** Runs the suite against a server. It leaves a folder a scenario in `folder`, and what it printed in `suite.log`. */
export async function runSuite(url: string, folder: string): Promise<void> {
  const log = await open(join(folder, 'suite.log'), 'w');
  try {
    const args = [join(SUITE, 'dist', 'index.js'), 'server', '--url', url, '--requirements', REVISION, '-o', folder];
    // The exit code does not count: it is 0 in spite of warnings and skipped checks.
    await run(SUITE_NODE, args, { cwd: HERE, output: log.fd, timeout: RUN_MS });
  } finally {
    await log.close();
  }
}
