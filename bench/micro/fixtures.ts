import type { Asking } from '../../lib/engine/context.js';
import type { Ledger } from '../../lib/engine/ledger.js';
import type { RoundInput, RoundOutcome } from '../../lib/engine/outcome.js';
import { built } from '../built.js';

/** The content of every answer in a ledger. */
export const CONTENT = { name: 'Ann Example' };

/** Runs one round of the engine, without HTTP and cipher. */
export type RunRound = (ledger: Ledger, handler: (ctx: Asking) => unknown) => Promise<RoundOutcome>;

export async function roundRunner(answer: RoundInput['answer'] = () => undefined): Promise<RunRound> {
  const { Round } = await built('engine/engine');
  const { asking } = await built('engine/context');
  const { systemTimers } = await built('engine/timers');
  const input: Omit<RoundInput, 'ledger'> = {
    answer,
    fresh: false,
    upFront: true,
    capabilities: { elicitation: {} },
    onLedgerMismatch: 'reask',
    maxAttempts: 5,
    handlerTimeoutMs: 0,
    timers: systemTimers,
    gone: () => false,
  };
  return (ledger, handler) => {
    const round = new Round({ ...input, ledger });
    const ctx = asking(round);
    return round.run(() => handler(ctx));
  };
}

/** A handler that asks so many questions, one after the other. */
export async function interview(questions: number): Promise<(ctx: Asking) => Promise<string>> {
  const { field, form } = await built('index');
  const name = form({ name: field.string({ maxLength: 100 }) });
  return async (ctx) => {
    for (let question = 1; question <= questions; question += 1) {
      const answer = await ctx.elicit({ message: `What is the name of guest ${question}?`, form: name });
      if (answer.action !== 'accept') return answer.action;
    }
    return 'done';
  };
}

/** The ledger of a flow in which so many questions were answered and one more is open. */
export async function ledgerOf(answered: number): Promise<Ledger> {
  const { EMPTY_LEDGER } = await built('engine/ledger');
  const run = await roundRunner(() => ({ action: 'accept', content: { ...CONTENT } }));
  const handler = await interview(answered + 1);
  let ledger = EMPTY_LEDGER;
  for (let round = 0; round <= answered; round += 1) {
    const outcome = await run(ledger, handler);
    if (outcome.kind !== 'input_required') throw new Error(`Round ${round} ended ${outcome.kind}.`);
    ({ ledger } = outcome);
  }
  return ledger;
}

/** The state of a flow with one open question, or one whose answer is so many bytes long. */
export async function flowState(answerBytes: number): Promise<Record<string, unknown>> {
  const { packState } = await built('hosts/state');
  const { entries, nextOrdinal } = await ledgerOf(0);
  const [open] = entries;
  if (open === undefined) throw new Error('There is no open question.');
  const answered = { ...open, key: 'elicit-0', status: 'answered' as const, answer: { name: 'x'.repeat(answerBytes) } };
  return packState({
    flowId: 'x'.repeat(22),
    secret: 'y'.repeat(22),
    rounds: 0,
    startedAt: 1_800_000_000_000,
    issuedAt: 1_800_000_000_000,
    tokenId: 'z'.repeat(22),
    params: '{"arguments":{"orderId":"A-10001"},"name":"refund"}',
    ledger: { nextOrdinal, steps: new Map(), entries: answerBytes === 0 ? [open] : [answered, open] },
  });
}
