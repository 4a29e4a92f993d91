import { codeOf } from '../../lib/errors.js';
import { keyring, mrtr, tool, type KeyProvider, type KeySet } from '../../lib/index.js';
import type { ErrorInfo } from '../../lib/options.js';
import {
  askOf,
  closeAll,
  eventsOf,
  expectBadState,
  KEY,
  OTHER_KEY,
  rig,
  textOf,
  YES,
  type Rig,
  type RigOptions,
} from '../support/http.js';

const INTERNAL = {
  code: -32603,
  message: 'Internal error. The operator of this server can see the reason in its events.',
};
const SECRET = 'vault token hvs.hunter2 was refused';
const ANSWER = { 'elicit-1': YES };

type Answer = (signal: AbortSignal) => KeySet | undefined | Promise<KeySet | undefined>;

interface Served extends Rig {
  /** How the provider answers; by default both methods give `KEY`. */
  readonly answers: { current: Answer; resolve: Answer };
  readonly runs: () => number;
  readonly reported: [unknown, ErrorInfo][];
}

/** A server with keys from a provider, and one tool that asks, then answers. */
async function serve(more: RigOptions = {}, cacheSeconds = 300): Promise<Served> {
  const answers: Served['answers'] = { current: () => KEY, resolve: () => KEY };
  const reported: Served['reported'] = [];
  let runs = 0;
  const ask = tool('ask', {}, async (_args, ctx) => {
    runs += 1;
    return (await ctx.confirm('Sure?')) ? 'yes' : 'no';
  });
  const keys = {
    current: (signal: AbortSignal) => answers.current(signal),
    resolve: (_keyId: string, signal: AbortSignal) => answers.resolve(signal),
    cacheSeconds,
    timeoutSeconds: 0.05,
  } as KeyProvider;
  const onError = (error: unknown, info: ErrorInfo): void => void reported.push([error, info]);
  const served = await rig({ tools: [ask], keys, onError, ...more });
  return { ...served, answers, reported, runs: () => runs };
}

/** The state of a flow that another node of this service began under a key. */
async function stateUnder(key: string): Promise<string> {
  const other = await serve({ keys: key });
  return askOf(await other.tool('ask')).state;
}

const hang: Answer = () => new Promise(() => undefined);
const broken: [string, Answer, string][] = [
  [
    'throws',
    () => {
      throw new Error(SECRET);
    },
    'failed in',
  ],
  ['rejects', () => Promise.reject(new Error(SECRET)), 'failed in'],
  ['hangs', hang, 'within 0.05 s'],
  [
    'is too slow',
    (signal) => new Promise((resolve) => signal.addEventListener('abort', () => resolve(KEY))),
    'within 0.05 s',
  ],
  ['returns what is no key', () => Buffer.alloc(32), 'what is no key'],
];

afterAll(closeAll);

