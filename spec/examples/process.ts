import { execFile, spawn, type ChildProcess } from 'node:child_process';
import { createServer, type AddressInfo } from 'node:net';
import { join } from 'node:path';

const ROOT = join(__dirname, '../..');

export interface Running {
  readonly child: ChildProcess;
  readonly stdout: () => string;
  readonly stderr: () => string;
}

/** Starts an example as `npm start` does, and waits until `ready` holds of what it has printed, or of the world. */
export async function start(
  file: string,
  env: Record<string, string>,
  ready: (stdout: string) => boolean | Promise<boolean>,
): Promise<Running> {
  const clean = { MRTR_KEYS: undefined, NODE_ENV: undefined };
  const child = spawn(process.execPath, ['--import', 'tsx', file], {
    cwd: ROOT,
    env: { ...process.env, ...clean, ...env },
  });
  let stdout = '';
  let stderr = '';
  child.stdout.on('data', (chunk) => (stdout += String(chunk)));
  child.stderr.on('data', (chunk) => (stderr += String(chunk)));
  const deadline = Date.now() + 20_000;
  while (!(await ready(stdout))) {
    if (child.exitCode !== null || Date.now() > deadline) throw new Error(`${file} did not start: ${stderr}`);
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
  return { child, stdout: () => stdout, stderr: () => stderr };
}

/** Ends an example and tells its exit code. */
export function stop({ child }: Running): Promise<number | null> {
  if (child.exitCode !== null) return Promise.resolve(child.exitCode);
  return new Promise((resolve) => {
    child.once('exit', (code) => resolve(code));
    child.kill('SIGTERM');
  });
}

/** Runs lines in one bash, verbatim, and gives back what they print. */
export function bash(lines: readonly string[]): Promise<string> {
  return new Promise((resolve, reject) => {
    const shell = execFile('bash', ['-eu', '-o', 'pipefail'], (error, stdout, stderr) => {
      if (error === null && stderr === '') resolve(stdout);
      else reject(new Error(`bash failed: ${stderr}`));
    });
    shell.stdin?.end(`${lines.join('\n')}\n`);
  });
}

/** A port that nobody listens on. */
export async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1');
  await new Promise((resolve) => server.once('listening', resolve));
  const { port } = server.address() as AddressInfo;
  await new Promise((resolve) => server.close(resolve));
  return port;
}
