import { asking } from '../../lib/engine/context.js';
import { stepping } from '../../lib/engine/stepping.js';
import { Conversation } from '../../lib/legacy/conversation.js';
import type { ClientResponse } from '../../lib/legacy/correspondent.js';
import type { ConversationInput, ConversationOutcome } from '../../lib/legacy/outcome.js';
import type { InputRequest } from '../../lib/protocol/wire.js';
import { CONFIRM, EVERYTHING, FakeTimers, gate, NAME, named, nameOf, YES, type Handler } from '../support/engine.js';
import { turn } from '../support/mailbox.js';

type Answering = (request: InputRequest, timeoutMs: number) => ClientResponse | Promise<ClientResponse>;

const result = (value: unknown): ClientResponse => ({ kind: 'result', result: value });
const messageOf = ({ params }: InputRequest): string => (params as { message: string }).message;

/** Runs a handler against a client of functions. */
function converse(handler: Handler, answer: Answering, input: Partial<ConversationInput> = {}) {
  const timers = new FakeTimers();
  const sent: InputRequest[] = [];
  const conversation = new Conversation({
    correspondent: {
      put: async (request, timeoutMs) => {
        sent.push(request);
        return answer(request, timeoutMs);
      },
    },
    capabilities: EVERYTHING,
    maxAttempts: 3,
    handlerTimeoutMs: 0,
    elicitationTimeoutMs: 300,
    samplingTimeoutMs: 600,
    timers,
    now: () => 0,
    gone: () => false,
    ...input,
  });
  const ctx = { ...asking(conversation), ...stepping(conversation, 'secret') };
  const outcome: Promise<ConversationOutcome> = conversation.run(() => handler(ctx));
  return { outcome, sent, timers, conversation, ctx };
}

const never = (): Promise<ClientResponse> => new Promise(() => undefined);
const yes = (): ClientResponse => result(YES);

