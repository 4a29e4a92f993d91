import type { RoundWarning } from '../engine/outcome.js';
import { publish, type EventBase } from '../events.js';

const ADVICE: { readonly [Kind in RoundWarning['kind']]: string } = {
  swallowed_signal:
    'The handler caught what an open question threw, or did not await the question, and went on. ' +
    'Its result was not used. Await every question, let catch blocks rethrow what they do not know, ' +
    'and put side effects into ctx.step, which does not start while a question is open.',
  slow_unwind:
    'The handler was still running 10 s after a question opened. Keep finally blocks short, and pass ctx.signal to waits.',
  unconsumed_answer:
    'A person answered a question that the handler did not ask again. ' +
    'Keep times, random numbers and whatever else changes between rounds out of question texts and of what decides ' +
    'which question is asked, or fix them with ctx.step.',
  changed_question:
    'A question was answered, and the next execution asked another one in its place, so the person is asked again. ' +
    'If its text holds a time, a random number or a lookup that changes, fix that with ctx.step; ' +
    'if the change is what the person has to know, all is well.',
  nondeterminism:
    'checkDeterminism ran the handler twice on the same answers, and the two executions asked different questions. ' +
    'Fix what differs (a time, a random number, a lookup, the order of branches) with ctx.step.',
};

/** Publishes what the engine found odd about a round whose reply is right all the same. */
export function publishWarnings(about: EventBase, warnings: readonly RoundWarning[]): void {
  for (const { kind, questions } of warnings) {
    publish('mrtr:warning', () => ({ ...about, warning: kind, questions, advice: ADVICE[kind] }));
  }
}
