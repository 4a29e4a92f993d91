import { isObject, type JsonValue } from '../protocol/wire.js';
import { QUESTION_KINDS, type QuestionKind } from './question.js';
import type { StepResult, StepResults } from './steps.js';

/**
 * One question of a flow. `open` was asked and has no usable answer; `unread` came with an answer that the handler
 * has not reached since, so nothing has validated it; `answered` holds what was validated and recorded.
 */
export interface LedgerEntry {
  readonly key: string;
  readonly kind: QuestionKind;
  readonly fingerprint: string;
  /** Unusable answers so far. */
  readonly attempts: number;
  readonly status: 'open' | 'unread' | 'answered';
  /** The recorded answer, or the unread one; `null` while open. */
  readonly answer: JsonValue;
}

/** What a flow remembers from round to round. */
export interface Ledger {
  /** Its questions, in the order in which they were first opened. */
  readonly entries: readonly LedgerEntry[];
  /** The next number of an unkeyed question; a number that was used never comes again. */
  readonly nextOrdinal: number;
  readonly steps: StepResults;
}

/** An entry in another state. Member by member: an object that begins with a spread costs more. */
export function entryWith(
  { key, kind, fingerprint, attempts }: LedgerEntry,
  status: LedgerEntry['status'],
  answer: JsonValue,
): LedgerEntry {
  return { key, kind, fingerprint, attempts, status, answer };
}

export const EMPTY_LEDGER: Ledger = { entries: [], nextOrdinal: 1, steps: new Map() };

const STATUSES = ['open', 'unread', 'answered'] as const;

/** The ledger as compact JSON for sealing. */
export function packLedger({ nextOrdinal, entries, steps }: Ledger): JsonValue {
  const rows = entries.map((entry): JsonValue => {
    const { key, kind, fingerprint, attempts, status, answer } = entry;
    const kindIndex = QUESTION_KINDS.indexOf(kind);
    if (status === 'open') return [key, kindIndex, fingerprint, attempts];
    return [key, kindIndex, fingerprint, attempts, STATUSES.indexOf(status), answer];
  });
  if (steps.size === 0) return [nextOrdinal, rows];
  return [
    nextOrdinal,
    rows,
    Array.from(steps, ([name, results]): JsonValue => [name, ...results.map(([...one]) => one)]),
  ];
}

/** Reads a packed ledger; `undefined` for any other shape, as a foreign codec might deliver. */
export function unpackLedger(packed: unknown): Ledger | undefined {
  if (!Array.isArray(packed) || packed.length < 2 || packed.length > 3) return undefined;
  const [nextOrdinal, rows, stepRows = []] = packed as unknown[];
  if (!isCount(nextOrdinal) || nextOrdinal === 0 || !Array.isArray(rows)) return undefined;
  const steps = unpackSteps(stepRows);
  if (steps === undefined) return undefined;
  const entries: LedgerEntry[] = [];
  for (const row of rows as unknown[]) {
    const entry = unpackEntry(row);
    if (entry === undefined) return undefined;
    entries.push(entry);
  }
  return { entries, nextOrdinal, steps };
}

function unpackSteps(rows: unknown): StepResults | undefined {
  if (!Array.isArray(rows)) return undefined;
  const steps = new Map<string, readonly StepResult[]>();
  for (const row of rows as unknown[]) {
    const [name, ...results] = Array.isArray(row) ? (row as unknown[]) : [];
    if (typeof name !== 'string' || !results.every(isStepResult)) return undefined;
    steps.set(name, results);
  }
  return steps;
}

function isStepResult(value: unknown): value is StepResult {
  return Array.isArray(value) && value.length <= 1;
}

function unpackEntry(row: unknown): LedgerEntry | undefined {
  if (!Array.isArray(row)) return undefined;
  const [key, kindIndex, fingerprint, attempts, statusIndex, answer] = row as unknown[];
  if (typeof key !== 'string' || typeof fingerprint !== 'string' || !isCount(attempts)) return undefined;
  const kind = isCount(kindIndex) ? QUESTION_KINDS[kindIndex] : undefined;
  if (kind === undefined) return undefined;
  if (statusIndex === undefined) return { key, kind, fingerprint, attempts, status: 'open', answer: null };
  const status = isCount(statusIndex) ? STATUSES[statusIndex] : undefined;
  if (status === undefined || status === 'open' || (typeof answer !== 'string' && !isObject(answer))) return undefined;
  return { key, kind, fingerprint, attempts, status, answer: answer as JsonValue };
}

function isCount(value: unknown): value is number {
  return Number.isSafeInteger(value) && (value as number) >= 0;
}
