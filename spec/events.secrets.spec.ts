import './support/debug.js';
import { completable } from '@modelcontextprotocol/server';
import express from 'express';
import request, { type Response } from 'supertest';
import * as v from 'valibot';
import { z } from 'zod';
import type { MrtrErrorCode } from '../lib/errors.js';
import type { Context } from '../lib/hosts/express.js';
import {
  field,
  form,
  MemoryMailbox,
  mrtrErrors,
  prompt,
  resource,
  resourceTemplate,
  ResourceNotFoundError,
  tool,
} from '../lib/index.js';
import { MemoryReplayStore } from '../lib/stores/memory.js';
import {
  askOf,
  closeAll,
  EXPRESSES,
  FORM_ONLY,
  headersOf,
  KEY,
  OTHER_KEY,
  rig,
  type Rig,
  type RigOptions,
} from './support/http.js';
import { SECRET, Watch } from './support/leaks.js';
import { LegacyClient, type Exchange } from './support/legacy-client.js';
import { ManualClock } from './support/mailbox.js';

const TEXT = form({ text: field.string({ title: SECRET.question, maxLength: 2000 }) });
const HEADERS = { authorization: `Bearer ${SECRET.header}`, cookie: `sid=${SECRET.header}`, 'x-secret': SECRET.header };
const USER = { sub: SECRET.user, email: `${SECRET.user}@example.com`, roles: [SECRET.user] };
const ARGS = { note: SECRET.argument };
const ANSWER = { action: 'accept', content: { text: SECRET.answer } };
const LEGACY = { ...headersOf('tools/call'), 'mcp-protocol-version': '2025-06-18' };

type Answered = (text: string, ctx: Context) => unknown;

/** One app behind the watch. Its tool, prompt and resource `run` ask for a text, then do what a case wants. */
class World {
  readonly watch = new Watch();
  clock = Date.now();
  user: unknown = USER;
  #rig: Rig | undefined;

  constructor(readonly express: RigOptions['express']) {}

  get rig(): Rig {
    if (this.#rig === undefined) throw new Error('serve first');
    return this.#rig;
  }

  async serve(options: RigOptions = {}, answered: Answered = (text) => text): Promise<void> {
    const run = async (_args: unknown, ctx: Context): Promise<string> => {
      const answer = await ctx.elicit({ message: `${SECRET.question} about ${SECRET.argument}?`, form: TEXT });
      return (await answered(answer.action === 'accept' ? answer.content.text : answer.action, ctx)) as string;
    };
    const inputSchema = z.object({ note: z.string() });
    this.#rig = await rig({
      ...(this.express !== undefined && { express: this.express }),
      tools: [tool('run', { inputSchema }, run)],
      prompts: [prompt('run', { argsSchema: inputSchema }, run)],
      resources: [resource('run', 'test://run', {}, run)],
      now: () => this.clock,
      user: () => this.user,
      onError: (error) => void this.watch.errors.push(error),
      after: (app) => app.use('/mcp', mrtrErrors()),
      ...options,
    });
  }

  call(
    method: string,
    params: Record<string, unknown>,
    headers: Record<string, string> = {},
    capabilities?: unknown,
  ): Promise<Response> {
    return this.rig.call(method, params, {
      headers: { ...HEADERS, ...headers },
      capabilities: capabilities ?? FORM_ONLY,
    });
  }

  tool(extra: Record<string, unknown> = {}, args: unknown = ARGS): Promise<Response> {
    return this.call('tools/call', { name: 'run', arguments: args, ...extra });
  }

  /** The first round; the state is watched from here on. */
  async ask(
    params: Record<string, unknown> = { name: 'run', arguments: ARGS },
    method = 'tools/call',
  ): Promise<string> {
    const { state } = askOf(await this.call(method, params));
    this.watch.tokens.push(state);
    return state;
  }

  /** The second round; its reply must hold nothing secret. */
  async answer(requestState: unknown, answer: unknown = ANSWER, key = 'elicit-1'): Promise<void> {
    this.watch.reply(await this.tool({ requestState, inputResponses: { [key]: answer } }));
  }

  async both(options: RigOptions = {}, answered?: Answered): Promise<void> {
    await this.serve(options, answered);
    await this.answer(await this.ask());
  }

  /** What a handler was answered in place of a question: errors of this package go under the watch, too. */
  readonly caught = async (asking: Promise<unknown>): Promise<unknown> => {
    try {
      return await asking;
    } catch (error) {
      this.watch.errors.push(error);
      throw error;
    }
  };
}

