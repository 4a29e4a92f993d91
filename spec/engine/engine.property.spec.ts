import fc from 'fast-check';
import type { RoundInput } from '../../lib/engine/outcome.js';
import type { InputRequest, JsonObject } from '../../lib/protocol/wire.js';
import { accept, Flow, NAME, ticks, turns, warningsOf, type Ctx } from '../support/engine.js';

type Kind = 'name' | 'yes' | 'link' | 'model';
type Pause = { readonly turns: number } | { readonly ticks: number };

/** A handler as a tree. Labels name questions; in their full text they are unique to a strand of execution. */
type Program =
  | {
      readonly do: 'ask';
      readonly kind: Kind;
      readonly label: string;
      readonly keyed: boolean;
      readonly recall: boolean;
    }
  | { readonly do: 'step'; readonly label: string; readonly pauses: readonly Pause[] }
  | { readonly do: 'sequence'; readonly parts: readonly Program[] }
  | { readonly do: 'repeat'; readonly times: number; readonly part: Program }
  | { readonly do: 'while'; readonly label: string; readonly part: Program }
  | { readonly do: 'if'; readonly label: string; readonly then: Program; readonly otherwise: Program }
  | { readonly do: 'all'; readonly branches: readonly { readonly pauses: readonly Pause[]; readonly part: Program }[] }
  | { readonly do: 'finally'; readonly part: Program; readonly last: Program }
  | { readonly do: 'call'; readonly part: Program };

/** What a program runs against: the engine, or the answers themselves. */
interface World {
  ask(kind: Kind, text: string, key: string | undefined): Promise<unknown>;
  step(name: string, pauses: readonly Pause[]): Promise<unknown>;
  pause(pauses: readonly Pause[]): Promise<void>;
}

/** A sequential part of a program, the only place where one text may be asked more than once. */
interface Strand {
  readonly path: string;
  last: unknown;
}

class Run {
  readonly #world: World;
  readonly #asked = new Map<string, number>();

  constructor(world: World) {
    this.#world = world;
  }

