import { existsSync } from 'node:fs';
import { open, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { run } from './child.js';

const HERE = import.meta.dirname;
const MODULES = join(HERE, 'node_modules');
export const SUITE = join(MODULES, '@modelcontextprotocol', 'conformance');
const SUITE_NODE = join(MODULES, 'node', 'bin', 'node');

const INSTALL_MS = 300_000;
const RUN_MS = 180_000;

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

/** Runs the suite of a revision against a server. It leaves a folder a scenario in `folder`, and what it printed in `suite.log`. */
export async function runSuite(url: string, revision: string, folder: string): Promise<void> {
  const log = await open(join(folder, 'suite.log'), 'w');
  try {
    const args = [join(SUITE, 'dist', 'index.js'), 'server', '--url', url, '--requirements', revision, '-o', folder];
    // The exit code does not count: it is 0 in spite of warnings and skipped checks.
    await run(SUITE_NODE, args, { cwd: HERE, output: log.fd, timeout: RUN_MS });
  } finally {
    await log.close();
  }
}
