import { spawnSync } from 'node:child_process';
import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { build as transpile } from 'esbuild';

/** Where the processes that are measured have their code: a loader that transforms it as it comes would be measured, too. */
export const COMPILED = join('.tmp', 'bench');

/** Builds the package as it is published, and the measured part of the bench as plain JavaScript. */
export async function build(): Promise<void> {
  const { status, stderr } = spawnSync(process.execPath, [join('scripts', 'build.mjs')], { encoding: 'utf8' });
  if (status !== 0) throw new Error(`The package does not build.\n${stderr}`);
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