interface Path {
  readonly title: string;
  readonly on: 'mrtr:refused' | 'mrtr:error' | undefined;
  readonly drive: (world: World) => Promise<void>;
}

const refused = (title: string, drive: Path['drive']): Path => ({ title, on: 'mrtr:refused', drive });
const fault = (title: string, drive: Path['drive']): Path => ({ title, on: 'mrtr:error', drive });
const silent = (title: string, drive: Path['drive']): Path => ({ title, on: undefined, drive });
const rebuke = (): never => {
  throw new Error(SECRET.thrown, { cause: KEY });
};

function refusedState(title: string, change: (state: string, world: World) => unknown, options?: RigOptions): Path {
  return refused(title, async (world) => {
    await world.serve(options);
    const state = await world.ask();
    await world.answer(change(state, world));
  });
}

function question(title: string, ask: (ctx: Context, world: World, text: string) => Promise<unknown>): Path {
  return fault(title, (world) => world.both({}, (text, ctx) => world.caught(ask(ctx, world, text))));
}

/** A client of an earlier revision; its session is watched like a state. */
async function legacyClient(world: World): Promise<LegacyClient> {
  const client = (await LegacyClient.connect(world.rig.url)).with(HEADERS);
  world.watch.tokens.push(client.session);
  return client;
}

/** The reply of a call; it must hold nothing secret. */
async function legacyReply(world: World, call: Exchange): Promise<void> {
  world.watch.bodies.push(JSON.stringify(await call.reply()));
}

async function legacyTimeout(world: World, ask?: (ctx: Context) => Promise<unknown>): Promise<void> {
  const clock = new ManualClock();
  const asks = ask && [tool('run', {}, async (_args, ctx) => String(await ask(ctx)))];
  await world.serve({ legacy: { mailbox: new MemoryMailbox({ clock }) }, ...(asks && { tools: asks }) });
  const call = await (await legacyClient(world)).tool('run', ARGS);
  world.watch.tokens.push(String((await call.next()).id));
  await clock.advance(600_000);
  expect((await call.next()).method).toBe('notifications/cancelled');
  await legacyReply(world, call);
}

