import { prompt, tool } from '../lib/index.js';
import { publish, type RoundEvent } from '../lib/events.js';
import { publishWarnings } from '../lib/hosts/warnings.js';
import { MemoryReplayStore } from '../lib/stores/memory.js';
import { askOf, closeAll, eventsOf, rig, YES, type Rig, type RigOptions } from './support/http.js';

const ID = expect.stringMatching(/^[\w-]{22}$/) as string;
const SURE = { key: 'elicit-1', kind: 'elicit', fingerprint: ID };
const CALL = { method: 'tools/call', target: 'ask', flowId: ID };

afterAll(closeAll);

describe('the events', () => {
  let now = 0;
  let sure: string;

  beforeEach(() => {
    now = 1_000_000;
    sure = 'Sure?';
  });

  const ask = tool('ask', {}, async (_args, ctx) => {
    now += 5;
    return String(await ctx.confirm(sure));
  });
  const fail = tool('fail', {}, () => {
    throw new RangeError('told to onError only');
  });
  const letter = prompt('letter', {}, async (_args, ctx) => String(await ctx.confirm('Sure?')));
  const served = (options: RigOptions = {}): Promise<Rig> =>
    rig({ tools: [ask, fail], prompts: [letter], now: () => now, ...options });

  async function asked(served: Rig): Promise<string> {
    return askOf(await served.tool('ask')).state;
  }
  const answer = (requestState: string, confirm: unknown = true) => ({
    requestState,
    inputResponses: { 'elicit-1': { action: 'accept', content: { confirm } } },
  });

  it('mrtr:round tells of each round, with nothing but these members', async () => {
    const shop = await served();
    let state = '';
    const events = await eventsOf<RoundEvent>('mrtr:round', async () => {
      state = await asked(shop);
      now += 700;
      await shop.tool('ask', undefined, answer(state, 'yes'));
      now += 800;
      await shop.tool('ask', undefined, answer(state));
    });
    const reasked = { ...CALL, outcome: 'input_required', durationMs: 5, answered: 0, questions: [SURE] };
    expect(events).toEqual([
      { ...reasked, round: 1, stateBytes: state.length },
      { ...reasked, round: 2, answerMs: 700, stateBytes: expect.any(Number) },
      { ...CALL, round: 2, outcome: 'complete', durationMs: 5, answerMs: 1505, answered: 1, questions: [] },
    ]);
    expect(new Set(events.map(({ flowId }) => flowId)).size).toBe(1);
  });

  it('mrtr:round says failed of a fault, and repeated when single use gives a recorded result again', async () => {
    const shop = await served({ replay: { store: new MemoryReplayStore({ now: () => now }) } });
    const state = await asked(shop);
    const events = await eventsOf<RoundEvent>('mrtr:round', async () => {
      await shop.tool('fail');
      await shop.tool('ask', undefined, answer(state));
      await shop.tool('ask', undefined, answer(state));
    });
    const done = { ...CALL, round: 2, answerMs: expect.any(Number), questions: [] };
    expect(events).toEqual([
      { ...CALL, target: 'fail', round: 1, outcome: 'failed', durationMs: 0, answered: 0, questions: [] },
      { ...done, outcome: 'complete', durationMs: 5, answered: 1 },
      { ...done, outcome: 'repeated', durationMs: 0, answered: 0 },
    ]);
  });

  it('mrtr:refused names the reason, and the flow once a state could be opened', async () => {
    const shop = await served({ maxAttempts: 1, onLedgerMismatch: 'reject' });
    const nobody = await served({ user: () => undefined });
    const state = await asked(shop);
    const letterState = askOf(await shop.call('prompts/get', { name: 'letter' })).state;
    const events = await eventsOf('mrtr:refused', async () => {
      await shop.tool('ask', undefined, { requestState: 'x' });
      await nobody.tool('ask');
      await nobody.call('tools/list', {});
      await shop.call('prompts/get', { name: 'letter', ...answer(letterState, 'yes') });
      await shop.tool('ask', undefined, {}, { capabilities: {} });
      sure = 'Really?';
      await shop.tool('ask', undefined, answer(state));
    });
    expect(events).toEqual([
      { method: 'tools/call', target: 'ask', reason: 'ERR_MRTR_STATE_MALFORMED' },
      { method: 'tools/call', target: 'ask', reason: 'ERR_MRTR_UNAUTHENTICATED' },
      { method: 'other', target: '', reason: 'ERR_MRTR_UNAUTHENTICATED' },
      { method: 'prompts/get', target: 'letter', flowId: ID, round: 2, reason: 'ERR_MRTR_ATTEMPTS' },
      { ...CALL, round: 1, reason: 'ERR_MRTR_CAPABILITY' },
      { ...CALL, round: 2, reason: 'ERR_MRTR_LEDGER_MISMATCH', expected: 'elicit-1', actual: 'elicit' },
    ]);
  });

  it('mrtr:warning says what is odd, names the questions, and says what to do', async () => {
    const careless = tool('careless', {}, async (_args, ctx) => {
      await ctx.confirm('Sure?').catch(() => undefined);
      return 'done';
    });
    const shop = await served({ tools: [careless, ask] });
    const events = await eventsOf('mrtr:warning', async () => {
      await shop.tool('careless');
    });
    expect(events).toEqual([
      {
        ...CALL,
        target: 'careless',
        round: 1,
        warning: 'swallowed_signal',
        questions: [SURE],
        advice: expect.stringContaining('Await every question'),
      },
    ]);
  });

  it.each([
    ['swallowed_signal', 'Await every question'],
    ['slow_unwind', 'Keep finally blocks short'],
    ['unconsumed_answer', 'out of question texts'],
  ] as const)('mrtr:warning %s comes with its advice', async (kind, advice) => {
    const about = { method: 'tools/call', target: 'ask', flowId: 'f', round: 1 };
    const questions = [{ key: 'k', kind: 'elicit', fingerprint: 'p' }];
    const events = await eventsOf('mrtr:warning', () => publishWarnings(about, [{ kind, questions }]));
    expect(events).toEqual([{ ...about, warning: kind, questions, advice: expect.stringContaining(advice) }]);
  });

  it('mrtr:error tells code and class of a fault, the error itself goes to onError', async () => {
    let thrown: unknown;
    const seen: unknown[] = [];
    const any = tool('any', {}, () => {
      throw thrown;
    });
    const shop = await served({ tools: [any], onError: (error) => void seen.push(error) });
    const lost = await served({ user: () => ({}) });
    const own = class OrdersError extends Error {};
    const odd = Object.assign(new RangeError('x'), { constructor: { name: 'not a class' } });
    const bare = Object.assign(new Error('x'), { constructor: undefined });
    const values = [new own('x'), odd, bare, 'a text', undefined];
    const events = await eventsOf('mrtr:error', async () => {
      for (thrown of values) await shop.tool('any');
      await lost.tool('ask');
      await lost.call('tools/list', {});
    });
    const fault = { ...CALL, target: 'any', round: 1, code: 'ERR_MRTR_HANDLER' };
    expect(events).toEqual([
      { ...fault, errorClass: 'OrdersError' },
      { ...fault, errorClass: 'RangeError' },
      { ...fault, errorClass: 'Error' },
      fault,
      fault,
      { method: 'tools/call', target: 'ask', code: 'ERR_MRTR_PRINCIPAL', errorClass: 'MrtrError' },
      { method: 'other', target: '', code: 'ERR_MRTR_PRINCIPAL', errorClass: 'MrtrError' },
    ]);
    expect(seen).toEqual(values);
  });

  it('cost nothing when nobody listens: the payload is not even built', async () => {
    const payload = jest.fn(() => ({ method: 'tools/call', target: 'ask', reason: 'ERR_MRTR_INTERNAL' as const }));
    publish('mrtr:refused', payload);
    expect(payload).not.toHaveBeenCalled();
    const events = await eventsOf('mrtr:refused', () => publish('mrtr:refused', payload));
    expect(payload).toHaveBeenCalledTimes(1);
    expect(events).toEqual([payload.mock.results[0]?.value]);
  });

  it('of one flow carry one id, on every node', async () => {
    const [a, b] = [await served(), await served()];
    const events = await eventsOf<RoundEvent>('mrtr:round', async () => {
      const state = await asked(a);
      await b.tool('ask', undefined, { requestState: state, inputResponses: { 'elicit-1': YES } });
      await asked(a);
    });
    const [first, second, third] = events.map(({ flowId }) => flowId);
    expect(second).toBe(first);
    expect(third).not.toBe(first);
  });
});
