import { field, form } from '../../lib/elicitation/form.js';
import type { QuestionOptions } from '../../lib/engine/ask.js';
import { asking, type Asking } from '../../lib/engine/context.js';
import { Round } from '../../lib/engine/engine.js';
import { stepping, type Stepping } from '../../lib/engine/stepping.js';
import { EMPTY_LEDGER, packLedger, unpackLedger, type Ledger } from '../../lib/engine/ledger.js';
import type { RoundInput, RoundOutcome } from '../../lib/engine/outcome.js';
import type { Timers } from '../../lib/engine/timers.js';
import { codeOf } from '../../lib/errors.js';
import type { StandardSchema } from '../../lib/protocol/standard.js';
import type { JsonObject } from '../../lib/protocol/wire.js';

export type Ctx = Asking & Stepping;
export type Handler = (ctx: Ctx) => unknown;
export type Answers = Readonly<Record<string, unknown>>;

export const EVERYTHING = {
  elicitation: { form: {}, url: {} },
  sampling: { tools: {}, context: {} },
  roots: {},
} as const;

export const NAME = form({ name: field.string() });
export const CONFIRM = form({ confirm: field.boolean() });

export const accept = (content: JsonObject): JsonObject => ({ action: 'accept', content });
export const named = (name: string): JsonObject => accept({ name });
export const YES = accept({ confirm: true });

/** Asks for a name; the name, or the refusal. */
export async function nameOf(ctx: Asking, message: string, options: QuestionOptions = {}): Promise<string> {
  const answer = await ctx.elicit({ message, form: NAME, ...options });
  return answer.action === 'accept' ? answer.content.name : answer.action;
}

/** Turns of the real event loop; what waits for milliseconds waits until a test lets them pass. */
export class FakeTimers implements Timers {
  readonly pending: { readonly ms: number; readonly task: () => void }[] = [];

  endOfTurn(task: () => void): void {
    setImmediate(task);
  }

  after(ms: number, task: () => void): () => void {
    const timer = { ms, task };
    this.pending.push(timer);
    return () => {
      const place = this.pending.indexOf(timer);
      if (place !== -1) this.pending.splice(place, 1);
    };
  }

  /** Lets all timers of this length run out. */
  fire(ms: number): void {
    const due = this.pending.filter((timer) => timer.ms === ms);
    if (due.length === 0) throw new Error(`no timer of ${ms} ms; there are ${JSON.stringify(this.pending)}`);
    for (const timer of due) {
      this.pending.splice(this.pending.indexOf(timer), 1);
      timer.task();
    }
  }
}

/** A promise that a test settles when it likes. */
export function gate<T = void>(): { readonly promise: Promise<T>; readonly open: (value: T) => void } {
  let open: (value: T) => void = () => undefined;
  const promise = new Promise<T>((resolve) => {
    open = resolve;
  });
  return { promise, open };
}

/** A schema of one text, `name`, with a validator of its own. */
export function schemaWith(
  validate: StandardSchema<unknown, { name: string }>['~standard']['validate'],
): StandardSchema<unknown, { name: string }> {
  const json = () => ({ type: 'object', properties: { name: { type: 'string' } }, required: ['name'] });
  return { '~standard': { version: 1, vendor: 'spec', validate, jsonSchema: { input: json, output: json } } };
}

/** As many turns of the event loop as settle whatever needs no timer. */
export async function turns(count = 5): Promise<void> {
  for (let turn = 0; turn < count; turn++) await new Promise((resolve) => setImmediate(resolve));
}

/** As many microtasks, within one turn. */
export async function ticks(count: number): Promise<void> {
  for (let tick = 0; tick < count; tick++) await Promise.resolve();
}

type Outcome<K extends RoundOutcome['kind']> = Extract<RoundOutcome, { kind: K }>;

function expectKind<K extends RoundOutcome['kind']>(outcome: RoundOutcome, kind: K): Outcome<K> {
  if (outcome.kind !== kind) {
    const why = outcome.kind === 'failed' ? `: ${String(outcome.error)}` : '';
    throw new Error(`the round ended ${outcome.kind}, not ${kind}${why}`);
  }
  return outcome as Outcome<K>;
}

/** One flow, as a client and a server live through it: the ledger travels as text from round to round. */
export class Flow {
  readonly timers = new FakeTimers();
  ledger: Ledger = EMPTY_LEDGER;
  #sealed: string | undefined;

  constructor(
    public handler: Handler,
    public options: Partial<RoundInput> = {},
  ) {}

  /** A request whose JSON holds these answers, with the state of the last question. A lost reply brings no new state. */
  async round(answers: Answers | string = {}, reply: 'received' | 'lost' = 'received'): Promise<RoundOutcome> {
    const given = JSON.parse(typeof answers === 'string' ? answers : JSON.stringify(answers)) as JsonObject;
    const ledger = this.#sealed === undefined ? EMPTY_LEDGER : unpackLedger(JSON.parse(this.#sealed));
    if (ledger === undefined) throw new Error(`not a ledger: ${this.#sealed}`);
    const round = new Round({
      ledger,
      answer: (key) => (Object.hasOwn(given, key) ? (given[key] as JsonObject) : undefined),
      fresh: this.#sealed === undefined,
      upFront: true,
      capabilities: EVERYTHING,
      onLedgerMismatch: 'reask',
      maxAttempts: 5,
      handlerTimeoutMs: 0,
      timers: this.timers,
      gone: () => false,
      ...this.options,
    });
    const ctx = { ...asking(round), ...stepping(round, 'secret') };
    const outcome = await round.run(() => this.handler(ctx));
    if (this.timers.pending.length > 0) throw new Error('the round left a timer behind');
    if (outcome.kind === 'input_required' && reply === 'received') {
      this.ledger = outcome.ledger;
      this.#sealed = JSON.stringify(packLedger(outcome.ledger));
    }
    return outcome;
  }

  /** A round that must ask; the questions' texts by their keys. */
  async asks(answers?: Answers | string): Promise<Record<string, string>> {
    return textsOf(expectKind(await this.round(answers), 'input_required'));
  }

  /** A round that must complete; its result. */
  async completes(answers?: Answers | string): Promise<unknown> {
    return expectKind(await this.round(answers), 'complete').result;
  }

  /** A round that must fail; the error's code and message. */
  async fails(answers?: Answers | string): Promise<{ code: string; message: string }> {
    const { code, error } = expectKind(await this.round(answers), 'failed');
    return { code, message: error instanceof Error ? error.message : String(error) };
  }
}

/** What a round asks: by key the message, or the method where there is none. */
export function textsOf(outcome: RoundOutcome): Record<string, string> {
  const requests = [...expectKind(outcome, 'input_required').requests];
  return Object.fromEntries(
    requests.map(([key, request]) => [
      key,
      request.method === 'elicitation/create' ? request.params.message : request.method,
    ]),
  );
}

/** The kinds of a round's warnings, with the keys that each names. */
export function warningsOf(outcome: RoundOutcome): [kind: string, ...keys: string[]][] {
  if (outcome.kind === 'failed') throw new Error(`the round failed: ${String(outcome.error)}`);
  return outcome.warnings.map(({ kind, questions }) => [kind, ...questions.map(({ key }) => key)]);
}

/** Code and message of what a promise rejects with. */
export async function refusal(promise: Promise<unknown>): Promise<{ code: string | undefined; message: string }> {
  try {
    await promise;
  } catch (error) {
    return { code: codeOf(error), message: error instanceof Error ? error.message : String(error) };
  }
  throw new Error('it did not reject');
}