/** How each code comes about in serving, or why it cannot. The compiler keeps the table complete. */
const PATHS: Readonly<Record<MrtrErrorCode, readonly Path[] | string>> = {
  ERR_MRTR_OPTION: 'thrown by mrtr() and by stores when they are made, before anything is served',
  ERR_MRTR_DEFINITION: 'thrown by tool(), prompt(), resource() and resourceTemplate(), before anything is served',
  ERR_MRTR_TOOL:
    'the code of a ToolError, whose message its handler means for the model; it is no fault and no refusal',
  ERR_MRTR_SCHEMA: [
    question('no form', (ctx, _world, text) => ctx.elicit({ message: 'Why?', form: { text } as never })),
    question('a default that does not fit', (ctx, _world, text) =>
      ctx.elicit({ message: 'Why?', form: form({ a: field.string({ maxLength: 3, default: text }) }) }),
    ),
    question('a default off the list', (ctx, _world, text) =>
      ctx.elicit({ message: 'Why?', form: form({ a: field.choice([text], { default: 'b' }) }) }),
    ),
    question('a choice twice', (ctx, _world, text) =>
      ctx.elicit({ message: 'Why?', form: form({ a: field.choice([text, text]) }) }),
    ),
    question('a constant that no form can express', (ctx, _world, text) =>
      ctx.elicit({ message: 'Why?', form: z.object({ a: z.union([z.literal(text), z.number()]) }) }),
    ),
  ],
  ERR_MRTR_QUESTION: [
    question('a bare text', (ctx) => ctx.elicit(SECRET.question as never)),
    question('a message that is no text', (ctx, _world, text) =>
      ctx.elicit({ message: { text } as never, form: TEXT }),
    ),
    question('a url that is none', (ctx, _world, text) => ctx.elicitUrl({ message: 'Pay', url: `/pay?for=${text}` })),
    question('a sample that JSON cannot carry', (ctx, _world, text) => {
      const circle: Record<string, unknown> = {};
      circle[text] = circle;
      return ctx.sample({ messages: [], maxTokens: 1, metadata: circle });
    }),
  ],
  ERR_MRTR_STEP: [
    question('a step whose result is no data', (ctx, _world, text) =>
      ctx.step('load', () => ({ text, [`${text} again`]: { at: new Date() } })),
    ),
    question('a step without a function', (ctx, _world, text) => ctx.step('load', text as never)),
    question('a step twice at once', (ctx, _world, text) =>
      Promise.all([ctx.step('load', () => text), ctx.step('load', () => text)]),
    ),
    question('a label that is none', async (ctx, _world, text) => ctx.idempotencyKey({ text } as never)),
  ],
  ERR_MRTR_DUPLICATE_KEY: [
    question('one key twice', (ctx, _world, text) =>
      Promise.all(['a', 'b'].map((n) => ctx.confirm(`${text} ${n}?`, { key: 'sure' }))),
    ),
  ],
  ERR_MRTR_DUPLICATE_QUESTION: [
    question('one question twice', (ctx, _world, text) =>
      Promise.all([ctx.confirm(`${text}?`), ctx.confirm(`${text}?`)]),
    ),
  ],
  ERR_MRTR_ROUND_OVER: [
    silent('a question after the end', async (world) => {
      let late: Context | undefined;
      await world.serve({}, (text, ctx) => {
        late = ctx;
        return { structuredContent: { done: text.length > 0 } };
      });
      await world.answer(await world.ask());
      await world.caught((late as Context).confirm(SECRET.question)).catch(() => undefined);
      expect(world.watch.errors).toMatchObject([{ code: 'ERR_MRTR_ROUND_OVER' }]);
    }),
  ],
  ERR_MRTR_LEDGER_MISMATCH: [
    refused('another question than before', async (world) => {
      let times = 0;
      const run = (_args: unknown, ctx: Context) => ctx.confirm(`${SECRET.question} ${times++}?`).then(String);
      await world.serve({ onLedgerMismatch: 'reject', tools: [tool('run', {}, run)] });
      await world.answer(await world.ask());
    }),
  ],
  ERR_MRTR_TOO_MANY_REJECTIONS: [
    fault('a handler that asks and asks', (world) =>
      world.both({}, async (_text, ctx) => {
        for (;;) await ctx.elicit(SECRET.question as never).catch(() => undefined);
      }),
    ),
  ],
  ERR_MRTR_ATTEMPTS: [
    refused('unusable answers to a prompt', async (world) => {
      await world.serve({ maxAttempts: 1 });
      const params = { name: 'run', arguments: ARGS };
      const requestState = await world.ask(params, 'prompts/get');
      const inputResponses = { 'elicit-1': { ...ANSWER, content: { text: [SECRET.answer] } } };
      world.watch.reply(await world.call('prompts/get', { ...params, requestState, inputResponses }));
    }),
  ],
  ERR_MRTR_CAPABILITY: [
    refused('what the client cannot show', (world) =>
      world.both({}, (text, ctx) => ctx.elicitUrl({ message: SECRET.question, url: `https://example.com/${text}` })),
    ),
  ],
  ERR_MRTR_PRINCIPAL: [
    fault('a user that names nobody', async (world) => {
      await world.serve();
      world.user = { email: SECRET.user };
      world.watch.reply(await world.tool());
    }),
    fault('a user with an odd id', async (world) => {
      await world.serve();
      for (world.user of [{ sub: [SECRET.user] }, { sub: SECRET.user.repeat(100) }, { id: { toString: rebuke } }]) {
        world.watch.reply(await world.tool());
      }
    }),
    fault('a principal option that throws', async (world) => {
      await world.serve({ principal: rebuke });
      world.watch.reply(await world.tool());
      world.watch.reply(await world.call('tools/list', {}));
    }),
  ],
  ERR_MRTR_UNAUTHENTICATED: [
    refused('nobody', async (world) => {
      await world.serve();
      world.user = undefined;
      world.watch.reply(await world.tool());
    }),
  ],
  ERR_MRTR_HANDLER: [
    fault('a tool that throws', (world) =>
      world.both({}, (text) => {
        throw new Error(`${SECRET.thrown} ${text}`);
      }),
    ),
    fault('a prompt and a resource that throw', async (world) => {
      await world.serve({
        prompts: [prompt('run', {}, rebuke)],
        resources: [resource('run', 'test://run', {}, rebuke)],
      });
      world.watch.reply(await world.call('prompts/get', { name: 'run', arguments: ARGS }));
      world.watch.reply(await world.call('resources/read', { uri: 'test://run' }));
    }),
    fault('a list and a completer that throw', async (world) => {
      const language = completable(z.string(), rebuke);
      await world.serve({
        prompts: [prompt('code', { argsSchema: z.object({ language }) }, () => '')],
        resources: [resourceTemplate('t', 'test://{id}', { list: rebuke, complete: { id: rebuke } }, () => '')],
      });
      const ref = [
        { ref: { type: 'ref/prompt', name: 'code' }, argument: { name: 'language', value: SECRET.argument } },
        { ref: { type: 'ref/resource', uri: 'test://{id}' }, argument: { name: 'id', value: SECRET.argument } },
      ];
      for (const params of ref) world.watch.reply(await world.call('completion/complete', params));
      world.watch.reply(await world.call('resources/list', {}));
      expect(world.watch.errors).toHaveLength(3);
    }),
    fault('a handler that throws in the stream it has opened', async (world) => {
      await world.serve({}, (text, ctx) => {
        ctx.progress(1);
        throw new Error(text);
      });
      const meta = { progressToken: 1 };
      const requestState = await world.ask();
      const params = { name: 'run', arguments: ARGS, requestState, inputResponses: { 'elicit-1': ANSWER } };
      const reply = await world.rig.call('tools/call', params, { headers: HEADERS, meta });
      expect(reply.type).toBe('text/event-stream');
      world.watch.reply(reply);
    }),
    fault('what throws for a client of an earlier revision', async (world) => {
      await world.serve({ tools: [tool('run', {}, rebuke)] });
      const body = { jsonrpc: '2.0', id: 1, method: 'tools/call', params: { name: 'run', arguments: ARGS } };
      world.watch.reply(await world.rig.post(body, { ...LEGACY, ...HEADERS }));
    }),
  ],
  ERR_MRTR_HANDLER_TIMEOUT: [
    fault('a handler that does not settle', (world) =>
      world.both({ handlerTimeoutSeconds: 0.05 }, (text, ctx) => {
        return new Promise((_resolve, reject) => ctx.signal.addEventListener('abort', () => reject(new Error(text))));
      }),
    ),
  ],
  ERR_MRTR_RESULT: [
    fault('junk', (world) => world.both({}, (text) => ({ [text]: text }))),
    fault('what cannot be serialised', (world) =>
      world.both({}, (text) => ({ content: [], structuredContent: { [text]: 1n, toJSON: rebuke } })),
    ),
  ],
  ERR_MRTR_OUTPUT_SCHEMA: [
    fault('a result off its schema, by a validator that repeats what it found', async (world) => {
      const outputSchema = echoing();
      const structured = (text: string) => ({
        content: [],
        structuredContent: { note: { nested: [text] }, more: text },
      });
      const run = async (_args: unknown, ctx: Context) => {
        const answer = await ctx.elicit({ message: SECRET.question, form: TEXT });
        return structured(answer.action === 'accept' ? answer.content.text : '');
      };
      await world.serve({ tools: [tool('run', { outputSchema }, run)] });
      await world.answer(await world.ask());
    }),
  ],
  ERR_MRTR_RESOURCE_NOT_FOUND: [
    refused('a resource that is not there', async (world) => {
      const missing = (uri: URL): never => {
        throw new ResourceNotFoundError(uri.href);
      };
      await world.serve({ resources: [resourceTemplate('t', 'test://{id}', {}, missing)] });
      const uri = `test://${SECRET.argument}`;
      const reply = await world.call('resources/read', { uri });
      // The specification wants the URI in the error's data: nowhere else may it be.
      expect(reply.body).toMatchObject({ error: { data: { uri } } });
      world.watch.bodies.push(reply.text.replace(`"data":${JSON.stringify({ uri })}`, ''));
    }),
  ],
  ERR_MRTR_CODEC: [
    fault('a codec that cannot seal', async (world) => {
      await world.serve({ codec: { seal: rebuke, unseal: rebuke } });
      world.watch.reply(await world.tool());
    }),
    fault('a codec that cannot unseal', async (world) => {
      await world.serve({
        codec: {
          seal: () => 'sealed',
          unseal(token) {
            throw new Error(`${SECRET.thrown} ${token}`);
          },
        },
      });
      await world.answer(await world.ask());
    }),
    fault('a codec that seals to no text', async (world) => {
      await world.serve({ codec: { seal: (state) => [SECRET.answer, state] as never, unseal: () => undefined } });
      world.watch.reply(await world.tool());
    }),
  ],
  ERR_MRTR_KEYS: [
    fault('a key provider that fails', async (world) => {
      await world.serve({ keys: { current: rebuke, resolve: rebuke } });
      world.watch.reply(await world.tool());
    }),
    fault('a key provider that gives what is no key', async (world) => {
      await world.serve({ keys: { current: () => KEY.slice(1), resolve: () => OTHER_KEY.slice(1) } });
      world.watch.reply(await world.tool());
    }),
  ],
  ERR_MRTR_MAILBOX: [
    fault('a mailbox that fails', async (world) => {
      const mailbox = { ready: rebuke, park: rebuke, deliver: rebuke };
      await world.serve({ legacy: { mailbox } });
      const client = await legacyClient(world);
      await legacyReply(world, await client.tool('run', ARGS));
    }),
    fault('a mailbox that takes no answer', async (world) => {
      const mailbox = { park: () => Promise.resolve(undefined), deliver: rebuke };
      await world.serve({ legacy: { mailbox } });
      const client = await legacyClient(world);
      const asked = await (await client.tool('run', ARGS)).next();
      const reply = await client.post({ jsonrpc: '2.0', id: asked.id, result: ANSWER });
      world.watch.bodies.push(await reply.text());
    }),
  ],
  ERR_MRTR_SESSION: [
    refused('another user', async (world) => {
      await world.serve();
      const client = await legacyClient(world);
      world.user = { sub: `${SECRET.user}-2` };
      await legacyReply(world, await client.tool('run', ARGS));
    }),
  ],
  ERR_MRTR_SESSION_EXPIRED: [
    refused('a session of yesterday', async (world) => {
      await world.serve();
      const client = await legacyClient(world);
      world.clock += 86_400_000;
      await legacyReply(world, await client.tool('run', ARGS));
    }),
  ],
  ERR_MRTR_REQUEST_ID: [
    refused('an answer to what was not asked', async (world) => {
      await world.serve();
      const client = await legacyClient(world);
      expect(await client.respond({ id: SECRET.answer }, ANSWER)).toBe(202);
    }),
  ],
  ERR_MRTR_CLIENT: [
    fault('a client that answers with an error', async (world) => {
      await world.serve();
      const client = await legacyClient(world);
      const call = await client.tool('run', ARGS);
      const { id } = await call.next();
      const error = { code: -1, message: SECRET.answer, data: SECRET.answer };
      await client.post({ jsonrpc: '2.0', id, error });
      await legacyReply(world, call);
    }),
  ],
  ERR_MRTR_ELICITATION_TIMEOUT: [silent('nobody who answers', (world) => legacyTimeout(world))],
  ERR_MRTR_SAMPLING_TIMEOUT: [
    silent('a model that does not answer', (world) => {
      const messages = [{ role: 'user' as const, content: { type: 'text', text: SECRET.question } }];

      return legacyTimeout(world, (ctx) => ctx.sample({ messages, maxTokens: 1 }));
    }),
  ],
  ERR_MRTR_STORE: [
    fault('a store that fails', (world) =>
      world.both({ replay: { store: { claim: rebuke, settle: rebuke, release: rebuke } } }),
    ),
    fault('a store that cannot settle', (world) =>
      world.both(
        { replay: { store: { claim: () => ({ kind: 'claimed' }), settle: rebuke, release: rebuke } } },
        () => 'done',
      ),
    ),
  ],
  ERR_MRTR_STATE_TOO_LARGE: [
    fault('answers that outgrow a state', async (world) => {
      await world.serve({ maxStateBytes: 1024 }, (_text, ctx) => ctx.confirm(`${SECRET.question} again?`));
      const content = { text: SECRET.answer.repeat(100) };
      await world.answer(await world.ask(), { action: 'accept', content });
    }),
  ],
  ERR_MRTR_STATE_MALFORMED: [
    refusedState('a padded state', (state) => `${state}=`),
    refusedState('a state that is no text', (state) => [state]),
  ],
  ERR_MRTR_STATE_UNKNOWN_KEY: [
    refusedState('a state under another key', (state) => state.replace(/\.[^.]+\./, '.AAAAAA.')),
  ],
  ERR_MRTR_STATE_UNVERIFIED: [
    refusedState('a state with another end', (state) => `${state.slice(0, -8)}AAAAAAAA`),
    refusedState("somebody else's state", (state, world) => {
      world.user = { sub: `${SECRET.user}-two` };
      return state;
    }),
  ],
  ERR_MRTR_STATE_EXPIRED: [refusedState('a state whose time is up', later(300_000))],
  ERR_MRTR_STATE_FLOW_EXPIRED: [refusedState('a flow whose time is up', later(3_600_000), { ttlSeconds: 7200 })],
  ERR_MRTR_STATE_FUTURE: [refusedState('a state of tomorrow', later(-60_001))],
  ERR_MRTR_STATE_PARAMS: [
    refused('a state for other arguments', async (world) => {
      await world.serve();
      const requestState = await world.ask();
      world.watch.reply(await world.tool({ requestState }, { note: `${SECRET.argument}-two` }));
    }),
  ],
  ERR_MRTR_STATE_ROUNDS: [
    refused('a flow of too many rounds', (world) =>
      world.both({ maxRounds: 1 }, (text, ctx) => ctx.confirm(`${SECRET.question} about ${text}?`)),
    ),
  ],
  ERR_MRTR_STATE_SPENT: [
    refused('a state presented again with another answer', async (world) => {
      await world.serve({ replay: { store: new MemoryReplayStore() } });
      const state = await world.ask();
      await world.tool({ requestState: state, inputResponses: { 'elicit-1': ANSWER } });
      await world.answer(state, { action: 'accept', content: { text: `${SECRET.answer}-two` } });
    }),
  ],
  ERR_MRTR_STATE_IN_FLIGHT: [
    refused('a state presented again while it is served', async (world) => {
      let [started, finish] = [(): void => {}, (): void => {}];
      const running = new Promise<void>((resolve) => (started = resolve));
      const finished = new Promise<void>((resolve) => (finish = resolve));
      await world.serve({ replay: { store: new MemoryReplayStore(), waitSeconds: 0 } }, async (text) => {
        started();
        await finished;
        return text;
      });
      const state = await world.ask();
      const first = world.tool({ requestState: state, inputResponses: { 'elicit-1': ANSWER } }).then((reply) => reply);
      await running;
      await world.answer(state);
      finish();
      await first;
    }),
  ],
  ERR_MRTR_INTERNAL: [
    fault('a validator of arguments that throws', async (world) => {
      await world.serve({
        tools: [tool('run', { inputSchema: z.object({ note: z.string().refine(rebuke) }) }, () => '')],
      });
      world.watch.reply(await world.tool());
      const body = { jsonrpc: '2.0', id: 1, method: 'tools/call', params: { name: 'run', arguments: ARGS } };
      world.watch.reply(await world.rig.post(body, { ...LEGACY, ...HEADERS }));
      expect(world.watch.errors).toHaveLength(2);
    }),
  ],
};

