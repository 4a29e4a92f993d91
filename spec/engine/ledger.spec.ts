import fc from 'fast-check';
import { EMPTY_LEDGER, packLedger, unpackLedger, type LedgerEntry } from '../../lib/engine/ledger.js';
import { QUESTION_KINDS } from '../../lib/engine/question.js';
import type { StepResults } from '../../lib/engine/steps.js';
import type { JsonObject, JsonValue } from '../../lib/protocol/wire.js';
import { Flow, NAME, named, type Handler } from '../support/engine.js';

const FINGERPRINT = 'ABCDEFGHIJKLMNOPQRSTUV';
const ROW = ['elicit-1', 0, FINGERPRINT, 0];

const answers = fc.oneof(
  fc.constantFrom('accept', 'decline', 'cancel'),
  fc
    .dictionary(fc.string(), fc.jsonValue(), { noNullPrototype: true })
    .map((one) => JSON.parse(JSON.stringify(one)) as JsonObject),
);
const entries: fc.Arbitrary<LedgerEntry> = fc
  .record({
    key: fc.string(),
    kind: fc.constantFrom(...QUESTION_KINDS),
    fingerprint: fc.string(),
    attempts: fc.nat(),
    status: fc.constantFrom('open', 'unread', 'answered'),
    answer: answers,
  })
  .map((entry) => ({ ...entry, answer: entry.status === 'open' ? null : entry.answer }));

const results = fc.oneof(fc.constant([] as const), fc.tuple(fc.jsonValue() as fc.Arbitrary<JsonValue>));
const steps = fc
  .array(fc.tuple(fc.string(), fc.array(results)), { maxLength: 4 })
  .map((rows): StepResults => new Map(JSON.parse(JSON.stringify(rows)) as typeof rows));

describe('a packed ledger', () => {
  it('is read as what it was, through JSON', () => {
    fc.assert(
      fc.property(fc.array(entries), fc.integer({ min: 1 }), steps, (all, nextOrdinal, remembered) => {
        const ledger = { entries: all, nextOrdinal, steps: remembered };
        expect(unpackLedger(JSON.parse(JSON.stringify(packLedger(ledger))))).toEqual(ledger);
      }),
    );
    expect(unpackLedger(packLedger(EMPTY_LEDGER))).toEqual(EMPTY_LEDGER);
  });

  it('keeps the numbers of kinds and states that sealed ledgers hold', () => {
    const entry = (kind: LedgerEntry['kind'], status: LedgerEntry['status']): LedgerEntry => ({
      ...{ key: 'k', kind, fingerprint: 'f', attempts: 2, status },
      answer: status === 'open' ? null : 'decline',
    });
    const ledger = {
      nextOrdinal: 9,
      entries: [entry('elicit', 'open'), entry('url', 'unread'), entry('sample', 'answered'), entry('roots', 'open')],
      steps: new Map([['load', [[], [7]] as const]]),
    };
    expect(packLedger(ledger)).toEqual([
      9,
      [
        ['k', 0, 'f', 2],
        ['k', 1, 'f', 2, 1, 'decline'],
        ['k', 2, 'f', 2, 2, 'decline'],
        ['k', 3, 'f', 2],
      ],
      [['load', [], [7]]],
    ]);
  });

  it('adds at most 60 bytes a question to its answer', async () => {
    const handler: Handler = async (ctx) => {
      for (let i = 0; i < 120; i++) await ctx.elicit({ message: `Question ${i}?`, form: NAME });
      return Promise.all(
        Array.from({ length: 120 }, (_, i) => ctx.elicit({ message: `Question ${i} again?`, form: NAME })),
      );
    };
    const flow = new Flow(handler);
    let asked = await flow.asks();
    for (let i = 0; i < 120; i++) asked = await flow.asks({ [Object.keys(asked)[0] ?? '']: named('Ann') });
    const unread = Object.fromEntries(Object.keys(asked).map((key) => [key, named('Bob')]));
    const sizes = () => ({
      packed: JSON.stringify(packLedger(flow.ledger)).length,
      answers: flow.ledger.entries.reduce(
        (sum, { answer, status }) => sum + (status === 'open' ? 0 : JSON.stringify(answer).length),
        0,
      ),
    });
    expect(flow.ledger.entries).toHaveLength(240);
    expect(sizes().packed - sizes().answers).toBeLessThanOrEqual(60 * 240);
    flow.handler = (ctx) => ctx.elicit({ message: 'Something else?', form: NAME });
    await flow.asks(unread);
    expect(flow.ledger.entries.filter(({ status }) => status === 'unread')).toHaveLength(120);
    expect(sizes().packed - sizes().answers).toBeLessThanOrEqual(60 * 241);
  });
});

