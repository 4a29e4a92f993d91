import type { RoundWarning } from '../engine/outcome.js';
import { publish, type EventBase } from '../events.js';

const ADVICE: { readonly [Kind in RoundWarning['kind']]: string } = {
  swallowed_signal:
    'The handler caught what an open question threw, or did not await the question, and went on. ' +
    'Its result was not used. Await every question, and let catch blocks rethrow what they do not know.',
  slow_unwind:
    'The handler was still running 10 s after a question opened. Keep finally blocks short, and pass ctx.signal to waits.',
  unconsumed_answer:
    'A person answered a question that the handler did not ask again. ' +
    'Keep times, random numbers and whatever else changes between rounds out of question texts.',
};

/** Publishes what the engine found odd about a round whose reply is right all the same. */
export function publishWarnings(about: EventBase, warnings: readonly RoundWarning[]): void {
  for (const { kind, questions } of warnings) {
    publish('mrtr:warning', () => ({ ...about, warning: kind, questions, advice: ADVICE[kind] }));
  }
}
