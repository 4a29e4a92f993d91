import { fork, spawn, spawnSync, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { createServer, type AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { Redis } from 'ioredis';

export interface Node {
  readonly name: string;
  readonly url: string;
  readonly child: ChildProcess;
}

/** Starts `server.ts` as a process of its own, and waits until it serves. */
export async function startNode(name: string, env: Readonly<Record<string, string>>): Promise<Node> {
  const child = fork(fileURLToPath(new URL('server.ts', import.meta.url)), {
    execArgv: ['--import', 'tsx'],
    env: { ...process.env, NODE_ENV: 'production', NODE_NAME: name, ...env },
  });
  const [message] = (await Promise.race([once(child, 'message'), ended(child, name)])) as [{ port: number }];
  return { name, url: `http://127.0.0.1:${message.port}`, child };
}

export async function end({ child }: Pick<Node, 'child'>, signal: NodeJS.Signals): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  const exited = once(child, 'exit');
  child.kill(signal);
  await exited;
}

export function hasRedisServer(): boolean {
  return spawnSync('redis-server', ['--version']).status === 0;
}

export interface RedisServer {
  readonly url: string;
  readonly client: Redis;
  readonly close: () => Promise<void>;
}

/** A Redis for this run only: at a port of its own, with nothing on disk. */
export async function startRedis(): Promise<RedisServer> {
  const [port, folder] = [await freePort(), mkdtempSync(join(tmpdir(), 'cluster-example-'))];
  const settings = { port: String(port), bind: '127.0.0.1', dir: folder, save: '', 'maxmemory-policy': 'noeviction' };
  const args = Object.entries(settings).flatMap(([name, value]) => [`--${name}`, value]);
  const child = spawn('redis-server', args, { stdio: 'ignore' });
  process.once('exit', () => child.kill()); // if the example fails half way
  const url = `redis://127.0.0.1:${port}`;
  const client = new Redis(url, { retryStrategy: () => 50, maxRetriesPerRequest: 200 });
  client.on('error', () => undefined);
  await Promise.race([client.ping(), ended(child, 'redis-server')]);
  const close = async (): Promise<void> => {
    client.disconnect();
    await end({ child }, 'SIGTERM');
    rmSync(folder, { recursive: true, force: true });
  };
  return { url, client, close };
}

async function ended(child: ChildProcess, name: string): Promise<never> {
  const [code] = (await once(child, 'exit')) as [number | null];
  throw new Error(`${name} did not start: it ended with ${code ?? 'a signal'}.`);
}

async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  server.close();
  await once(server, 'close');
  return port;
}
