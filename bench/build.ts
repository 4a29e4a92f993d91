import { spawnSync } from 'node:child_process';
import { existsSync, readdirSync, rmSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { build as transpile } from 'esbuild';

/** Where the processes that are measured have their code: a loader that transforms it as it comes would be measured, too. */
export const COMPILED = join('.tmp', 'bench');

/** Builds the package as it is published, and the measured part of the bench as plain JavaScript. */
export async function build(): Promise<void> {
  if (!isCurrent()) {
    const { status, stdout } = spawnSync(process.execPath, [join('scripts', 'build.mjs')], { encoding: 'utf8' });
    if (status !== 0) throw new Error(`The package does not build.\n${stdout}`);
  }
  rmSync(COMPILED, { recursive: true, force: true });
  await transpile({
    entryPoints: ['bench/**/*.ts'],
    outbase: 'bench',
    outdir: COMPILED,
    format: 'esm',
    platform: 'node',
    target: 'node20',
    logLevel: 'error',
  });
}

/** Whether nothing that the build is made of, folders included, is newer than the last thing it wrote. */
function isCurrent(): boolean {
  const last = join('dist', 'cjs', 'package.json');
  if (!existsSync(last)) return false;
  const sources = readdirSync('lib', { recursive: true, encoding: 'utf8' }).map((name) => join('lib', name));
  const settings = [
    'package.json',
    'tsconfig.json',
    'tsconfig.esm.json',
    'tsconfig.cjs.json',
    join('scripts', 'build.mjs'),
  ];
  const builtAt = statSync(last).mtimeMs;
  return ['lib', ...sources, ...settings].every((path) => statSync(path).mtimeMs < builtAt);
}