describe('a conversation', () => {
  it('asks one question after another in one execution', async () => {
    let runs = 0;
    const { outcome, sent, conversation } = converse(
      async (ctx) => {
        runs += 1;
        return `${await nameOf(ctx, 'First?')} ${await nameOf(ctx, 'Last?')}`;
      },
      (request) => result(named(messageOf(request) === 'First?' ? 'Ann' : 'Lee')),
    );
    expect(await outcome).toEqual({ kind: 'complete', result: 'Ann Lee' });
    expect([runs, sent.length, conversation.answered]).toEqual([1, 2, 2]);
    expect(conversation.questions.map(({ key, kind }) => [key, kind])).toEqual([
      ['elicit-1', 'elicit'],
      ['elicit-2', 'elicit'],
    ]);
  });

  it('asks the same unkeyed question again once it was answered, or has failed', async () => {
    const answers: ClientResponse[] = [yes(), { kind: 'late' }, { kind: 'error', code: -1 }, yes()];
    const { outcome } = converse(
      async (ctx) => {
        const codes: unknown[] = [];
        for (let i = 0; i < 4; i += 1) {
          codes.push(await ctx.confirm('Sure?').catch((error: unknown) => (error as { code: string }).code));
        }
        return codes;
      },
      () => answers.shift() ?? { kind: 'late' },
    );
    expect(await outcome).toMatchObject({
      result: [true, 'ERR_MRTR_ELICITATION_TIMEOUT', 'ERR_MRTR_CLIENT', true],
    });
  });

  it('gives each kind of question its own time', async () => {
    const times: number[] = [];
    const { outcome } = converse(
      async (ctx) => {
        await Promise.allSettled([ctx.confirm('Sure?'), ctx.listRoots(), ctx.sample({ messages: [], maxTokens: 1 })]);
        return 'ok';
      },
      (_request, timeoutMs) => {
        times.push(timeoutMs);
        return { kind: 'late' };
      },
    );
    expect(await outcome).toMatchObject({ kind: 'complete' });
    expect(times).toEqual([300, 300, 600]);
  });

  it('lets nothing out when one question of the turn needs what the client lacks, and names all that is missing', async () => {
    const { outcome, sent } = converse(
      async (ctx) => {
        const asked = [
          ctx.confirm('Sure?'),
          ctx.elicitUrl({ message: 'Pay', url: 'https://pay.example' }),

          ctx.listRoots(),
        ];
        await Promise.allSettled(asked);
        return 'went on';
      },
      yes,
      { capabilities: { elicitation: {} } },
    );
    expect(await outcome).toMatchObject({
      kind: 'failed',
      code: 'ERR_MRTR_CAPABILITY',
      requiredCapabilities: { elicitation: { url: {} }, roots: {} },
    });
    expect(sent).toEqual([]);
  });

  it('ends 10 s after a missing capability, whatever the handler waits for, and starts no step', async () => {
    let stepped = false;
    const { outcome, timers } = converse(
      async (ctx) => {
        await ctx.confirm('Sure?').catch(() => undefined);
        await ctx.step('pay', () => (stepped = true)).catch(() => undefined);
        await never();
      },
      yes,
      { capabilities: {} },
    );
    await turn();
    await turn();
    timers.fire(10_000);
    expect(await outcome).toMatchObject({ code: 'ERR_MRTR_CAPABILITY' });
    expect(stepped).toBe(false);
  });

  it('starts no step while a question is open, awaited or not', async () => {
    const order: string[] = [];
    const { outcome } = converse(async (ctx) => {
      const sure = ctx.confirm('Sure?').then((is) => order.push(`answered ${is}`));
      await ctx.step('pay', () => order.push('paid'));
      await sure;
      return order;
    }, yes);
    expect(await outcome).toMatchObject({ kind: 'complete', result: ['answered true', 'paid'] });
  });

  it('starts no step after a question that got no answer, whoever caught that', async () => {
    let paid = 0;
    const refuse = (): Promise<ClientResponse> => Promise.resolve({ kind: 'error', code: -1 });
    const { outcome } = converse(async (ctx) => {
      await ctx.confirm('Sure?').catch(() => undefined);
      await ctx.step('pay', () => (paid += 1));
      return 'paid';
    }, refuse);
    expect(await outcome).toMatchObject({ kind: 'failed', error: { code: 'ERR_MRTR_CLIENT' } });
    expect(paid).toBe(0);
  });

  it('ends 10 s after a fault, so that nobody answers in vain for long', async () => {
    const { outcome, timers } = converse(async (ctx) => {
      const first = ctx.confirm('Sure?', { key: 'k' });
      await turn();
      await ctx.confirm('Sure?', { key: 'k' }).catch(() => undefined);
      return first;
    }, never);
    while (timers.pending.length === 0) await turn();
    timers.fire(10_000);
    expect(await outcome).toMatchObject({ kind: 'failed', code: 'ERR_MRTR_DUPLICATE_KEY' });
  });

  it.each<[string, string, Handler]>([
    [
      'a key twice',
      'ERR_MRTR_DUPLICATE_KEY',
      (ctx) => Promise.allSettled([nameOf(ctx, 'A?', { key: 'k' }), nameOf(ctx, 'B?', { key: 'k' })]),
    ],
    [
      'an unkeyed question twice at once',
      'ERR_MRTR_DUPLICATE_QUESTION',
      (ctx) => Promise.allSettled([ctx.confirm('Sure?'), ctx.confirm('Sure?')]),
    ],
    [
      'a step twice at once',
      'ERR_MRTR_STEP',
      (ctx) => Promise.allSettled([ctx.step('s', turn), ctx.step('s', turn), ctx.confirm('Sure?')]),
    ],
  ])('ends as a fault with %s, and lets no question of the turn out', async (_what, code, handler) => {
    const { outcome, sent } = converse(handler, yes);
    expect(await outcome).toMatchObject({ kind: 'failed', code });
    expect(sent).toEqual([]);
  });

  it('hands on what a question cannot be made of', async () => {
    const { outcome, sent } = converse((ctx) => ctx.elicit({ message: '', form: NAME }), yes);
    expect(await outcome).toMatchObject({ code: 'ERR_MRTR_HANDLER', error: { code: 'ERR_MRTR_QUESTION' } });
    expect(sent).toEqual([]);
  });

  it('asks again with the reason, and ends after maxAttempts even if the handler catches it', async () => {
    const { outcome, sent, conversation } = converse(
      async (ctx) => {
        await ctx.elicit({ message: 'Sure?', form: CONFIRM }).catch(() => undefined);
        return 'went on';
      },
      () => result({ action: 'accept', content: { confirm: 'yes' } }),
    );
    expect(await outcome).toMatchObject({ kind: 'failed', code: 'ERR_MRTR_ATTEMPTS' });
    expect(sent.map(messageOf).map((text) => text.split('\n\n').length)).toEqual([1, 2, 2]);
    expect([conversation.answered, conversation.questions.length]).toEqual([0, 1]);
  });

  it('gives the person new time after an unusable answer', async () => {
    let now = 0;
    const times: number[] = [];
    const { outcome } = converse(
      (ctx) => nameOf(ctx, 'Name?'),
      (_request, timeoutMs) => {
        times.push(timeoutMs);
        now += 250;
        return times.length < 3 ? result({ action: 'accept', content: {} }) : result(named('Ann'));
      },
      { now: () => now },
    );
    expect(await outcome).toMatchObject({ result: 'Ann' });
    expect(times).toEqual([300, 300, 300]);
  });

  it('gives no new time while what was agreed to is not done, and no attempt is counted', async () => {
    let now = 0;
    const times: number[] = [];
    const { outcome, timers } = converse(
      (ctx) => ctx.elicitUrl({ message: 'Pay', url: 'https://pay.example', until: () => false }),
      (_request, timeoutMs) => {
        times.push(timeoutMs);
        now += 60;
        return result({ action: 'accept' });
      },
      { now: () => now },
    );
    for (let i = 0; i < 5; i += 1) {
      while (timers.pending.length === 0) await turn();
      timers.fire(1000);
    }
    expect(await outcome).toMatchObject({ code: 'ERR_MRTR_HANDLER', error: { code: 'ERR_MRTR_ELICITATION_TIMEOUT' } });
    expect(times).toEqual([300, 240, 180, 120, 60]);
  });

  it('rejects what is asked after its end, and what is asked once nobody waits', async () => {
    let gone = false;
    const { outcome, ctx, sent } = converse(() => 'done', yes, { gone: () => gone });
    await outcome;
    await expect(ctx.confirm('Sure?')).rejects.toMatchObject({ code: 'ERR_MRTR_ROUND_OVER' });
    const opened = gate();
    const left = converse(
      async ({ confirm }) => {
        await opened.promise;
        return confirm('Sure?');
      },
      yes,
      { gone: () => gone },
    );
    gone = true;
    opened.open();
    expect(await left.outcome).toMatchObject({ error: { code: 'ERR_MRTR_ROUND_OVER' } });
    expect([...sent, ...left.sent]).toEqual([]);
  });

  it('lets no question out that its handler has not waited for', async () => {
    const { outcome, sent } = converse((ctx) => {
      void ctx.confirm('Sure?');
      return 'done';
    }, yes);
    expect(await outcome).toEqual({ kind: 'complete', result: 'done' });
    await turn();
    expect(sent).toEqual([]);
  });

  it('rejects a question that was withdrawn', async () => {
    const { outcome } = converse(
      (ctx) => ctx.confirm('Sure?'),
      () => ({ kind: 'withdrawn' }),
    );
    expect(await outcome).toMatchObject({ error: { code: 'ERR_MRTR_ROUND_OVER' } });
  });

  it('ends by itself when a handler asks on and on after 64 rejections', async () => {
    const { outcome, timers } = converse(async (ctx) => {
      for (;;) await ctx.confirm('').catch(() => undefined);
    }, yes);
    expect(await outcome).toMatchObject({ kind: 'failed', code: 'ERR_MRTR_TOO_MANY_REJECTIONS' });
    expect(timers.pending).toEqual([]);
  });

  it('ends a handler that takes longer than its time, which stands still while a question is open', async () => {
    const answered = gate<ClientResponse>();
    const { outcome, timers } = converse(
      async (ctx) => {
        await ctx.confirm('Sure?');
        await never();
      },
      () => answered.promise,
      { handlerTimeoutMs: 50 },
    );
    expect(timers.pending.map(({ ms }) => ms)).toEqual([50]);
    await turn();
    await turn();
    expect(timers.pending).toEqual([]);
    answered.open(yes());
    while (timers.pending.length === 0) await turn();
    timers.fire(50);
    expect(await outcome).toMatchObject({ kind: 'failed', code: 'ERR_MRTR_HANDLER_TIMEOUT' });
  });

  it('runs a step once for each call, and refuses what no JSON says', async () => {
    let ran = 0;
    const { outcome } = converse(async (ctx) => {
      const made = { count: ++ran };
      const first = await ctx.step('make', () => made);
      made.count = 7;
      const refused = await ctx.step('bad', () => 1n).catch((error: unknown) => (error as { code: string }).code);
      return [first, refused, await ctx.step('make', () => ++ran), await ctx.step('none', () => undefined)];
    }, yes);
    expect(await outcome).toEqual({ kind: 'complete', result: [{ count: 1 }, 'ERR_MRTR_STEP', 2, undefined] });
  });
});