/** Failures that have no code of their own. */
const OTHERS: readonly Path[] = [
  silent('unusable answers to a tool', async (world) => {
    await world.serve({ maxAttempts: 1 });
    await world.answer(await world.ask(), { ...ANSWER, content: { text: [SECRET.answer] } });
  }),
  silent('arguments off their schema, by a validator that repeats what it found', async (world) => {
    const schemas = [
      echoing(),
      valibot(),
      z.strictObject({ note: z.enum(['a']) }),
      { type: 'object', properties: { note: { const: 'a' } } },
    ];
    for (const inputSchema of schemas) {
      await world.serve({
        tools: [tool('run', { inputSchema }, () => 'ran')],
        prompts: [prompt('run', { argsSchema: inputSchema }, () => 'ran')],
      });
      const params = { name: 'run', arguments: ARGS };
      for (const method of ['tools/call', 'prompts/get']) {
        const replies = [
          await world.call(method, params),
          await world.rig.post(
            { jsonrpc: '2.0', id: 1, method, params },
            { ...LEGACY, 'mcp-method': method, ...HEADERS },
          ),
        ];
        for (const reply of replies)
          expect(world.watch.reply(reply).text).toMatch(/Invalid arguments for (tool|prompt) .*run/);
      }
    }
  }),
  silent('a header that is not the argument it repeats', async (world) => {
    const note = { type: 'string', 'x-mcp-header': 'note' };
    await world.serve({ tools: [tool('run', { inputSchema: { type: 'object', properties: { note } } }, () => 'ran')] });
    const params = { name: 'run', arguments: ARGS };
    for (const value of [SECRET.header, `=?base64?${SECRET.header}?=`]) {
      const reply = world.watch.reply(await world.call('tools/call', params, { 'mcp-param-note': value }));
      expect(reply.body).toMatchObject({ error: { code: -32020 } });
    }
    world.watch.reply(await world.call('tools/call', params));
  }),
  silent('a body that is none', async (world) => {
    for (const before of [[], [(world.express ?? express).json()]]) {
      await world.serve({ before, bodyLimit: '100kb' });
      for (const body of [`{"${SECRET.argument}`, SECRET.answer, `"${SECRET.answer.repeat(10_000)}"`]) {
        const reply = world.watch.reply(await world.rig.post(body, { ...headersOf('tools/call', 'run'), ...HEADERS }));
        expect(reply.body).toMatchObject({ error: { code: expect.any(Number) } });
      }
      world.watch.reply(await world.rig.post(SECRET.argument, { 'content-type': 'text/plain' }));
    }
  }),
  silent('a call of the wrong form', async (world) => {
    await world.serve();
    const call = { jsonrpc: '2.0', id: 1, method: 'tools/call', params: { name: 'run', arguments: ARGS } };
    const headers = { ...headersOf('tools/call', 'run'), ...HEADERS };
    const notification = { ...call, id: undefined, params: { ...call.params, _meta: {} } };
    for (const body of [[call, call], notification, { ...call, id: null }, call]) {
      world.watch.reply(await world.rig.post(body, headers));
    }
    world.watch.reply(await world.tool({}, [SECRET.argument]));
    world.watch.reply(await world.tool({}, SECRET.argument));
    world.watch.reply(await world.tool({ inputResponses: [SECRET.answer] }));
    world.watch.reply(await world.tool({ inputResponses: { 'elicit-1': SECRET.answer } }));
    world.watch.reply(await world.tool({ inputResponses: { 'elicit-1': deep(SECRET.answer, 80) } }));
    world.watch.reply(await world.tool({}, { note: deep(SECRET.argument, 300) }));
    world.watch.reply(await request(world.rig.url).get('/mcp').set(HEADERS));
    expect(world.watch.bodies.filter((body) => body.includes('"result"'))).toEqual([]);
  }),
  silent('a page and a host from elsewhere', async (world) => {
    await world.serve();
    for (const foreign of [{ origin: 'https://evil.example' }, { host: 'evil.example' }]) {
      const reply = await world.call('tools/call', { name: 'run', arguments: ARGS }, foreign);
      expect(world.watch.reply(reply).status).toBe(403);
    }
  }),
];