  async run(program: Program, strand: Strand): Promise<unknown> {
    switch (program.do) {
      case 'ask':
        return this.#ask(program.kind, program.label, strand, program.keyed, program.recall);
      case 'step':
        // The question after it may recall its result, so a result that changed would change the question.
        strand.last = await this.#world.step(`${strand.path} ${program.label}`, program.pauses);
        return strand.last;
      case 'sequence': {
        const results: unknown[] = [];
        for (const part of program.parts) results.push(await this.run(part, strand));
        return results;
      }
      case 'repeat': {
        const results: unknown[] = [];
        for (let i = 0; i < program.times; i++) results.push(await this.run(program.part, strand));
        return results;
      }
      case 'while': {
        const results: unknown[] = [];
        do results.push(await this.run(program.part, strand));
        while ((await this.#ask('yes', program.label, strand)) === true && results.length < 3);
        return results;
      }
      case 'if': {
        const chosen = (await this.#ask('yes', program.label, strand)) === true ? program.then : program.otherwise;
        return this.run(chosen, strand);
      }
      case 'all':
        return Promise.all(
          program.branches.map(async ({ pauses, part }, place) => {
            const branch = { path: `${strand.path}/${place}`, last: strand.last };
            await this.#world.pause(pauses);
            return this.run(part, branch);
          }),
        );
      case 'finally': {
        const results: unknown[] = [];
        try {
          results.push(await this.run(program.part, { path: `${strand.path}/try`, last: strand.last }));
        } finally {
          results.push(await this.run(program.last, { path: `${strand.path}/finally`, last: null }));
        }
        return results;
      }
      case 'call':
        return (async () => ({ called: await this.run(program.part, strand) }))();
    }
  }

  async #ask(kind: Kind, label: string, strand: Strand, keyed = false, recall = false): Promise<unknown> {
    const text = `${strand.path} ${label}${recall ? ` after ${JSON.stringify(strand.last)}` : ''}?`;
    const count = (this.#asked.get(strand.path + label) ?? 0) + 1;
    this.#asked.set(strand.path + label, count);
    strand.last = await this.#world.ask(kind, text, keyed ? `${strand.path} ${label} ${count}` : undefined);
    return strand.last;
  }
}

/** The n-th answer to a text: what the client sends, and what the handler must get. */
function answerTo(kind: Kind, text: string, n: number): { readonly wire: JsonObject; readonly value: unknown } {
  let hash = n * 7919;
  for (const char of text) hash = (hash * 31 + char.charCodeAt(0)) % 1_000_003;
  if (kind === 'link') {
    const action = hash % 2 === 0 ? 'accept' : 'cancel';
    return { wire: { action }, value: action };
  }
  if (kind === 'model') {
    const message = { role: 'assistant', content: { type: 'text', text: String(hash) }, model: 'm' };
    return { wire: message, value: message };
  }
  if (hash % 5 === 0) return { wire: { action: 'decline' }, value: kind === 'yes' ? false : 'decline' };
  if (kind === 'yes') return { wire: accept({ confirm: hash % 3 > 0 }), value: hash % 3 > 0 };
  return { wire: accept({ name: String(hash) }), value: String(hash) };
}

/** What the n-th run of a step gives. */
function resultOf(name: string, n: number): unknown {
  const results = [undefined, null, n, `${name} ${n}`, { name, n: [n] }];
  return results[(name.length + n) % results.length];
}

class Counter extends Map<string, number> {
  next(name: string): number {
    const n = (this.get(name) ?? 0) + 1;
    this.set(name, n);
    return n;
  }
}

type StepOf = (name: string, n: number) => unknown;

/** The program with its answers given directly. */
async function direct(
  program: Program,
  stepOf: StepOf = resultOf,
): Promise<{ result: unknown; asks: number; ran: Counter }> {
  const given = new Counter();
  const ran = new Counter();
  let asks = 0;
  const run = new Run({
    async ask(kind, text) {
      asks += 1;
      return answerTo(kind, text, given.next(text)).value;
    },
    step: async (name) => stepOf(name, ran.next(name)),
    pause: () => Promise.resolve(),
  });
  return { result: await run.run(program, { path: '', last: null }), asks, ran };
}

async function askThrough(ctx: Ctx, kind: Kind, text: string, key: string | undefined): Promise<unknown> {
  const options = key === undefined ? {} : { key };
  switch (kind) {
    case 'name': {
      const answer = await ctx.elicit({ message: text, form: NAME, ...options });
      return answer.action === 'accept' ? answer.content.name : answer.action;
    }
    case 'yes':
      return ctx.confirm(text, options);
    case 'link':
      return (await ctx.elicitUrl({ message: text, url: 'https://a.example/', ...options })).action;
    case 'model':
      return ctx.sample({ messages: [{ role: 'user', content: { type: 'text', text } }], maxTokens: 9, ...options });
  }
}

/** Kind and text of a request, without the reason that an unusable answer added. */
function readRequest(request: InputRequest): { kind: Kind; text: string } {
  if (request.method === 'roots/list') throw new Error('nobody asked for roots');
  if (request.method === 'sampling/createMessage') {
    return { kind: 'model', text: (request.params.messages[0]?.content as { text: string }).text };
  }
  const [text = ''] = request.params.message.split('\n\n');
  if (request.params.mode === 'url') return { kind: 'link', text };
  return { kind: 'confirm' in request.params.requestedSchema.properties ? 'yes' : 'name', text };
}

/** The last is an answer to a link, and to nothing else. */
const JUNK: readonly JsonObject[] = [
  {},
  { action: 'ACCEPT' },
  { result: accept({ name: 'x' }) },
  { roots: [] },
  accept({}),
];
type Treatment = 'answer' | 'leave' | 'spoil';

/** The program on the engine, round by round, as a client treats its questions; it sends again what got no reply. */
async function driven(
  program: Program,
  treatments: readonly Treatment[],
  options: Partial<RoundInput> = {},
  losses: readonly number[] = [],
) {
  let round = 0;
  const ran = new Counter();
  /** What the steps of the last execution gave. */
  let gave = new Map<string, unknown[]>();
  const flow = new Flow(
    (ctx) => {
      const seen = (gave = new Map<string, unknown[]>());
      const pause = async (pauses: readonly Pause[]): Promise<void> => {
        const chosen = pauses[round % pauses.length];
        if (chosen === undefined) return;
        if ('turns' in chosen) return turns(chosen.turns);
        return ticks(chosen.ticks);
      };
      return new Run({
        ask: (kind, text, key) => askThrough(ctx, kind, text, key),
        async step(name, pauses) {
          const result = await ctx.step(name, async () => {
            await pause(pauses);
            return resultOf(name, ran.next(name));
          });
          seen.set(name, [...(seen.get(name) ?? []), result]);
          return result;
        },
        pause,
      }).run(program, { path: '', last: null });
    },
    { maxAttempts: Infinity, ...options },
  );
  const given = new Counter();
  const answered = new Set<string>();
  let treated = 0;
  const request = async (answers: Record<string, JsonObject> = {}) => {
    for (let lost = losses[round % losses.length] ?? 0; lost > 0; lost--) await flow.round(answers, 'lost');
    return flow.round(answers);
  };
  let outcome = await request();
  while (outcome.kind === 'input_required') {
    // A branch that is slower than before, so that another asks ahead of it, looks like a question that changed.
    expect(warningsOf(outcome).filter(([kind]) => kind !== 'changed_question')).toEqual([]);
    expect(outcome.requests.size).toBeGreaterThan(0);
    // Answers that nobody asked for: the guessable next key, and what has its answer already.
    const answers: Record<string, JsonObject> = { [`elicit-${flow.ledger.nextOrdinal}`]: accept({ name: 'evil' }) };
    for (const key of answered) answers[key] = accept({ name: 'evil', confirm: true });
    let useful = false;
    for (const [key, request] of outcome.requests) {
      if (answered.has(key)) throw new Error(`${key} was asked again after a valid answer`);
      const { kind, text } = readRequest(request);
      const last = key === [...outcome.requests.keys()].at(-1);
      const treatment = last && !useful ? 'answer' : treatments[treated++ % treatments.length];
      if (treatment === 'leave') continue;
      if (treatment === 'spoil') {
        answers[key] = JUNK[treated % (kind === 'link' ? JUNK.length - 1 : JUNK.length)] ?? {};
        continue;
      }
      answers[key] = answerTo(kind, text, given.next(text)).wire;
      answered.add(key);
      useful = true;
    }
    round += 1;
    outcome = await request(answers);
  }
  return { outcome, rounds: round + 1, answered: answered.size, ran, gave };
}

async function expectSame(program: Program, treatments: readonly Treatment[], options?: Partial<RoundInput>) {
  const { result, asks, ran: once } = await direct(program);
  fc.pre(asks <= 40);
  const { outcome, rounds, answered, ran } = await driven(program, treatments, options);
  if (outcome.kind === 'failed') throw new Error('the flow failed', { cause: outcome.error });
  expect(outcome.warnings).toEqual([]);
  expect(outcome.result).toEqual(result);
  expect(answered).toBe(asks);
  expect(new Map(ran)).toEqual(new Map(once));
  expect(rounds).toBeLessThanOrEqual(asks + 1);
}

/** With replies lost, a step may run again in the repeats; what the flow goes on with is one of its results throughout. */
async function expectConsistent(program: Program, treatments: readonly Treatment[], losses: readonly number[]) {
  const { outcome, ran, gave } = await driven(program, treatments, {}, losses);
  if (outcome.kind === 'failed') throw new Error('the flow failed', { cause: outcome.error });
  const { result, asks, ran: once } = await direct(program, (name, n) => gave.get(name)?.[n - 1]);
  fc.pre(asks <= 40);
  expect(outcome.result).toEqual(result);
  expect([...ran.keys()].sort()).toEqual([...once.keys()].sort());
  for (const [name, count] of once) expect(ran.get(name)).toBeGreaterThanOrEqual(count);
}

const label = fc.constantFrom('A', 'B', 'C');
const pause: fc.Arbitrary<Pause> = fc.oneof(
  fc.record({ turns: fc.nat(3) }),
  fc.record({ ticks: fc.integer({ min: 0, max: 8 }) }),
);
const ask = fc
  .record({
    kind: fc.constantFrom<Kind>('name', 'yes', 'link', 'model'),
    label,
    keyed: fc.boolean(),
    recall: fc.boolean(),
  })
  // Labels are kept apart by kind and by whether they have a key, as the strand counts by label.
  .map(({ label, ...rest }): Program => ({
    do: 'ask',
    ...rest,
    label: `${rest.kind}${rest.keyed ? '!' : ''} ${label}`,
  }));

const step = fc
  .record({ label: label.map((one) => `step ${one}`), pauses: fc.array(pause, { maxLength: 3 }) })
  .map((rest): Program => ({ do: 'step', ...rest }));
const act = fc.oneof({ arbitrary: ask, weight: 2 }, step);

/** Programs whose parts run one after the other, and those that branch, unwind and run side by side as well. */
const { sequential, concurrent } = fc.letrec<{ sequential: Program; concurrent: Program }>((tie) => {
  const simple = (part: fc.Arbitrary<Program>): fc.Arbitrary<Program>[] => [
    fc.array(part, { minLength: 1, maxLength: 3 }).map((parts) => ({ do: 'sequence', parts })),
    fc.record({ times: fc.integer({ min: 1, max: 3 }), part }).map((rest) => ({ do: 'repeat', ...rest })),
    fc.record({ label: label.map((one) => `more ${one}`), part }).map((rest) => ({ do: 'while', ...rest })),
    fc
      .record({ label: label.map((one) => `if ${one}`), then: part, otherwise: part })
      .map((rest) => ({ do: 'if', ...rest })),
    part.map((only) => ({ do: 'call', part: only })),
  ];
  const part = tie('concurrent');
  const branch = fc.record({ pauses: fc.array(pause, { maxLength: 3 }), part });
  const depth = { maxDepth: 4, withCrossShrink: true } as const;
  return {
    sequential: fc.oneof({ ...depth, depthIdentifier: 'sequential' }, act, ...simple(tie('sequential'))),
    concurrent: fc.oneof(
      { ...depth, depthIdentifier: 'concurrent' },
      act,
      fc.array(branch, { minLength: 2, maxLength: 3 }).map((branches): Program => ({ do: 'all', branches })),
      fc.record({ part, last: part }).map((rest): Program => ({ do: 'finally', ...rest })),
      ...simple(part),
    ),
  };
});
const treatments = fc.array(fc.constantFrom<Treatment>('answer', 'leave', 'spoil'), { minLength: 1, maxLength: 12 });
const runs = { numRuns: 400 };

describe('for any handler, round by round is as if the answers had been there and each step runs once', () => {
  it('when the client answers all that is asked', async () => {
    await fc.assert(
      fc.asyncProperty(concurrent, (program) => expectSame(program, ['answer'])),
      runs,
    );
  });

  it('when the client answers some, leaves some and spoils some', async () => {
    await fc.assert(
      fc.asyncProperty(concurrent, treatments, (program, some) => expectSame(program, some)),
      runs,
    );
  });

  it("under onLedgerMismatch: 'reject', when it asks one question after the other", async () => {
    await fc.assert(
      fc.asyncProperty(sequential, treatments, (program, some) =>
        expectSame(program, some, { onLedgerMismatch: 'reject' }),
      ),
      runs,
    );
  });

  it('and with replies lost, each step has run at least once and all that follows agrees', async () => {
    const losses = fc.array(fc.nat(2), { minLength: 1, maxLength: 5 });
    await fc.assert(
      fc.asyncProperty(concurrent, treatments, losses, (program, some, lost) => expectConsistent(program, some, lost)),
      runs,
    );
  });
});
