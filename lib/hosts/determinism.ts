import type { QuestionName, RoundOutcome } from '../engine/outcome.js';

type InputRequired = Extract<RoundOutcome, { kind: 'input_required' }>;

/** The first outcome of a round that was run twice, with a warning if the second asked something else. */
export function checkedOutcome(first: InputRequired, second: RoundOutcome): InputRequired {
  const asked = askedIn(first);
  const askedAgain = second.kind === 'input_required' ? askedIn(second) : [];
  const questions = [...without(askedAgain, asked), ...without(asked, askedAgain)];
  if (questions.length === 0) return first;
  return { ...first, warnings: [...first.warnings, { kind: 'nondeterminism', questions }] };
}

function askedIn({ ledger, requests }: InputRequired): QuestionName[] {
  return ledger.entries
    .filter(({ key }) => requests.has(key))
    .map(({ key, kind, fingerprint }) => ({ key, kind, fingerprint }));
}

function without(questions: readonly QuestionName[], others: readonly QuestionName[]): QuestionName[] {
  return questions.filter(
    ({ key, fingerprint }) => !others.some((other) => other.key === key && other.fingerprint === fingerprint),
  );
}
