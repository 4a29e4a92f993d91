import assert from 'node:assert/strict';
import { isObject, type InputRequest } from '../protocol/wire.js';
import type { Answer, Answers, ScriptedAnswer } from './answers.js';

export interface ScriptOptions {
  /** The answers of this call: each of them has to be used. */
  readonly answers: Answers | undefined;
  /** The answers of the client, for keys that the call does not answer itself. */
  readonly shared: Answers | undefined;
  readonly allowUnused: boolean;
}

const HELPERS = 'accept({ … }), decline(), cancel() or leave()';

/** The scripted answers of one flow, and which of them were used. */
export class Script {
  readonly #options: ScriptOptions;
  readonly #askings = new Map<string, number>();

  constructor(options: ScriptOptions) {
    this.#options = options;
  }

  /** The answer to a question. Rejects with an `AssertionError` when the script has none. */
  async answer(key: string, request: InputRequest, round: number): Promise<Answer> {
    const asking = (this.#askings.get(key) ?? 0) + 1;
    this.#askings.set(key, asking);
    const { answers, shared } = this.#options;
    const question = `the question ${JSON.stringify(key)} of round ${round} (${described(request)})`;
    const source = [answers, shared].find((each) => typeof each === 'function' || has(each, key));
    if (typeof source === 'function') return checked(await source(key, request, round), question);
    const scripted = source?.[key];
    if (scripted === undefined) assert.fail(`The script has no answer to ${question}. ${this.#hint(key)}`);
    if (typeof scripted === 'function') return checked(await scripted(request, { key, round }), question);
    if (!isList(scripted)) return checked(scripted, question);
    const answer = scripted[asking - 1];
    if (answer === undefined) {
      assert.fail(
        `The script has ${plural(scripted.length, 'answer')} to ${JSON.stringify(key)}, and ${question} is its asking number ${asking}. Add one: ${HELPERS}.`,
      );
    }
    return checked(answer, question);
  }

  /** Throws an `AssertionError` when an answer of the call was not asked for; `ending` says how the call ended. */
  assertUsed(ending: string): void {
    const { answers = {}, allowUnused } = this.#options;
    if (allowUnused || typeof answers === 'function') return;
    for (const [key, scripted] of Object.entries(answers)) {
      const askings = this.#askings.get(key) ?? 0;
      const left = isList(scripted) ? scripted.length - askings : 1 - askings;
      if (left <= 0) continue;
      const unused = askings === 0 ? 'was never asked' : `was asked ${plural(askings, 'time')}`;
      assert.fail(
        `${JSON.stringify(key)} ${unused}, so that ${plural(left, 'answer')} of the script went unused: ${this.#asked()}, and ${ending}. Correct the key, take the answer out, or say allowUnused: true.`,
      );
    }
  }

  #asked(): string {
    const keys = [...this.#askings.keys()];
    return keys.length === 0 ? 'the call asked nothing' : `the call asked ${quoted(keys)}`;
  }

  #hint(key: string): string {
    const keys = [this.#options.answers, this.#options.shared].flatMap((each) => Object.keys(each ?? {}));
    const known = keys.length === 0 ? 'It answers nothing.' : `It answers ${quoted([...new Set(keys)])}.`;
    return `${known} Add answers: { ${JSON.stringify(key)}: … } with ${HELPERS}.`;
  }
}

/** What a question asks, for a message. */
export function described({ method, params }: InputRequest): string {
  return params !== undefined && 'message' in params ? JSON.stringify(params.message) : method;
}

/** Keys as a message lists them. */
export function quoted(keys: readonly string[]): string {
  return keys.map((key) => JSON.stringify(key)).join(', ');
}

function has(answers: Answers | undefined, key: string): boolean {
  return answers !== undefined && Object.hasOwn(answers, key);
}

function isList(scripted: ScriptedAnswer): scripted is readonly Answer[] {
  return Array.isArray(scripted);
}

function checked(answer: unknown, question: string): Answer {
  if (isObject(answer)) return answer;
  assert.fail(`The script answers ${question} with ${shown(answer)}: return ${HELPERS}.`);
}

function shown(value: unknown): string {
  return value === undefined || typeof value === 'bigint' ? String(value) : JSON.stringify(value);
}

function plural(count: number, noun: string): string {
  return `${count} ${noun}${count === 1 ? '' : 's'}`;
}
