/** What `npm start` and `npm test` need beforehand: installs when `node_modules` is not what the lock file says, builds when `dist` is behind. */
import { spawnSync } from 'node:child_process';
import { existsSync, readdirSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

const root = fileURLToPath(new URL('..', import.meta.url));
const at = (...parts) => join(root, ...parts);

if (!isInstalled()) npm('ci', '--include=dev', '--no-audit', '--no-fund');
if (!isBuilt()) run(process.execPath, [at('scripts', 'build.mjs')]);

function isInstalled() {
  const wanted = packagesOf('package-lock.json');
  const found = packagesOf('node_modules', '.package-lock.json');
  return Object.entries(wanted).every(([path, { version, integrity, optional, devOptional }]) => {
    if (path === '') return true;
    const installed = found[path];
    // Packages for other platforms are in the lock file only.
    if (installed === undefined) return optional === true || devOptional === true;
    return installed.version === version && installed.integrity === integrity;
  });
}

function packagesOf(...path) {
  const file = at(...path);
  return existsSync(file) ? JSON.parse(readFileSync(file, 'utf8')).packages : {};
}

function isBuilt() {
  // The build writes this file last.
  const stamp = at('dist', 'cjs', 'package.json');
  if (!existsSync(stamp)) return false;
  const sources = readdirSync(at('lib'), { recursive: true }).map((name) => at('lib', name));
  const settings = ['tsconfig.json', 'tsconfig.esm.json', 'tsconfig.cjs.json', 'scripts/build.mjs'].map((name) =>
    at(name),
  );
  const built = statSync(stamp).mtimeMs;
  return [...sources, ...settings].every((file) => statSync(file).mtimeMs <= built);
}

function npm(...args) {
  const script = process.env.npm_execpath;
  if (script?.endsWith('.js')) run(process.execPath, [script, ...args]);
  else run('npm', args, { shell: process.platform === 'win32' });
}

function run(program, args, options) {
  const { status, error } = spawnSync(program, args, { cwd: root, stdio: 'inherit', ...options });
  if (error !== undefined) throw error;
  if (status !== 0) process.exit(status ?? 1);
}