const CODES = Object.entries(PATHS).flatMap(([code, paths]) =>
  typeof paths === 'string' ? [] : paths.map((path) => [code, path.title, path] as const),
);
const UNREACHED = Object.entries(PATHS).filter(([, paths]) => typeof paths === 'string');

afterAll(closeAll);

describe.each(EXPRESSES)('C121 nothing secret gets out on %s', (_name, make) => {
  async function watched({ drive }: Path): Promise<Watch> {
    const world = new World(make);
    await world.watch.during(() => drive(world));
    return world.watch;
  }

  it.each(CODES)('with %s of %s', async (code, _title, path) => {
    const watch = await watched(path);
    const events = watch.events.filter(({ name }) => name === path.on).map(({ payload }) => payload);
    expect(events.map(({ reason, code: found }) => reason ?? found)).toEqual(
      path.on === undefined ? [] : events.map(() => code),
    );
    expect(events.length > 0).toBe(path.on !== undefined);
    expect(watch.output).toMatch(/ router dispatching POST| express:router dispatching POST/);
    expect(watch.leaks()).toEqual([]);
  });

  it.each(OTHERS.map((path) => [path.title, path] as const))('with %s', async (_title, path) => {
    const watch = await watched(path);
    expect(watch.bodies.length).toBeGreaterThan(0);
    expect(watch.leaks()).toEqual([]);
  });
});