describe('a key provider behind the middleware', () => {
  it('serves a flow, and is asked once for all of it', async () => {
    const served = await serve();
    let asked = 0;
    served.answers.current = async () => {
      asked += 1;
      await new Promise((resolve) => setImmediate(resolve));
      return KEY;
    };
    served.answers.resolve = () => Promise.reject(new Error('not needed'));
    const { state } = askOf(await served.tool('ask'));
    const answered = await served.tool('ask', undefined, { requestState: state, inputResponses: ANSWER });
    expect([textOf(answered), asked]).toEqual(['yes', 1]);
  });

  it('opens what a node with another current key sealed', async () => {
    const served = await serve();
    served.answers.resolve = () => OTHER_KEY;
    const requestState = await stateUnder(OTHER_KEY);
    expect(textOf(await served.tool('ask', undefined, { requestState, inputResponses: ANSWER }))).toBe('yes');
  });

  it.each(broken)(
    'that %s when a flow begins: -32603 within the time-out, and no handler runs',
    async (_, answer, problem) => {
      const served = await serve();
      served.answers.current = answer;
      const started = performance.now();
      const errors = await eventsOf('mrtr:error', async () => {
        const reply = await served.tool('ask', undefined, {}, { id: 1 });
        expect([reply.status, reply.body]).toEqual([200, { jsonrpc: '2.0', id: 1, error: INTERNAL }]);
      });
      expect(performance.now() - started).toBeLessThan(2000);
      expect(served.runs()).toBe(0);
      expect(errors).toEqual([{ code: 'ERR_MRTR_KEYS', errorClass: 'MrtrError', method: 'tools/call', target: 'ask' }]);
      expect(served.reported).toMatchObject([[{ code: 'ERR_MRTR_KEYS' }, { code: 'ERR_MRTR_KEYS', target: 'ask' }]]);
      expect((served.reported[0]?.[0] as Error).message).toContain(problem);

      served.answers.current = () => KEY;
      askOf(await served.tool('ask'));
      expect(served.runs()).toBe(1);
    },
  );

  it.each(broken)('that %s when a flow goes on: the same, and the flow can go on afterwards', async (_, answer) => {
    const served = await serve();
    const requestState = await stateUnder(OTHER_KEY);
    const retry = () => served.tool('ask', undefined, { requestState, inputResponses: ANSWER }, { id: 1 });
    served.answers.resolve = answer;
    const refusals = await eventsOf('mrtr:refused', async () => {
      const reply = await retry();
      expect([reply.status, reply.body]).toEqual([200, { jsonrpc: '2.0', id: 1, error: INTERNAL }]);
    });
    // A fault of the server is no refusal: the client's state is as good as it was.
    expect(refusals).toEqual([]);
    expect(served.reported).toMatchObject([[{ code: 'ERR_MRTR_KEYS' }, { code: 'ERR_MRTR_KEYS' }]]);
    expect(served.runs()).toBe(0);

    served.answers.resolve = () => OTHER_KEY;
    expect(textOf(await retry())).toBe('yes');
    expect(served.runs()).toBe(1);
  });

  it('tells the client nothing of what went wrong, and the operator the cause', async () => {
    const served = await serve();
    served.answers.current = () => Promise.reject(new Error(SECRET));
    const reply = await served.tool('ask');
    expect(reply.text).not.toContain('hunter2');
    expect((served.reported[0]?.[0] as Error).cause).toEqual(new Error(SECRET));
  });

  it.each<[string, Answer]>([
    ['no key', () => undefined],
    ['another key', () => KEY],
  ])('that resolves an id to %s: the refusal of every bad state, by ERR_MRTR_STATE_UNKNOWN_KEY', async (_, answer) => {
    const served = await serve();
    served.answers.resolve = answer;
    const requestState = await stateUnder(OTHER_KEY);
    const events = await eventsOf('mrtr:refused', async () =>
      expectBadState(await served.tool('ask', undefined, { requestState, inputResponses: ANSWER })),
    );
    expect(events).toEqual([{ reason: 'ERR_MRTR_STATE_UNKNOWN_KEY', method: 'tools/call', target: 'ask' }]);
    expect([served.runs(), served.reported]).toEqual([0, []]);
  });

  it('that fails while a handler runs, its keys expired, does not cost the round', async () => {
    const slow = tool('slow', {}, async (_args, ctx) => {
      served.answers.current = hang;
      return String(await ctx.confirm('Sure?'));
    });
    const served = await serve({ tools: [slow] }, 1e-9);
    askOf(await served.tool('slow'));
    expect((await served.tool('slow')).body).toMatchObject({ error: INTERNAL });
  });

  it('C05 a version or key id from elsewhere is refused', async () => {
    const served = await serve();
    served.answers.resolve = () => OTHER_KEY;
    const [version, keyId, body] = askOf(await served.tool('ask')).state.split('.');
    const [, otherId, otherBody] = (await stateUnder(OTHER_KEY)).split('.');
    for (const forged of [
      [version, otherId, body],
      [version, keyId, otherBody],
      ['mrtr2', keyId, body],
    ]) {
      expectBadState(await served.tool('ask', undefined, { requestState: forged.join('.'), inputResponses: ANSWER }));
    }
    expect(served.runs()).toBe(1);
  });
});

describe('the keys option', () => {
  const make = (keys: unknown) => () => mrtr({ server: { name: 's', version: '1' }, keys: keys as KeySet });
  const provider = { current: () => KEY, resolve: () => KEY };

  it('takes what keyring() made', async () => {
    const ring = keyring([OTHER_KEY, KEY]);
    const one = await serve({ keys: ring });
    const two = await serve({ keys: ring });
    const { state } = askOf(await one.tool('ask'));
    expect(textOf(await two.tool('ask', undefined, { requestState: state, inputResponses: ANSWER }))).toBe('yes');
    const requestState = await stateUnder(KEY);
    expect(textOf(await two.tool('ask', undefined, { requestState, inputResponses: ANSWER }))).toBe('yes');
  });

  it('asks no provider before the first request', () => {
    const asking = jest.fn(() => KEY);
    make({ current: asking, resolve: asking })();
    expect(asking).not.toHaveBeenCalled();
  });

  it.each<[unknown, string]>([
    [{ current: provider.current }, 'option "keys" must have both methods current and resolve'],
    [{ ...provider, resolve: KEY }, 'option "keys" must have both methods current and resolve'],
    [{ ...provider, cacheSeconds: 0 }, 'option "keys.cacheSeconds" must be a finite number of seconds above 0; got 0'],
    [{ ...provider, cacheSeconds: Infinity }, 'option "keys.cacheSeconds" must be a finite number'],
    [{ ...provider, timeoutSeconds: '2' }, 'option "keys.timeoutSeconds" must be a number of seconds; got "2"'],
    [{ ...provider, timeoutSeconds: -1 }, 'option "keys.timeoutSeconds" must be a finite number of seconds above 0'],
    [{}, '"keys" is an object; a key is a string or a Uint8Array.'],
    [[provider], '"keys" is an object; a key is a string or a Uint8Array.'],
    [[], '"keys" is an empty list.'],
    [[KEY, KEY], '"keys" contains the same key twice'],
  ])('C115 C116 refuses %j at construction', (keys, message) => {
    let thrown: unknown;
    try {
      make(keys)();
    } catch (error) {
      thrown = error;
    }
    expect(codeOf(thrown)).toBe('ERR_MRTR_OPTION');
    expect((thrown as Error).message).toContain(message);
  });
});
