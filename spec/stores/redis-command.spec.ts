import { inspect } from 'node:util';
import { codeOf, MrtrError, MrtrTypeError } from '../../lib/errors.js';
import { RedisReplayStore, type RedisReplayStoreOptions } from '../../lib/stores/redis.js';
import { Clock } from '../support/clock.js';

type Args = Parameters<RedisReplayStoreOptions['sendCommand']>[0];

/** A store whose Redis answers what it is told to, and the commands that it got. */
function scripted(...replies: readonly unknown[]): { store: RedisReplayStore; sent: Args[]; clock: Clock } {
  const sent: Args[] = [];
  const clock = new Clock();
  let tokens = 0;
  const store = new RedisReplayStore({
    sendCommand: (args) => Promise.resolve(replies[sent.push(args) - 1]),
    now: clock.now,
    random: () => `token-${++tokens}`,
  });
  return { store, sent, clock };
}

const rejection = (work: Promise<unknown>): Promise<unknown> =>
  work.then(
    () => undefined,
    (error: unknown) => error,
  );

describe('RedisReplayStore', () => {
  it('sends one EVAL with one key and times as whole numbers', async () => {
    const { store, sent, clock } = scripted(['claimed'], 'finished');
    await store.claim('id', 'digest', 1000.5, clock.now() + 5000);
    await store.settle('id', 'reply');
    const [claim, settle] = sent.map(([command, _script, ...rest]) => [command, ...rest]);
    expect(claim).toEqual(['EVAL', '1', 'mrtr:replay:id', 'digest', 'token-1', '1001', '5001']);
    expect(settle).toEqual(['EVAL', '1', 'mrtr:replay:id', 'token-1', 'reply']);
  });

  it('puts the key where a client of a cluster can find it', async () => {
    const { store, sent, clock } = scripted(['claimed']);
    await store.claim('id', 'digest', 1000, clock.now() + 5000);
    expect(sent[0]?.[3]).toBe('mrtr:replay:id');
  });

  it('sends well-formed text only, whatever the caller gives', async () => {
    const { store, sent, clock } = scripted(['claimed'], 'finished');
    await store.claim('\ud800\0', '\udc00"', 1000, clock.now() + 5000);
    await store.settle('\ud800\0', '\n\ud800');
    for (const text of sent.flat()) expect(Buffer.from(text).toString()).toBe(text);
    expect(sent[0]?.slice(3, 5)).toEqual([String.raw`mrtr:replay:\ud800\u0000`, String.raw`\udc00\"`]);
    expect(sent[1]?.[5]).toBe(String.raw`\n\ud800`);
  });

  it('sends nothing for an id that it does not hold', async () => {
    const { store, sent, clock } = scripted(['in_flight'], ['claimed'], 'finished');
    await store.claim('id', 'd', 1000, clock.now() + 5000);
    await store.settle('id', 'reply');
    await store.release('id');
    expect(sent.length).toBe(1);
    await store.claim('id', 'd', 1000, clock.now() + 5000);
    await store.release('id');
    await store.settle('id', 'reply');
    expect(sent.length).toBe(3);
  });

  it('keeps its hold when Redis fails, so that the caller can try again', async () => {
    let fails = true;
    const store = new RedisReplayStore({
      sendCommand: ([, script]) => {
        if (script?.includes("'claimed'") === true) return Promise.resolve(['claimed']);
        return fails ? Promise.reject(new Error('away')) : Promise.resolve('finished');
      },
    });
    await store.claim('id', 'd', 1000, Date.now() + 5000);
    expect(codeOf(await rejection(store.settle('id', 'reply')))).toBe('ERR_MRTR_STORE');
    fails = false;
    expect(await rejection(store.settle('id', 'reply'))).toBeUndefined();
  });

  it('forgets what it holds with the state, though nobody finishes it', async () => {
    const { store, sent, clock } = scripted(['claimed']);
    await store.claim('id', 'd', 1000, clock.now() + 5000);
    clock.advance(5001);
    await store.settle('id', 'reply');
    expect(sent.length).toBe(1);
  });

  it('holds the later of two claims of its own to one id', async () => {
    const { store, sent, clock } = scripted(['claimed'], ['claimed'], 'finished');
    await store.claim('id', 'd', 1000, clock.now() + 5000);
    await store.claim('id', 'other', 1000, clock.now() + 5000);
    await store.settle('id', 'reply');
    expect(sent[2]?.[4]).toBe('token-2');
  });

  it('keeps a claim that it was granted while an earlier one was being settled', async () => {
    const finish: (() => void)[] = [];
    const tokens: (string | undefined)[] = [];
    const store = new RedisReplayStore({
      sendCommand: ([, script, , , ...args]) => {
        if (script?.includes("'claimed'") === true) return Promise.resolve(['claimed']);
        tokens.push(args[0]);
        return new Promise((resolve) => finish.push(() => resolve('lost')));
      },
    });
    await store.claim('id', 'd', 1000, Date.now() + 5000);
    const late = store.settle('id', 'late');
    await store.claim('id', 'd', 1000, Date.now() + 5000);
    finish[0]?.();
    await late;
    const settled = store.settle('id', 'reply');
    finish[1]?.();
    await settled;
    expect(new Set(tokens).size).toBe(2);
  });

  it('C119 rejects with the error of the client as cause', async () => {
    const cause = new Error('Socket closed unexpectedly');
    const store = new RedisReplayStore({ sendCommand: () => Promise.reject(cause) });
    const error = await rejection(store.claim('id', 'd', 1000, Date.now() + 5000));
    expect(error).toBeInstanceOf(MrtrError);
    expect(error).toMatchObject({
      code: 'ERR_MRTR_STORE',
      message: 'RedisReplayStore: the command EVAL failed; see the cause.',
      cause,
    });
  });

  it('C119 rejects where sendCommand throws at once', async () => {
    const store = new RedisReplayStore({
      sendCommand: () => {
        throw new Error('not connected');
      },
    });
    expect(codeOf(await rejection(store.claim('id', 'd', 1000, Date.now() + 5000)))).toBe('ERR_MRTR_STORE');
  });

  const advice =
    '"sendCommand" must send its arguments to Redis unchanged and give back the reply with texts as strings, not as Buffers.';

  it.each<[unknown, string]>([
    [undefined, 'undefined'],
    [null, 'null'],
    ['claimed', 'string'],
    [1, 'number'],
    [{}, 'object'],
    [[], 'an array of other content'],
    [['SECRET'], 'an array of other content'],
    [[Buffer.from('claimed')], 'an array of other content'],
    [['claimed', 'more'], 'an array of other content'],
    [['done'], 'an array of other content'],
    [['done', null], 'an array of other content'],
    [['done', Buffer.from('SECRET')], 'an array of other content'],
    [['done', 'SECRET"'], 'an array of other content'],
    [['done', 'SECRET', 'more'], 'an array of other content'],
  ])('C119 rejects the reply %j to a claim, without telling what is in it', async (reply, type) => {
    const { store, clock } = scripted(reply);
    const error = await rejection(store.claim('id', 'd', 1000, clock.now() + 5000));
    expect(error).toMatchObject({
      code: 'ERR_MRTR_STORE',
      message: `RedisReplayStore: claim() got the wrong reply (${type}). ${advice}`,
    });
    expect(inspect(error)).not.toContain('SECRET');
  });

  it.each(['settle', 'release'] as const)('C119 rejects an unexpected reply to %s', async (method) => {
    const { store, clock } = scripted(['claimed'], 'OK');
    await store.claim('id', 'd', 1000, clock.now() + 5000);
    const error = await rejection(method === 'settle' ? store.settle('id', 'reply') : store.release('id'));
    expect(error).toMatchObject({
      code: 'ERR_MRTR_STORE',
      message: `RedisReplayStore: ${method}() got the wrong reply (string). ${advice}`,
    });
  });

  it('refuses times that are none before it sends anything', async () => {
    const { store, sent } = scripted();
    expect(codeOf(await rejection(store.claim('id', 'd', Number.NaN, 1)))).toBe('ERR_MRTR_STORE');
    expect(sent).toEqual([]);
  });

  it('names each claim anew without being told how', async () => {
    const tokens: (string | undefined)[] = [];
    const store = new RedisReplayStore({
      sendCommand: (args) => {
        tokens.push(args[5]);
        return Promise.resolve(['conflict']);
      },
    });
    for (let at = 0; at < 100; at++) await store.claim('id', 'd', 1000, Date.now() + 5000);
    expect(new Set(tokens).size).toBe(100);
    expect(tokens[0]?.length).toBeGreaterThanOrEqual(32);
  });

  const sendCommand = (): Promise<unknown> => Promise.resolve();
  const howTo =
    'must be a function: (args) => client.sendCommand([...args]) for "redis", ' +
    '([command, ...rest]) => client.call(command, ...rest) for "ioredis"; got';

  it.each<[unknown, string]>([
    [undefined, 'RedisReplayStore takes an object of options (sendCommand, prefix, now, random); got undefined.'],
    [
      'redis://:SECRET@host',
      'RedisReplayStore takes an object of options (sendCommand, prefix, now, random); got a text.',
    ],
    [{}, `RedisReplayStore: option "sendCommand" ${howTo} undefined.`],
    [{ sendCommand: { password: 'SECRET' } }, `RedisReplayStore: option "sendCommand" ${howTo} an object.`],
    [
      { sendCommand, client: {} },
      'RedisReplayStore: option "client" is not known; it takes sendCommand, prefix, now, random.',
    ],
    [
      { sendCommand, prefix: '' },
      'RedisReplayStore: option "prefix" must be a text that is not empty, such as "shop:replay:"; got an empty text.',
    ],
    [
      { sendCommand, prefix: 5 },
      'RedisReplayStore: option "prefix" must be a text that is not empty, such as "shop:replay:"; got 5.',
    ],
    [{ sendCommand, now: 5 }, 'RedisReplayStore: option "now" must be a function; got 5.'],
    [{ sendCommand, random: 'x' }, 'RedisReplayStore: option "random" must be a function; got a text.'],
  ])('refuses the options %j', (options, message) => {
    const make = (): unknown => new RedisReplayStore(options as RedisReplayStoreOptions);
    expect(make).toThrow(MrtrTypeError);
    expect(make).toThrow(message);
    expect(make).toThrow(expect.objectContaining({ code: 'ERR_MRTR_OPTION' }) as Error);
  });
});
