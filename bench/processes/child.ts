import { fork, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { COMPILED } from '../build.js';
import type { Answer, Request } from './messages.js';

const STOP_MS = 2000;
const living = new Set<ChildProcess>();

/** Ends every child with this process, whichever way it goes. */
export function endChildrenAtExit(): void {
  process.on('exit', () => {
    for (const child of living) child.kill('SIGKILL');
  });
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.once(signal, () => process.exit(1));
}

interface Waiting {
  readonly resolve: (value: unknown) => void;
  readonly reject: (error: Error) => void;
}

/** A process of the bench that answers requests. */
export class Child {
  readonly #name: string;
  readonly #process: ChildProcess;
  readonly #waiting = new Map<number, Waiting>();
  #lastId = 0;

  /** @param module - path in `bench/`, without its ending */
  constructor(module: string, execArgv: readonly string[] = []) {
    this.#name = module;
    this.#process = fork(join(COMPILED, `${module}.js`), {
      execArgv: [...execArgv],
      env: { ...process.env, NODE_ENV: 'production', NODE_OPTIONS: '' },
    });
    living.add(this.#process);
    this.#process.on('message', (answer: Answer) => this.#settle(answer));
    this.#process.on('error', (error) => this.#fail(error.message));
    this.#process.once('exit', (code, signal) => {
      living.delete(this.#process);
      this.#fail(`it ended (${signal ?? code})`);
    });
  }

  /** Asks for one operation, and gives up after a time. */
  async request<T>(operation: string, input: unknown, timeoutSeconds: number): Promise<T> {
    const id = ++this.#lastId;
    const answer = new Promise<unknown>((resolve, reject) => {
      this.#waiting.set(id, { resolve, reject });
      this.#process.send({ id, operation, input } satisfies Request, (error) => error && reject(error));
    });
    const timer = setTimeout(
      () => this.#fail(`${operation} took more than ${timeoutSeconds} s`),
      timeoutSeconds * 1000,
    );
    try {
      return (await answer) as T;
    } finally {
      clearTimeout(timer);
      this.#waiting.delete(id);
    }
  }

  async stop(): Promise<void> {
    if (!living.has(this.#process)) return;
    const exited = once(this.#process, 'exit');
    const timer = setTimeout(() => this.#process.kill('SIGKILL'), STOP_MS);
    this.#process.kill('SIGTERM');
    await exited;
    clearTimeout(timer);
  }

  #settle(answer: Answer): void {
    const waiting = this.#waiting.get(answer.id);
    if (answer.ok) waiting?.resolve(answer.value);
    else waiting?.reject(new Error(`${this.#name}: ${answer.error}`));
  }

  #fail(why: string): void {
    for (const { reject } of this.#waiting.values()) reject(new Error(`${this.#name}: ${why}.`));
  }
}
