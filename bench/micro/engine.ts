import type { Ledger } from '../../lib/engine/ledger.js';
import { built } from '../built.js';
import type { Row } from '../table.js';
import { CONTENT, interview, ledgerOf, roundRunner } from './fixtures.js';
import { measure, repeatAsync } from './measure.js';

const ANSWERS = [1, 2, 4, 8, 16, 32, 64] as const;

/** One execution of a handler whose questions are all answered, beside that of one that asks nothing. */
export async function benchEngine(): Promise<readonly Row[]> {
  const run = await roundRunner();
  const cases = await Promise.all(
    [0, ...ANSWERS].map(async (answered) => {
      const ledger = answeredOnly(await ledgerOf(answered));
      const handler = await interview(answered);
      const outcome = await run(ledger, handler);
      if (outcome.kind !== 'complete') throw new Error(`A round with ${answered} answers ended ${outcome.kind}.`);
      return [String(answered), repeatAsync(() => run(ledger, handler))] as const;
    }),
  );
  const figures = await measure(Object.fromEntries(cases));
  const nothing = figures['0']?.median ?? 0;
  return ANSWERS.map((answers) => {
    const { median = 0, min = 0, max = 0 } = figures[answers] ?? {};
    return {
      answered: answers,
      'µs a round': median,
      min,
      max,
      'µs an answer': median / answers,
      'µs an answer beyond an empty round': (median - nothing) / answers,
      target: '<= 4 an answer, linear',
    };
  });
}

/** Bytes of plaintext that a ledger holds for an answered question beside the answer itself. */
export async function benchLedger(): Promise<readonly Row[]> {
  const { packLedger } = await built('engine/ledger');
  const bytes = (ledger: Ledger): number => Buffer.byteLength(JSON.stringify(packLedger(ledger)));
  const answer = Buffer.byteLength(JSON.stringify(CONTENT));
  const empty = bytes(answeredOnly(await ledgerOf(0)));
  const rows: Row[] = [];
  for (const answered of ANSWERS) {
    const total = bytes(answeredOnly(await ledgerOf(answered)));
    const beyond = (total - empty) / answered - answer;
    rows.push({ answered, ledgerBytes: total, answerBytes: answer, 'beyond the answer': beyond, target: '<= 60' });
  }
  return rows;
}

function answeredOnly({ entries, nextOrdinal }: Ledger): Ledger {
  return { nextOrdinal, steps: new Map(), entries: entries.filter(({ status }) => status === 'answered') };
}
