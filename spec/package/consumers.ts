import { spawnSync } from 'node:child_process';
import { cpSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

export const ROOT = join(__dirname, '..', '..');
const PROJECTS = join(__dirname, 'projects');

export interface Ran {
  readonly status: number | null;
  readonly output: string;
}

/** Runs a program of Node.js to its end. */
export function node(cwd: string, args: readonly string[], env: Readonly<Record<string, string>> = {}): Ran {
  return run(process.execPath, cwd, args, env);
}

function run(program: string, cwd: string, args: readonly string[], env: Readonly<Record<string, string>> = {}): Ran {
  const { NODE_OPTIONS: _options, JEST_WORKER_ID: _worker, NODE_ENV: _env, ...inherited } = process.env;
  const { status, stdout, stderr, error } = spawnSync(program, args, {
    cwd,
    env: { ...inherited, ...env },
    encoding: 'utf8',
    timeout: 240_000,
  });
  return { status, output: `${stdout}${stderr}${error === undefined ? '' : error.message}` };
}

function npm(cwd: string, args: readonly string[]): Ran {
  const script = process.env['npm_execpath'];
  return script?.endsWith('.js') ? node(cwd, [script, ...args]) : run('npm', cwd, args);
}

/** The packed package in a folder of its own, beside the projects that consume it. */
export class Consumers {
  readonly folder = mkdtempSync(join(tmpdir(), 'express-mrtr-'));
  readonly files: readonly string[];
  readonly tarball: string;
  /** `false` when the registry cannot be reached. */
  readonly installed: boolean;

  /** Packs what is built, and installs it in the project of each name. */
  constructor(names: readonly string[]) {
    try {
      succeed(node(ROOT, [join('scripts', 'setup.mjs')]));
      const packed = npm(ROOT, ['pack', '--json', '--ignore-scripts', '--silent', '--pack-destination', this.folder]);
      const [manifest] = JSON.parse(succeed(packed)) as [{ filename: string; files: { path: string }[] }];
      this.tarball = join(this.folder, manifest.filename);
      this.files = manifest.files.map(({ path }) => path);
      this.installed = names.every((name) => this.#install(name));
    } catch (error) {
      this.remove();
      throw error;
    }
  }

  #install(name: string): boolean {
    const folder = join(this.folder, name);
    for (const source of ['shared', name]) cpSync(join(PROJECTS, source), folder, { recursive: true });
    const options = ['--prefer-offline', '--no-audit', '--no-fund', '--no-package-lock', '--ignore-scripts'];
    const installed = npm(folder, ['install', ...options, this.tarball]);
    // A machine that checks changes has to reach the registry; elsewhere these tests are left out.
    if (installed.status !== 0 && process.env['CI'] === undefined && !isRegistryReachable()) return false;
    succeed(installed);
    return true;
  }

  remove(): void {
    rmSync(this.folder, { recursive: true, force: true });
  }
}

function isRegistryReachable(): boolean {
  return npm(ROOT, ['view', 'express', 'version']).status === 0;
}

function succeed({ status, output }: Ran): string {
  if (status !== 0) throw new Error(output);
  return output;
}
