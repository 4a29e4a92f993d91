import { randomInt } from 'node:crypto';
import { mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { AppProcess, type Measurement } from './process.js';
import { Session, type Finding } from './session.js';

/**
 * A bounded fuzz run: mutated bodies, headers, states and answers against the real HTTP app on 127.0.0.1.
 *
 *     tsx spec/fuzz/main.ts            60 s from a random seed, which is printed
 *     FUZZ_SECONDS, FUZZ_SEED          how long, from which seed
 *     FUZZ_INDEX                       only this input of the seed
 */

const CONCURRENCY = 8;
const WARM_UP = 0.2;
const HEAP_BOUND = 8 * 1024 * 1024;
const SETTLE_MS = 5000;

main().catch((error: unknown) => {
  say(`FINDING: the run broke off: ${error instanceof Error ? (error.stack ?? error.message) : String(error)}`);
  process.exitCode = 1;
});

async function main(): Promise<void> {
  const seconds = numberOf('FUZZ_SECONDS', 60);
  const seed = numberOf('FUZZ_SEED', randomInt(2 ** 31));
  const only = process.env['FUZZ_INDEX'];
  say(`seed ${seed}, ${seconds} s, ${CONCURRENCY} at a time`);
  const app = new AppProcess();
  try {
    const session = new Session(app, seed, await app.ports());
    say(`corpus of ${await session.prepare()} requests`);
    const leaks = only === undefined ? await fuzz(app, session, seconds) : await one(session, Number(only));
    for (const [outcome, count] of [...session.counts].sort(([, a], [, b]) => b - a))
      say(`${String(count).padStart(8)}  ${outcome}`);
    const { made, entitled } = session.transferred;
    say(`${made} transfers for ${entitled} requests that were entitled to one`);
    if (app.trouble !== undefined) leaks.push(app.trouble);
    const findings = [
      ...session.findings,
      ...leaks.map((problem) => ({ problem, input: undefined, exchange: undefined })),
    ];
    if (only === undefined && made === 0)
      findings.push({ problem: 'no flow was completed', input: undefined, exchange: undefined });
    findings.forEach((finding) => show(finding, seed));
    say(findings.length === 0 ? 'no findings' : `${findings.length} findings`);
    process.exitCode = findings.length === 0 ? 0 : 1;
  } finally {
    app.stop();
  }
}

/** Runs inputs until the time is up; what the app holds on to afterwards is a finding. */
async function fuzz(app: AppProcess, session: Session, seconds: number): Promise<string[]> {
  const idle = await app.measure();
  const started = Date.now();
  let index = 0;
  const runUntil = async (end: number): Promise<void> => {
    while (Date.now() < end && !session.isBroken()) {
      const batch = Date.now() + 500;
      const worker = async (): Promise<void> => {
        while (Date.now() < Math.min(batch, end) && !session.isBroken()) await session.run(index++);
      };
      await Promise.all(Array.from({ length: CONCURRENCY }, worker));
      if (!session.isBroken()) await session.settle();
    }
  };
  await runUntil(started + seconds * 1000 * WARM_UP);
  if (session.isBroken()) return [];
  const before = await quiet(app, idle);
  await runUntil(started + seconds * 1000);
  if (session.isBroken()) return [];
  const after = await quiet(app, idle);
  const tried = [...session.counts.values()].reduce((sum, count) => sum + count, 0);
  say(`${tried} inputs in ${Math.round((Date.now() - started) / 1000)} s`);
  return leaksOf(idle, before, after);
}

async function one(session: Session, index: number): Promise<string[]> {
  await session.run(index);
  await session.settle();
  return [];
}

/** Measures once the sockets and timers of the last inputs are gone, or when they should be. */
async function quiet(app: AppProcess, idle: Measurement): Promise<Measurement> {
  const end = Date.now() + SETTLE_MS;
  for (;;) {
    const measured = await app.measure();
    if (surplusOf(idle, measured).length === 0 || Date.now() > end) return measured;
    await new Promise((resolve) => setTimeout(resolve, 100));
  }
}

function surplusOf(idle: Measurement, now: Measurement): string[] {
  return Object.entries(now.resources)
    .filter(([name, count]) => count > (idle.resources[name] ?? 0))
    .map(([name, count]) => `${count} active ${name}, ${idle.resources[name] ?? 0} when idle`);
}

function leaksOf(idle: Measurement, before: Measurement, after: Measurement): string[] {
  const growth = after.heap - before.heap;
  say(`heap ${megabytes(before.heap)} MB after warm-up, ${megabytes(after.heap)} MB at the end`);
  const leaks = surplusOf(idle, after);
  return growth <= HEAP_BOUND ? leaks : [...leaks, `the heap grew by ${megabytes(growth)} MB`];
}

/** Prints a finding, with what it takes to see it again. */
function show({ problem, input, exchange }: Finding, seed: number): void {
  say(`FINDING: ${problem}`);
  if (input === undefined) return;
  const file = join(mkdtempSync(join(tmpdir(), 'fuzz-')), 'request.http');
  writeFileSync(file, input.raw);
  const express = ['Express 5', 'Express 4'][input.express] ?? '';
  say(`  ${input.name} on ${express}: ${input.mutations.join('; ') || 'not mutated'}`);
  say(`  again with FUZZ_SEED=${seed} FUZZ_INDEX=${input.index % 2 ** 31}; the request is in ${file}`);
  if (exchange !== undefined) say(`  ${JSON.stringify(exchange).slice(0, 1500)}`);
}

function numberOf(name: string, otherwise: number): number {
  const text = process.env[name];
  if (text === undefined || text === '') return otherwise;
  const value = Number(text);
  if (Number.isFinite(value) && value >= 0) return value;
  throw new RangeError(`${name} must be a number; got ${JSON.stringify(text)}`);
}

function megabytes(bytes: number): string {
  return (bytes / 1024 / 1024).toFixed(1);
}

function say(text: string): void {
  process.stdout.write(`${text}\n`);
}
