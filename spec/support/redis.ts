import { spawn, spawnSync, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { connect, createServer, type AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

const START_MS = 10_000;

/** Whether `redis-server` is installed here. */
export function redisAvailable(): boolean {
  return spawnSync('redis-server', ['--version']).status === 0;
}

/** `describe` for what needs a Redis: skipped aloud where there is none, a failure where everything has to run (`CI=true`). */
export function describeWithRedis(title: string, body: () => void): void {
  if (redisAvailable()) return describe(title, body);
  if (process.env['CI'] === 'true') {
    return describe(title, () => {
      it('has a Redis to run on', () => {
        throw new Error('redis-server is not installed, and CI=true lets nothing be skipped: install it.');
      });
    });
  }
  process.stdout.write(`skipped: redis-server is not installed (${title})\n`);
  describe.skip(title, body);
}

/** A Redis of one's own, without persistence, that can be made to fail. */
export class RedisServer {
  readonly port: number;
  readonly #folder = mkdtempSync(join(tmpdir(), 'express-mrtr-redis-'));
  readonly #killAtExit = (): void => void this.#child?.kill('SIGKILL');
  #child: ChildProcess | undefined;

  private constructor(port: number) {
    this.port = port;
    process.on('exit', this.#killAtExit);
  }

  static async start(): Promise<RedisServer> {
    const server = new RedisServer(await freePort());
    await server.restart();
    return server;
  }

  get pid(): number | undefined {
    return this.#child?.pid;
  }

  get url(): string {
    return `redis://127.0.0.1:${this.port}`;
  }

  /** Stops it in the middle of whatever it does: connections stay open and nothing is answered. */
  pause(): void {
    this.#child?.kill('SIGSTOP');
  }

  resume(): void {
    this.#child?.kill('SIGCONT');
  }

  /** Ends it at once, paused or not. Its data is gone. */
  async kill(): Promise<void> {
    const child = this.#child;
    this.#child = undefined;
    if (child === undefined || child.exitCode !== null || child.signalCode !== null) return;
    const exited = once(child, 'exit');
    child.kill('SIGKILL');
    await exited;
  }

  /** Starts it anew, empty, at the same port; resolves when it answers. */
  async restart(): Promise<void> {
    await this.kill();
    const place = ['--port', String(this.port), '--bind', '127.0.0.1', '--dir', this.#folder];
    const child = spawn('redis-server', [...place, '--save', '', '--appendonly', 'no'], { stdio: 'ignore' });
    this.#child = child;
    const deadline = Date.now() + START_MS;
    while (!(await this.#answers())) {
      if (child.exitCode !== null || Date.now() > deadline) {
        await this.stop();
        throw new Error(`redis-server did not start at port ${this.port} (exit code ${String(child.exitCode)}).`);
      }
      await new Promise((resolve) => setTimeout(resolve, 20));
    }
  }

  /** Ends it and removes what it leaves behind. */
  async stop(): Promise<void> {
    process.off('exit', this.#killAtExit);
    await this.kill();
    rmSync(this.#folder, { recursive: true, force: true });
  }

  #answers(): Promise<boolean> {
    return new Promise((resolve) => {
      const socket = connect(this.port, '127.0.0.1', () => socket.write('PING\r\n'));
      const end = (answers: boolean): void => {
        socket.destroy();
        resolve(answers);
      };
      socket.setTimeout(1000, () => end(false));
      socket.once('error', () => end(false));
      socket.once('close', () => end(false));
      socket.once('data', (data) => end(data.toString().startsWith('+PONG')));
    });
  }
}

async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  server.close();
  await once(server, 'close');
  return port;
}
