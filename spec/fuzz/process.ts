import { fork, type ChildProcess } from 'node:child_process';
import { resolve } from 'node:path';
import type { Order, Report, Transfer } from './app.js';

const REPORT_MS = 20_000;

export type Measurement = Extract<Report, { kind: 'measured' }>;

/** The app under test in its process: orders go out, reports come back, and whatever it says otherwise is kept. */
export class AppProcess {
  readonly #child: ChildProcess;
  readonly #waiting = new Map<Report['kind'], (report: Report | Error) => void>();
  #noise = '';
  #exit: string | undefined;

  constructor() {
    this.#child = fork(resolve('spec/fuzz/app.ts'), {
      execArgv: ['--expose-gc', '--import', 'tsx'],
      env: { ...process.env, NODE_ENV: 'production', NODE_OPTIONS: '' },
      stdio: ['ignore', 'pipe', 'pipe', 'ipc'],
    });
    const listen = (chunk: Buffer): void => void (this.#noise += chunk.toString());
    this.#child.stdout?.on('data', listen);
    this.#child.stderr?.on('data', listen);
    this.#child.on('message', (report: Report) => {
      this.#waiting.get(report.kind)?.(report);
      this.#waiting.delete(report.kind);
    });
    this.#child.on('exit', (code, signal) => {
      this.#exit = `the app ended with ${signal ?? `exit code ${String(code)}`}`;
      for (const answer of this.#waiting.values()) answer(new Error(this.trouble));
    });
  }

  /** What went wrong with the process so far: it may neither end nor print. */
  get trouble(): string | undefined {
    const noise = this.#noise === '' ? undefined : `the app printed ${JSON.stringify(this.#noise.slice(0, 600))}`;
    return [this.#exit, noise].filter((text) => text !== undefined).join('; ') || undefined;
  }

  async ports(): Promise<readonly number[]> {
    return (await this.#report('ready')).ports;
  }

  /** What handlers did since the last time. */
  async transfers(): Promise<readonly Transfer[]> {
    return (await this.#ask('transfers', 'transfers')).transfers;
  }

  /** The heap after a collection, and what keeps the process alive. */
  async measure(): Promise<Measurement> {
    return this.#ask('measure', 'measured');
  }

  stop(): void {
    this.#child.removeAllListeners('exit');
    this.#child.kill();
  }

  #ask<Kind extends Report['kind']>(order: Order, kind: Kind): Promise<Extract<Report, { kind: Kind }>> {
    const report = this.#report(kind);
    this.#child.send(order);
    return report;
  }

  #report<Kind extends Report['kind']>(kind: Kind): Promise<Extract<Report, { kind: Kind }>> {
    return new Promise((resolve, reject) => {
      const answer = (report: Report | Error): void => {
        clearTimeout(late);
        if (report instanceof Error) reject(report);
        else resolve(report as Extract<Report, { kind: Kind }>);
      };
      const late = setTimeout(() => answer(new Error(`the app did not report "${kind}"`)), REPORT_MS);
      this.#waiting.set(kind, answer);
    });
  }
}
