import type { Shots } from './load/shoot.js';
import { Child } from './processes/child.js';
import { say, type Report } from './report.js';
import type { Listening, Start } from './servers/main.js';

const WARM_UP = 20_000;
const ABANDONED = 100_000;
const MEBIBYTE = 1024 * 1024;
const START_SECONDS = 30;
const LOAD_SECONDS = 240;

/** Whether flows that nobody finishes leave anything behind. */
export async function benchMemory(report: Report): Promise<void> {
  const server = new Child('servers/main', ['--expose-gc']);
  const load = new Child('load/main');
  try {
    const start: Start = { server: 'express-mrtr', front: 'nothing' };
    const listening = await server.request<Listening>('start', start, START_SECONDS);
    const abandon = async (amount: number): Promise<number> => {
      const shots = await load.request<Shots>('abandon', { ...listening, amount }, LOAD_SECONDS);
      if (shots.problems.length > 0) throw new Error(`First rounds failed: ${shots.problems.join('; ')}.`);
      if (shots.firsts !== amount) throw new Error(`${shots.firsts} of ${amount} first rounds were answered.`);
      return server.request<number>('heap', undefined, START_SECONDS);
    };
    say(`memory: ${WARM_UP} first rounds to warm up, then ${ABANDONED}`);
    const before = await abandon(WARM_UP);
    const after = await abandon(ABANDONED);
    report.table('memory', 'heap after abandoned first rounds', [
      {
        abandoned: ABANDONED,
        beforeMiB: before / MEBIBYTE,
        afterMiB: after / MEBIBYTE,
        growthMiB: (after - before) / MEBIBYTE,
        bytesEach: (after - before) / ABANDONED,
        target: '<= 2 MB',
      },
    ]);
  } finally {
    await Promise.all([server.stop(), load.stop()]);
  }
}