describe('anything else', () => {
  it.each<[string, unknown]>([
    ['nothing', undefined],
    ['null', null],
    ['an object', { 0: 1, 1: [], length: 2 }],
    ['a ledger that is too short', [1]],
    ['a ledger that is too long', [1, [], [], 0]],
    ['steps that are none', [1, [], 0]],
    ['steps that are null', [1, [], null]],
    ['a step that is none', [1, [], [null]]],
    ['a step without a name', [1, [], [[]]]],
    ['a step whose name is no text', [1, [], [[7, [1]]]]],
    ['a result that is none', [1, [], [['load', 1]]]],
    ['a result of two values', [1, [], [['load', [1, 2]]]]],
    ['a bad result behind a good one', [1, [], [['load', [1], {}]]]],
    ['ordinal 0', [0, []]],
    ['a negative ordinal', [-1, []]],
    ['a fractional ordinal', [1.5, []]],
    ['an ordinal beyond counting', [2 ** 53, []]],
    ['an ordinal that is text', ['1', []]],
    ['entries that are none', [1, {}]],
    ['an entry that is none', [1, [null]]],
    ['an entry that is text', [1, ['elicit-1']]],
    ['an empty entry', [1, [[]]]],
    ['a bad entry behind a good one', [1, [ROW, []]]],
    ['a key that is no text', [1, [[1, 0, FINGERPRINT, 0]]]],
    ['an unknown kind', [1, [['k', 4, FINGERPRINT, 0]]]],
    ['a negative kind', [1, [['k', -1, FINGERPRINT, 0]]]],
    ['a kind by name', [1, [['k', 'elicit', FINGERPRINT, 0]]]],
    ['a kind off Array.prototype', [1, [['k', 'length', FINGERPRINT, 0]]]],
    ['a fingerprint that is no text', [1, [['k', 0, null, 0]]]],
    ['no attempts', [1, [['k', 0, FINGERPRINT]]]],
    ['negative attempts', [1, [['k', 0, FINGERPRINT, -1]]]],
    ['fractional attempts', [1, [['k', 0, FINGERPRINT, 0.5]]]],
    ['an unknown state', [1, [[...ROW, 3, 'accept']]]],
    ['a state off Array.prototype', [1, [[...ROW, 'length', 'accept']]]],
    ['a state that is null', [1, [[...ROW, null, 'accept']]]],
    ['an open entry with an answer', [1, [[...ROW, 0, 'accept']]]],
    ['an answered entry without its answer', [1, [[...ROW, 2]]]],
    ['an answer that is null', [1, [[...ROW, 2, null]]]],
    ['an answer that is a number', [1, [[...ROW, 1, 7]]]],
    ['an answer that is a list', [1, [[...ROW, 2, []]]]],
  ])('is refused: %s', (_title, packed) => {
    expect(unpackLedger(packed)).toBeUndefined();
  });

  it('never throws, and what it takes is well-formed', () => {
    const almost = fc.tuple(
      fc.oneof(fc.nat(), fc.jsonValue()),
      fc.array(
        fc.oneof(fc.jsonValue(), fc.array(fc.oneof(fc.constantFrom(...ROW, 1, 2, 'length', 'accept'), fc.jsonValue()))),
      ),
    );
    fc.assert(
      fc.property(fc.oneof(fc.jsonValue(), almost, fc.anything()), (packed) => {
        const ledger = unpackLedger(packed);
        if (ledger === undefined) return;
        expect(ledger.nextOrdinal).toBeGreaterThanOrEqual(1);
        for (const { key, kind, fingerprint, attempts, status, answer } of ledger.entries) {
          expect([typeof key, typeof fingerprint]).toEqual(['string', 'string']);
          expect(QUESTION_KINDS).toContain(kind);
          expect(attempts).toBeGreaterThanOrEqual(0);
          expect(['open', 'unread', 'answered']).toContain(status);
          expect(answer === null).toBe(status === 'open');
        }
      }),
      { numRuns: 2000 },
    );
  });
});
