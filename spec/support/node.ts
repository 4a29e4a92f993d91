import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { createInterface } from 'node:readline';

const ROOT = join(__dirname, '../..');

/** What a process has printed until it ended. */
export interface Ended {
  readonly code: number | null;
  readonly lines: readonly Record<string, unknown>[];
  readonly stderr: string;
}

/** A process of `spec/support/processes/node.ts` that serves. */
export interface Node {
  readonly url: string;
  readonly stop: () => Promise<Ended>;
}

const running = new Set<Node>();

/** Starts a node. Rejects with what it wrote to stderr when it ends instead of serving. */
export async function startNode(env: { readonly MRTR_KEYS?: string; readonly NODE_ENV?: string } = {}): Promise<Node> {
  const clean = { MRTR_KEYS: undefined, NODE_ENV: undefined };
  const child = spawn(process.execPath, ['--import', 'tsx', 'spec/support/processes/node.ts'], {
    cwd: ROOT,
    env: { ...process.env, ...clean, ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let stderr = '';
  child.stderr.on('data', (chunk) => (stderr += String(chunk)));
  const lines: Record<string, unknown>[] = [];
  const reader = createInterface({ input: child.stdout });
  // The streams are at their end only at "close", after "exit".
  const closed = once(child, 'close').then(([code]): Ended => ({ code: code as number | null, lines, stderr }));
  const url = await new Promise<unknown>((resolve, reject) => {
    reader.on('line', (line) => {
      lines.push(JSON.parse(line) as Record<string, unknown>);
      resolve(lines[0]?.['url']);
    });
    void closed.then((ended) => reject(new Error(`The node ended with ${ended.code}: ${ended.stderr}`)));
  });
  const node: Node = {
    url: String(url),
    stop: () => {
      running.delete(node);
      child.kill('SIGKILL');
      return closed;
    },
  };
  running.add(node);
  return node;
}

/** For `afterAll`: ends the nodes that a failed test has left. */
export async function stopNodes(): Promise<void> {
  await Promise.all([...running].map((node) => node.stop()));
}
