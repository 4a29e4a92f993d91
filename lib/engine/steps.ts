import { MrtrError, MrtrTypeError } from '../errors.js';
import type { JsonValue } from '../protocol/wire.js';
import { jsonOf } from './json.js';

/** What a step gave: nothing stands for `undefined`, which JSON cannot say. */
export type StepResult = readonly [] | readonly [JsonValue];

/** The results of each step of a flow, by its name, in the order of its calls. */
export type StepResults = ReadonlyMap<string, readonly StepResult[]>;

const MAX_NAME = 128;

/** The steps of one round: what is recorded is given back, what is not runs and is recorded. */
export class Steps {
  readonly #results: Map<string, readonly StepResult[]>;
  readonly #reached = new Map<string, number>();
  readonly #running = new Set<string>();

  constructor(results: StepResults) {
    this.#results = new Map(results);
  }

  /** Whether the next call of a step is recorded. */
  knows(name: string): boolean {
    return (this.#reached.get(name) ?? 0) < (this.#results.get(name)?.length ?? 0);
  }

  /** What the next round needs. */
  get results(): StepResults {
    return new Map(this.#results);
  }

  /**
   * Gives back the recorded result of this call of a step, or runs it and records what it gave. A step that throws is
   * not recorded, and its next call takes its place. Throws at once when the step is running already.
   */
  run(name: string, fn: () => unknown): Promise<unknown> {
    if (this.#running.has(name)) throw duplicateStep(name);
    this.#running.add(name);
    return this.#run(name, fn);
  }

  async #run(name: string, fn: () => unknown): Promise<unknown> {
    try {
      const occurrence = this.#reached.get(name) ?? 0;
      const recorded = this.#results.get(name) ?? [];
      // Awaited either way, so that two calls at once are told from two in a row in every round alike.
      const result = await (recorded[occurrence] ?? resultOf(fn, name));
      if (occurrence === recorded.length) this.#results.set(name, [...recorded, result]);
      this.#reached.set(name, occurrence + 1);
      // A copy either way, so that the handler sees the same in every round and can change none of it.
      return result.length === 0 ? undefined : copy(result[0]);
    } finally {
      this.#running.delete(name);
    }
  }
}

/** Throws `ERR_MRTR_STEP` for a call that no step can be made of. */
export function checkStep(name: unknown, fn: unknown): void {
  if (typeof name !== 'string' || name === '' || name.length > MAX_NAME) {
    throw stepError(` needs a name of 1 to ${MAX_NAME} characters as its first argument: ctx.step("load", () => …)`);
  }
  if (typeof fn !== 'function') {
    throw stepError(
      `(${JSON.stringify(name)}) needs a function as its second argument; got ${typeof fn}. Write () => …`,
    );
  }
}

/** The step whose results take most room in a state, and how often it ran. */
export function biggestStep(
  results: StepResults,
): { readonly name: string; readonly bytes: number; readonly runs: number } | undefined {
  let biggest: { name: string; bytes: number; runs: number } | undefined;
  for (const [name, each] of results) {
    const bytes = Buffer.byteLength(JSON.stringify(each));
    if (biggest === undefined || bytes > biggest.bytes) biggest = { name, bytes, runs: each.length };
  }
  return biggest;
}

async function resultOf(fn: () => unknown, name: string): Promise<StepResult> {
  const value = await fn();
  return value === undefined ? [] : [jsonOf(value, `ctx.step(${JSON.stringify(name)})`)];
}

function copy(value: JsonValue): JsonValue {
  return typeof value === 'object' && value !== null ? (JSON.parse(JSON.stringify(value)) as JsonValue) : value;
}

function duplicateStep(name: string): MrtrError {
  return new MrtrError(
    'ERR_MRTR_STEP',
    `The step ${JSON.stringify(name)} was started while it was running, so their results could not be told apart. ` +
      'Give each branch a name of its own, for example with an id in it.',
  );
}

function stepError(problem: string): MrtrTypeError {
  return new MrtrTypeError('ERR_MRTR_STEP', `ctx.step${problem}.`);
}