describe('C121 the watch', () => {
  it('drives every code but those that cannot come about in serving', () => {
    expect(UNREACHED.map(([code]) => code)).toEqual(['ERR_MRTR_OPTION', 'ERR_MRTR_DEFINITION', 'ERR_MRTR_TOOL']);
    expect(CODES.length).toBeGreaterThan(40);
  });

  it('sees a secret wherever it gets out', async () => {
    const world = new World(express);
    await world.watch.during(async () => {
      await world.serve({ exposeErrors: true }, (text) => {
        console.error({ deep: { down: [text] } });
        process.stderr.write(`${KEY}\n`);
        process.emitWarning(SECRET.user);
        throw new Error(SECRET.thrown);
      });
      const state = await world.ask();
      process.stdout.write(state);
      await world.answer(state);
    });
    expect(world.watch.leaks()).toEqual([
      `reply: ${SECRET.thrown}`,
      `output: ${SECRET.answer}`,
      `output: ${SECRET.user}`,
      'output: a key',
      'output: a state',
    ]);
  });

  it('sees a secret in an event and in a message of this package', () => {
    const watch = new Watch();
    watch.events.push({ name: 'mrtr:error', payload: { a: { b: { c: { d: SECRET.user } } } } });
    watch.errors.push(new ResourceNotFoundError(SECRET.argument), new Error(SECRET.thrown));
    expect(watch.leaks()).toEqual([`mrtr:error: ${SECRET.user}`, `error.message: ${SECRET.argument}`]);
  });
});

function later(ms: number): (state: string, world: World) => string {
  return (state, world) => {
    world.clock += ms;
    return state;
  };
}

function deep(value: unknown, levels: number): unknown {
  return levels === 0 ? value : { inner: deep(value, levels - 1) };
}

/** A schema whose validator repeats all that it was given, as custom messages may. */
function echoing(): never {
  const found = (value: unknown): string => `cannot take ${JSON.stringify(value)}`;
  return standard((value) => [
    { message: found((value as { note: unknown }).note), path: ['note'] },
    { message: found(value) },
  ]);
}

function valibot(): never {
  const schema = v.strictObject({ note: v.number() });
  return standard((value) => v.safeParse(schema, value).issues?.map(({ message }) => ({ message })) ?? []);
}

function standard(issues: (value: unknown) => { message: string; path?: string[] }[]): never {
  const json = (): object => ({ type: 'object', properties: { note: {} } });
  const validate = (value: unknown): object => ({ issues: issues(value) });
  return { '~standard': { version: 1, vendor: 'spec', validate, jsonSchema: { input: json, output: json } } } as never;
}
