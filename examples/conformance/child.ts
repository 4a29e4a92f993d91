import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';

const START_MS = 30_000;

/** Runs a program to its end. Rejects when it cannot be started or outlives `timeout` milliseconds. */
export async function run(
  command: string,
  args: readonly string[],
  options: { readonly cwd: string; readonly output: number | 'inherit'; readonly timeout: number },
): Promise<number> {
  const { cwd, output, timeout } = options;
  const child = spawn(command, args, { cwd, stdio: ['ignore', output, output], timeout, killSignal: 'SIGKILL' });
  const release = endWithUs(child);
  const [code, signal] = (await once(child, 'exit').finally(release)) as [number | null, string | null];
  if (code !== null) return code;
  throw new Error(`${command} ${args.join(' ')} was ended by ${String(signal)}; it may run for ${timeout / 1000} s.`);
}

/** A program that tells its address in its first line and then runs until it is stopped. */
export interface Service {
  readonly url: string;
  readonly stop: () => Promise<void>;
}

export async function start(args: readonly string[], cwd: string): Promise<Service> {
  const child = spawn(process.execPath, args, { cwd, stdio: ['ignore', 'pipe', 'inherit'] });
  const release = endWithUs(child);
  const exited = once(child, 'exit');
  const stop = async (): Promise<void> => {
    child.kill();
    await exited;
    release();
  };
  try {
    const lines = createInterface({ input: child.stdout });
    const signal = AbortSignal.timeout(START_MS);
    const [url] = (await Promise.race([once(lines, 'line', { signal }), exited.then(gone)])) as [string];
    return { url, stop };
  } catch (error) {
    await stop();
    throw error;
  }
}

function gone(): never {
  throw new Error('The server ended before it told its address.');
}

/** Ends the child when this process ends early; the function that it returns takes that back. */
function endWithUs(child: ChildProcess): () => void {
  const end = (): void => void child.kill('SIGKILL');
  process.once('exit', end);
  return () => {
    process.off('exit', end);
  };
}
