import { setTimeout as delay } from 'node:timers/promises';
import type { Context, Mailbox } from '../../lib/index.js';
import {
  ElicitationTimeoutError,
  field,
  form,
  MemoryMailbox,
  prompt,
  resource,
  SamplingTimeoutError,
  tool,
} from '../../lib/index.js';
import { Clock } from '../support/clock.js';
import { FakeTimers } from '../support/engine.js';
import { closeAll, eventsOf, EXPRESSES, headersOf, KEY, metaOf, rig, YES, type RigOptions } from '../support/http.js';
import { LegacyClient, type Exchange, type Message } from '../support/legacy-client.js';
import { ManualClock } from '../support/mailbox.js';

afterAll(closeAll);

const NAME = form({ name: field.string({ minLength: 2 }) });

const SIZES = [
  { value: 'S', title: 'Small' },
  { value: 'M', title: 'Medium' },
] as const;

/** Runs of the tool `ask`, and what its context saw. */
let runs = 0;
let signals: AbortSignal[] = [];

beforeEach(() => {
  runs = 0;
  signals = [];
});

const definitions = {
  tools: [
    tool('plain', {}, (_args, ctx) => `plain for ${ctx.principal?.subject} by ${ctx.protocolVersion}`),
    tool('ask', {}, async (_args, ctx) => {
      runs += 1;
      signals.push(ctx.signal);
      const answer = await ctx.elicit({ message: 'Your name?', form: NAME });
      return answer.action === 'accept' ? answer.content.name : answer.action;
    }),
    tool('caught', {}, async (_args, ctx) => {
      runs += 1;
      await ctx.confirm('Really?').catch(() => false);
      return 'went on';
    }),
    tool('gated', { requires: ['elicitation.form'] }, () => {
      runs += 1;
      return 'ran';
    }),
    tool('two', {}, async (_args, ctx) => {
      const [size, sure] = await Promise.all([
        ctx.elicit({ message: 'Size?', form: form({ size: field.choice(SIZES) }) }),
        ctx.confirm('Sure?'),
      ]);
      return `${size.action === 'accept' ? size.content.size : size.action} ${sure}`;
    }),
    tool('late', {}, async (_args, ctx) => {
      try {
        await ctx.confirm('Still there?');
      } catch (error) {
        return error instanceof ElicitationTimeoutError ? `${error.code}: ${error.message}` : 'another error';
      }
      return 'answered';
    }),
    tool('model', {}, async (_args, ctx) => {
      try {
        const messages = [{ role: 'user' as const, content: { type: 'text', text: 'Hi' } }];

        const said = await ctx.sample({ messages, maxTokens: 5 });
        return `${said.model}: ${JSON.stringify(said.content)}`;
      } catch (error) {
        return error instanceof SamplingTimeoutError ? error.code : 'another error';
      }
    }),

    tool('roots', {}, async (_args, ctx) => (await ctx.listRoots()).map(({ uri }) => uri).join()),
    tool('link', {}, async (_args, ctx) => {
      let visits = 0;
      const until = (): boolean => ++visits > 1;
      return (await ctx.elicitUrl({ message: 'Pay', url: 'https://pay.example/1', until })).action;
    }),
    tool('steps', {}, async (_args, ctx) => {
      const first = await ctx.step('load', () => ++runs);
      await ctx.confirm('Go on?');
      const key = ctx.idempotencyKey('x');
      return `${first} ${await ctx.step('pay', () => ++runs)} ${key === ctx.idempotencyKey('x') && key.length === 43} ${ctx.round}`;
    }),
    tool('tells', {}, async (_args, ctx) => {
      ctx.progress(1, 2, 'half');
      ctx.log('info', { at: 'start' });
      ctx.log('debug', 'too low');
      const sure = await ctx.confirm('Sure?');
      ctx.progress(2, 2);
      return String(sure);
    }),
    tool('forgets', {}, (_args, ctx) => {
      void ctx.confirm('Unheard?');
      return new Promise<string>((resolve) => setImmediate(() => setImmediate(() => resolve('done'))));
    }),
    tool('modern', {}, () => ({
      content: [],
      resultType: 'complete' as const,
      _meta: { mine: 1, 'io.modelcontextprotocol/serverInfo': { name: 'x' } },
    })),
  ],
  prompts: [prompt('letter', {}, async (_args, ctx) => ((await ctx.confirm('Formal?')) ? 'Dear' : 'Hi'))],
  resources: [
    resource('vault', 'test://vault', { ttlMs: 5, cacheScope: 'public' }, async (_uri, ctx) =>
      (await ctx.confirm('Open?')) ? 'gold' : 'shut',
    ),
  ],
};

async function serve(options: RigOptions = {}): Promise<{ url: string; mailbox: MemoryMailbox }> {
  const mailbox = new MemoryMailbox();
  const legacy = typeof options.legacy === 'object' ? options.legacy : {};
  const { url } = await rig({ ...definitions, ...options, legacy: { mailbox, ...legacy } });
  return { url, mailbox };
}

const textOf = ({ result }: Message): string => (result?.['content'] as { text: string }[])[0]?.text ?? '';

/** Until what a test waits for is so; its own time-out is the test's. */
async function until(holds: () => boolean): Promise<void> {
  while (!holds()) await delay(1);
}

describe.each(EXPRESSES)('clients of MCP 2025-11-25 and 2025-06-18 on %s', (_name, express) => {
  describe('a session', () => {
    it.each([
      ['2025-11-25', '2025-11-25'],
      ['2025-06-18', '2025-06-18'],
      ['2025-03-26', '2025-11-25'],
      ['2024-11-05', '2025-11-25'],
      ['1999-01-01', '2025-11-25'],
    ])('is begun by initialize: asked for %s, it speaks %s', async (version, spoken) => {
      const { url } = await serve({ express });
      const client = await LegacyClient.connect(url, { version });
      expect(textOf(await (await client.tool('plain')).reply())).toBe(`plain for ann by ${spoken}`);
    });

    it('is opened by every node with the same keys, and by no other principal', async () => {
      const [{ url }, other] = [await serve({ express }), await serve({ express })];
      const client = await LegacyClient.connect(url);
      expect(textOf(await (await client.at(other.url).tool('plain')).reply())).toContain('plain for ann');
      const refused = await eventsOf('mrtr:refused', async () => {
        const exchange = await client.with({ 'x-user': 'bob' }).tool('ask');
        expect(exchange.response.status).toBe(404);
        expect(await exchange.reply()).toMatchObject({ error: { code: -32600 } });
      });
      expect(refused).toEqual([{ method: 'tools/call', target: 'ask', reason: 'ERR_MRTR_SESSION' }]);
      expect(runs).toBe(0);
    });

    it('that was altered or has expired is not found', async () => {
      const clock = new Clock();
      const { url } = await serve({ express, now: clock.now, legacy: { sessionTtlSeconds: 60 } });
      const client = await LegacyClient.connect(url);
      const altered = client.session.replace(/.$/, (last) => (last === 'A' ? 'B' : 'A'));
      const refused = await eventsOf<{ reason: string }>('mrtr:refused', async () => {
        expect((await client.with({ 'mcp-session-id': altered }).tool('ask')).response.status).toBe(404);
        clock.advance(60_000);
        expect((await client.tool('ask')).response.status).toBe(404);
        expect(await client.notify('notifications/initialized', {})).toBe(404);
      });
      expect(refused.map(({ reason }) => reason)).toEqual([
        'ERR_MRTR_SESSION',
        'ERR_MRTR_SESSION_EXPIRED',
        'ERR_MRTR_SESSION_EXPIRED',
      ]);
      expect(runs).toBe(0);
    });

    it('serves ping, setLevel, lists and notifications; has no stream, no end and no batches', async () => {
      const { url } = await serve({ express });
      const client = await LegacyClient.connect(url);
      expect((await (await client.open('ping')).reply()).result).toEqual({});
      expect((await (await client.open('logging/setLevel', { level: 'error' })).reply()).result).toEqual({});
      expect((await (await client.open('tools/list')).reply()).result).toHaveProperty('tools');
      expect((await (await client.open('tools/call', { name: 'unknown' })).reply()).error?.code).toBe(-32602);
      expect(await client.notify('notifications/initialized', {})).toBe(202);
      for (const method of ['GET', 'DELETE']) {
        expect((await fetch(`${url}/mcp`, { method, headers: client.headers })).status).toBe(405);
      }
      const batch = await client.post([{ jsonrpc: '2.0', id: 1, method: 'tools/call', params: { name: 'ask' } }]);
      expect([batch.status, await batch.json()]).toMatchObject([400, { error: { code: -32600 } }]);
      expect(runs).toBe(0);
    });

    it('is served only under a revision that is known', async () => {
      const { url } = await serve({ express });
      const client = await LegacyClient.connect(url);
      const exchange = await client.with({ 'mcp-protocol-version': '2025-03-26' }).tool('ask');
      expect(exchange.response.status).toBe(400);
      expect((await exchange.reply()).error?.message).toBe(
        'MCP-Protocol-Version "2025-03-26" is not served; this server speaks 2026-07-28, 2025-11-25 and 2025-06-18.',
      );
      expect(runs).toBe(0);
    });
  });

  describe('a question', () => {
    it('goes out on the stream of the call, and the handler runs once', async () => {
      const { url, mailbox } = await serve({ express });
      const client = await LegacyClient.connect(url);
      const rounds = await eventsOf('mrtr:round', async () => {
        const call = await client.tool('ask');
        expect(call.streamed).toBe(true);
        const asked = await call.next();
        expect(asked).toEqual({
          jsonrpc: '2.0',
          id: expect.stringMatching(/^mrtr1\./),
          method: 'elicitation/create',
          params: {
            mode: 'form',
            message: 'Your name?',
            requestedSchema: {
              type: 'object',
              properties: { name: { type: 'string', minLength: 2 } },
              required: ['name'],
            },
          },
        });
        expect(mailbox.parked).toBe(1);
        expect(await client.respond(asked, { action: 'accept', content: { name: 'Ann' } })).toBe(202);
        expect(await call.reply()).toEqual({
          jsonrpc: '2.0',
          id: call.id,
          result: { content: [{ type: 'text', text: 'Ann' }] },
        });
      });
      expect(runs).toBe(1);
      expect(mailbox.parked).toBe(0);
      expect(rounds).toEqual([
        {
          method: 'tools/call',
          target: 'ask',
          flowId: expect.any(String),
          round: 1,
          outcome: 'complete',
          durationMs: expect.any(Number),
          answered: 1,
          questions: [{ key: 'elicit-1', kind: 'elicit', fingerprint: expect.any(String) }],
        },
      ]);
    });

    it('reaches a client of 2025-06-18 in the words of that revision', async () => {
      const { url } = await serve({ express });
      const client = await LegacyClient.connect(url, { version: '2025-06-18', capabilities: { elicitation: {} } });
      const call = await client.tool('two');
      const [size, sure] = [await call.next(), await call.next()];
      expect(size.params).toEqual({
        message: 'Size?',
        requestedSchema: {
          type: 'object',
          properties: { size: { type: 'string', enum: ['S', 'M'], enumNames: ['Small', 'Medium'] } },
          required: ['size'],
        },
      });
      await client.respond(size, { action: 'accept', content: { size: 'M' } });
      await client.respond(sure, YES);
      expect(textOf(await call.reply())).toBe('M true');
      const link = await (await client.tool('link')).reply();
      expect(textOf(link)).toContain('elicitation.url');
    });

    it('goes out together with the others of its turn, and answers may come in any order', async () => {
      const { url } = await serve({ express });
      const client = await LegacyClient.connect(url);
      const call = await client.tool('two');
      const asked = [await call.next(), await call.next()];
      expect(asked.map(({ params }) => params?.['message'])).toEqual(['Size?', 'Sure?']);
      const [size, sure] = asked as [Message, Message];
      await client.respond(sure, YES);
      await client.respond(size, { action: 'accept', content: { size: 'S' } });
      expect(textOf(await call.reply())).toBe('S true');
    });

    it.each(['decline', 'cancel'])('%s reaches the handler, without content', async (action) => {
      const { url } = await serve({ express });
      const client = await LegacyClient.connect(url);
      const call = await client.tool('ask');
      await client.respond(await call.next(), { action, content: { name: 'Ann' } });
      expect(textOf(await call.reply())).toBe(action);
    });

    it('is asked again with the reason after an unusable answer, until maxAttempts', async () => {
      const { url } = await serve({ express, maxAttempts: 3 });
      const client = await LegacyClient.connect(url);
      const call = await client.tool('ask');
      const first = await call.next();
      await client.respond(first, { action: 'accept', content: { name: 'A' } });
      const second = await call.next();
      expect(second.id).not.toBe(first.id);
      expect(second.params?.['message']).toMatch(/^Your name\?\n\n.*name/s);
      expect(await client.respond(second, 'no object at all')).toBe(400);
      await client.respond(second, {});
      await client.respond(await call.next(), { action: 'accept' });
      expect(await call.reply()).toMatchObject({
        result: { isError: true, content: [{ text: expect.stringContaining('too many unusable answers') }] },
      });
      expect(runs).toBe(1);
    });

    it('that nests too deeply to be looked at is unusable like any other', async () => {
      const { url } = await serve({ express });
      const client = await LegacyClient.connect(url);
      const call = await client.tool('ask');
      let deep: unknown = 'x';
      for (let i = 0; i < 100; i += 1) deep = [deep];
      expect(await client.respond(await call.next(), { action: 'accept', content: { name: deep } })).toBe(202);
      expect((await call.next()).params?.['message']).toContain('no valid action');
      call.disconnect();
    });

    it('answered with an error is a failed tool, not a hung one', async () => {
      const codes: string[] = [];
      const { url } = await serve({ express, onError: (_error, { code }) => codes.push(code) });
      const client = await LegacyClient.connect(url);
      const call = await client.tool('ask');
      const { id } = await call.next();
      await client.post({ jsonrpc: '2.0', id, error: { code: -1, message: 'SENTINEL' } });
      expect(await call.reply()).toMatchObject({ result: { isError: true, content: [{ text: 'The tool failed.' }] } });
      expect(codes).toEqual(['ERR_MRTR_CLIENT']);
    });

    it('of prompts and resources works alike, and no reply holds what the revision does not know', async () => {
      const { url } = await serve({ express });
      const client = await LegacyClient.connect(url);
      const letter = await client.open('prompts/get', { name: 'letter' });
      await client.respond(await letter.next(), YES);
      const vault = await client.open('resources/read', { uri: 'test://vault' });
      await client.respond(await vault.next(), YES);
      const modern = await client.tool('modern');
      const replies = [await letter.reply(), await vault.reply(), await modern.reply()];
      expect(replies.map(({ result }) => result)).toEqual([
        { messages: [{ role: 'user', content: { type: 'text', text: 'Dear' } }] },
        { contents: [{ uri: 'test://vault', text: 'gold' }] },
        { content: [], _meta: { mine: 1 } },
      ]);
    });

    it('to the model and for the roots is answered by the client', async () => {
      const { url } = await serve({ express });
      const client = await LegacyClient.connect(url);
      const model = await client.tool('model');
      const asked = await model.next();
      expect(asked).toMatchObject({ method: 'sampling/createMessage', params: { maxTokens: 5 } });
      await client.respond(asked, { role: 'assistant', model: 'm1', content: { type: 'text', text: 'Ho' } });
      expect(textOf(await model.reply())).toBe('m1: {"type":"text","text":"Ho"}');
      const roots = await client.tool('roots');
      const listed = await roots.next();
      expect(listed).toEqual({ jsonrpc: '2.0', id: expect.any(String), method: 'roots/list' });
      await client.respond(listed, { roots: [{ uri: 'file:///a' }] });
      expect(textOf(await roots.reply())).toBe('file:///a');
    });

    it('with a link has an elicitationId, and is asked again until what it leads to is done', async () => {
      const timers = new FakeTimers();
      const { url } = await serve({ express, timers });
      const client = await LegacyClient.connect(url);
      const call = await client.tool('link');
      const first = await call.next();
      const params = { mode: 'url', message: 'Pay', url: 'https://pay.example/1', elicitationId: expect.any(String) };
      expect(first.params).toEqual(params);
      timers.fire(1000);
      await client.respond(first, { action: 'accept' });
      await until(() => timers.pending.some(({ ms }) => ms === 1000));
      timers.fire(1000);
      const second = await call.next();
      expect(second.params).toMatchObject({ message: 'Pay\n\nThis is not done yet.' });
      expect(second.params?.['elicitationId']).not.toBe(first.params?.['elicitationId']);
      await client.respond(second, { action: 'accept' });
      expect(textOf(await call.reply())).toBe('accept');
    });

    it('leaves steps as they were: each ran once, and idempotency keys hold', async () => {
      const { url } = await serve({ express });
      const client = await LegacyClient.connect(url);
      const call = await client.tool('steps');
      await client.respond(await call.next(), YES);
      expect(textOf(await call.reply())).toBe('1 2 true 1');
    });

    it('goes with progress and log messages on one stream', async () => {
      const { url } = await serve({ express });
      const client = await LegacyClient.connect(url);
      const call = await client.tool('tells', {}, { progressToken: 'p' });
      expect([await call.next(), await call.next()]).toMatchObject([
        { method: 'notifications/progress', params: { progressToken: 'p', progress: 1, total: 2, message: 'half' } },
        { method: 'notifications/message', params: { level: 'info', data: { at: 'start' } } },
      ]);
      await client.respond(await call.next(), YES);
      expect(await call.next()).toMatchObject({ method: 'notifications/progress', params: { progress: 2 } });
      expect(textOf(await call.reply())).toBe('true');
    });
  });

  describe('what a client cannot be asked', () => {
    it.each([['ask'], ['caught'], ['gated']])('is a clear tool error of %s at once', async (name) => {
      const { url, mailbox } = await serve({ express });
      const client = await LegacyClient.connect(url, { capabilities: { roots: {} } });
      const refused = await eventsOf<{ reason: string }>('mrtr:refused', async () => {
        const call = await client.tool(name);
        expect(call.streamed).toBe(false);
        expect(await call.reply()).toMatchObject({
          result: {
            isError: true,
            content: [
              {
                text: 'This call needs what this client cannot be asked for: elicitation.form. It did not declare that in initialize.',
              },
            ],
          },
        });
      });
      expect(refused).toMatchObject([{ reason: 'ERR_MRTR_CAPABILITY', target: name }]);
      expect(runs).toBe(name === 'gated' ? 0 : 1);
      expect(mailbox.parked).toBe(0);
    });

    it('is a clear error of prompts and resources', async () => {
      const { url } = await serve({ express });
      const client = await LegacyClient.connect(url, { capabilities: {} });
      for (const [method, params] of [
        ['prompts/get', { name: 'letter' }],
        ['resources/read', { uri: 'test://vault' }],
      ] as const) {
        const { error } = await (await client.open(method, params)).reply();
        expect(error).toMatchObject({ code: -32600, message: expect.stringContaining('elicitation.form') });
      }
    });

    it('includes everything without a session, and without a stream', async () => {
      const { url } = await serve({ express });
      const client = await LegacyClient.connect(url);
      const { 'mcp-session-id': _session, ...stateless } = client.headers;
      const without = await (await new LegacyClient(url, stateless).tool('ask')).reply();
      expect(textOf(without)).toContain('2026-07-28');
      const json = await (await client.with({ accept: 'application/json' }).tool('ask')).reply();
      expect(textOf(json)).toContain('text/event-stream');
      expect(runs).toBe(2);
    });
  });

  describe('a response', () => {
    async function open(options: RigOptions = {}): Promise<{ client: LegacyClient; call: Exchange; asked: Message }> {
      const { url } = await serve({ express, ...options });
      const client = await LegacyClient.connect(url);
      const call = await client.tool('ask');
      return { client, call, asked: await call.next() };
    }
    const ANN = { action: 'accept', content: { name: 'Ann' } };
    const BOB = { action: 'accept', content: { name: 'Bob' } };

    it('may reach another node than the call', async () => {
      const mailbox = new MemoryMailbox();
      const [one, two] = [await serve({ express, legacy: { mailbox } }), await serve({ express, legacy: { mailbox } })];
      const client = await LegacyClient.connect(one.url);
      const call = await client.tool('ask');
      expect(await client.at(two.url).respond(await call.next(), ANN)).toBe(202);
      expect(textOf(await call.reply())).toBe('Ann');
      expect([mailbox.parked, mailbox.waiting, runs]).toEqual([0, 0, 1]);
    });

    it('finds its call among fifty over two nodes, and nothing is left of them', async () => {
      const mailbox = new MemoryMailbox();
      const timers = new FakeTimers();
      const nodes = [
        await serve({ express, timers, legacy: { mailbox } }),
        await serve({ express, timers, legacy: { mailbox } }),
      ];
      const at = (index: number): string => nodes[index % 2]?.url ?? '';
      const client = await LegacyClient.connect(at(0));
      const names = Array.from({ length: 50 }, (_none, index) => `Ann-${index}`);
      const said = await Promise.all(
        names.map(async (name, index) => {
          const call = await client.at(at(index)).open('tools/call', { name: 'ask' }, name);
          const answer = { action: 'accept', content: { name } };
          expect(await client.at(at(index + 1)).respond(await call.next(), answer)).toBe(202);
          return textOf(await call.reply());
        }),
      );
      expect(said).toEqual(names);
      expect([runs, mailbox.parked, mailbox.waiting, timers.pending]).toEqual([50, 0, 0, []]);
    });

    it('of another user, another session, or to an id that is none is taken and dropped', async () => {
      const { client, call, asked } = await open();
      const bob = await LegacyClient.connect(client.url, { user: 'bob' });
      const again = await LegacyClient.connect(client.url);
      const refused = await eventsOf('mrtr:refused', async () => {
        expect(await bob.respond(asked, BOB)).toBe(202);
        expect(await again.respond(asked, BOB)).toBe(202);
        for (const id of ['x', 7, `${asked.id}A`]) expect(await client.respond({ id }, BOB)).toBe(202);
      });
      expect(refused).toEqual(Array(5).fill({ method: 'other', target: '', reason: 'ERR_MRTR_REQUEST_ID' }));
      expect(await client.respond(asked, ANN)).toBe(202);
      expect(textOf(await call.reply())).toBe('Ann');
    });

    it('counts once: a repeat is taken and dropped', async () => {
      const { client, call, asked } = await open();
      expect([await client.respond(asked, ANN), await client.respond(asked, BOB)]).toEqual([202, 202]);
      expect(textOf(await call.reply())).toBe('Ann');
    });

    it('needs a session', async () => {
      const { client, call, asked } = await open();
      const { 'mcp-session-id': _session, ...stateless } = client.headers;
      expect(await new LegacyClient(client.url, stateless).respond(asked, ANN)).toBe(400);
      expect(await client.with({ 'mcp-session-id': 'abc' }).respond(asked, ANN)).toBe(404);
      call.disconnect();
    });

    it('that the mailbox does not take is told to its sender, and to the operator', async () => {
      const codes: string[] = [];
      const mailbox = {
        park: () => new Promise<undefined>(() => undefined),
        deliver: () => Promise.reject(new Error('down')),
      };
      const { client, call, asked } = await open({ legacy: { mailbox }, onError: (_e, { code }) => codes.push(code) });
      expect(await client.respond(asked, ANN)).toBe(500);
      expect(codes).toEqual(['ERR_MRTR_MAILBOX']);
      call.disconnect();
    });
  });

  describe('the time of an answer', () => {
    it.each([
      ['late', 300_000, 'ERR_MRTR_ELICITATION_TIMEOUT: The question "elicit-1" was not answered within 300 s.'],
      ['model', 600_000, 'ERR_MRTR_SAMPLING_TIMEOUT'],
    ])('is up for %s after %d ms: the client is told, the handler gets an error', async (name, ms, text) => {
      const clock = new ManualClock();
      const mailbox = new MemoryMailbox({ clock });
      const { url } = await serve({ express, legacy: { mailbox } });
      const client = await LegacyClient.connect(url);
      const call = await client.tool(name);
      const asked = await call.next();
      await clock.advance(ms - 1);
      expect(mailbox.parked).toBe(1);
      await clock.advance(1);
      expect(await call.next()).toEqual({
        jsonrpc: '2.0',
        method: 'notifications/cancelled',
        params: { requestId: asked.id, reason: 'Nobody answered in time.' },
      });
      expect(textOf(await call.reply())).toBe(text);
      expect(await client.respond(asked, YES)).toBe(202);
      expect(mailbox.parked).toBe(0);
    });

    it('is up: a handler that lets it pass is a tool error that says so', async () => {
      const clock = new ManualClock();
      const mailbox = new MemoryMailbox({ clock });
      const { url } = await serve({ express, legacy: { mailbox, elicitationTimeoutSeconds: 5 } });
      const client = await LegacyClient.connect(url);
      const call = await client.tool('ask');
      await call.next();
      await clock.advance(5000);
      await call.next();
      expect(await call.reply()).toMatchObject({
        result: { isError: true, content: [{ text: 'The question "elicit-1" was not answered within 5 s.' }] },
      });
    });

    it('does not count as time of the handler', async () => {
      const timers = new FakeTimers();
      const { url } = await serve({ express, timers, handlerTimeoutSeconds: 7 });
      const client = await LegacyClient.connect(url);
      const call = await client.tool('ask');
      const asked = await call.next();
      expect(timers.pending.filter(({ ms }) => ms === 7000)).toEqual([]);
      await client.respond(asked, { action: 'accept', content: { name: 'Ann' } });
      expect(textOf(await call.reply())).toBe('Ann');
      expect(timers.pending).toEqual([]);
    });
  });

  describe('a mailbox that hangs', () => {
    const never = (): Promise<never> => new Promise(() => undefined);
    const hanging = (parts: Partial<Mailbox>): Mailbox => ({ park: never, deliver: () => undefined, ...parts });

    async function ask(mailbox: Mailbox, ms: number): Promise<{ text: string; codes: unknown[] }> {
      const timers = new FakeTimers();
      const codes: unknown[] = [];
      const onError = (_error: unknown, { code }: { code: string }): void => void codes.push(code);
      const { url } = await rig({ ...definitions, express, timers, legacy: { mailbox, maxParked: 1 }, onError });
      const client = await LegacyClient.connect(url);
      const call = client.tool('ask');
      await until(() => timers.pending.some((timer) => timer.ms === ms));
      timers.fire(ms);
      const exchange = await call;
      let message = await exchange.next();
      while (message.id !== exchange.id) message = await exchange.next();
      return { text: textOf(message), codes };
    }

    it('in ready fails the question within 5 s, and keeps no place', async () => {
      const mailbox = hanging({ ready: never });
      expect(await ask(mailbox, 5000)).toEqual({ text: 'The tool failed.', codes: ['ERR_MRTR_MAILBOX'] });
      expect(await ask(mailbox, 5000)).toEqual({ text: 'The tool failed.', codes: ['ERR_MRTR_MAILBOX'] });
    });

    it('in park lets the time-out of the question hold', async () => {
      const { text } = await ask(hanging({}), 305_000);
      expect(text).toContain('was not answered within 300 s');
    });
  });

  it('takes the answer of a session that expired while its call waited, and no new call', async () => {
    let time = Date.now();
    const { url } = await serve({ express, now: () => time, legacy: { sessionTtlSeconds: 10 } });
    const client = await LegacyClient.connect(url);
    const call = await client.tool('ask');
    const asked = await call.next();
    time += 11_000;
    expect((await client.tool('plain')).response.status).toBe(404);
    expect(await client.respond(asked, { action: 'accept', content: { name: 'Ann' } })).toBe(202);
    expect(textOf(await call.reply())).toBe('Ann');
  });

  it('C110 knows a client that accepts no stream, and cannot ask it', async () => {
    const { url } = await serve({ express });
    const client = (await LegacyClient.connect(url)).with({ accept: 'application/json' });
    expect(textOf(await (await client.tool('plain')).reply())).toBe('plain for ann by 2025-11-25');
    const { result } = await (await client.tool('ask')).reply();
    expect(result).toMatchObject({ isError: true, content: [{ text: expect.stringContaining('text/event-stream') }] });
  });

  describe('a call that ends early', () => {
    async function asking(options: RigOptions = {}): Promise<{
      client: LegacyClient;
      call: Exchange;
      mailbox: MemoryMailbox;
    }> {
      const { url, mailbox } = await serve({ express, ...options });
      const client = await LegacyClient.connect(url);
      const call = await client.tool('ask');
      await call.next();
      return { client, call, mailbox };
    }
    const aborted = (): boolean => signals[0]?.aborted === true;

    it('by its client going away: the signal aborts, nothing waits', async () => {
      const timers = new FakeTimers();
      const { call, mailbox } = await asking({ timers });
      timers.fire(1000);
      expect(mailbox.parked).toBe(2);
      const errors = await eventsOf('mrtr:error', async () => {
        const rounds = await eventsOf('mrtr:round', async () => {
          call.disconnect();
          await until(() => aborted() && mailbox.parked === 0);
          await delay(5);
        });
        expect(rounds).toMatchObject([{ outcome: 'failed', answered: 0, questions: [{ key: 'elicit-1' }] }]);
      });
      expect(errors).toEqual([]);
      expect([runs, timers.pending]).toEqual([1, []]);
    });

    it('by notifications/cancelled: the stream ends without a reply', async () => {
      const { client, call, mailbox } = await asking();
      const cancelled = { requestId: call.id };
      const bob = await LegacyClient.connect(client.url, { user: 'bob' });
      expect(await bob.notify('notifications/cancelled', cancelled)).toBe(202);
      expect(aborted()).toBe(false);
      expect(await client.notify('notifications/cancelled', cancelled)).toBe(202);
      expect(await call.next()).toMatchObject({ method: 'notifications/cancelled' });
      expect(await call.ended()).toBe(true);
      expect(aborted()).toBe(true);
      expect(mailbox.parked).toBe(0);
    });

    it('by no cancellation that a mailbox would not take', async () => {
      const codes: string[] = [];
      const deliver = (): never => {
        throw new Error('full');
      };
      const mailbox = { park: () => new Promise<undefined>(() => undefined), deliver };
      const { client, call } = await asking({ legacy: { mailbox }, onError: (_error, { code }) => codes.push(code) });
      expect(await client.notify('notifications/cancelled', { requestId: 'another' })).toBe(202);
      expect([aborted(), codes]).toEqual([false, []]);
      call.disconnect();
    });

    it('by notifications/cancelled that reached another node', async () => {
      const mailbox = new MemoryMailbox();
      const timers = new FakeTimers();
      const two = await serve({ express, legacy: { mailbox } });
      const { client, call } = await asking({ legacy: { mailbox }, timers });
      timers.fire(1000);
      expect(await client.at(two.url).notify('notifications/cancelled', { requestId: call.id })).toBe(202);
      expect(await call.next()).toMatchObject({ method: 'notifications/cancelled' });
      expect(await call.ended()).toBe(true);
      expect(aborted()).toBe(true);
      await until(() => mailbox.parked === 0);
    });

    it('by its handler, which does not wait: the question is withdrawn, the result stands', async () => {
      const { url, mailbox } = await serve({ express });
      const client = await LegacyClient.connect(url);
      const call = await client.tool('forgets');
      const asked = await call.next();
      expect(await call.next()).toMatchObject({
        method: 'notifications/cancelled',
        params: { requestId: asked.id, reason: 'The call is over.' },
      });
      expect(textOf(await call.reply())).toBe('done');
      expect(mailbox.parked).toBe(0);
    });

    it('by what cannot be parked any more: an error that names the option', async () => {
      const errors: Error[] = [];
      const onError = (error: unknown): unknown => errors.push(error as Error);
      const { client, call, mailbox } = await asking({ onError, legacy: { maxParked: 1 } });
      const second = await client.tool('ask');
      expect(textOf(await second.reply())).toBe('The tool failed.');
      expect(errors).toMatchObject([
        { code: 'ERR_MRTR_MAILBOX', message: expect.stringContaining('legacy.maxParked') },
      ]);
      expect(mailbox.parked).toBe(1);
      call.disconnect();
      await until(() => mailbox.parked === 0);
    });

    it('by a mailbox that is down: nothing is asked', async () => {
      const codes: string[] = [];
      const mailbox = {
        ready: () => Promise.reject(new Error('down')),
        park: () => Promise.resolve(undefined),
        deliver: () => undefined,
      };
      const { url } = await serve({ express, legacy: { mailbox }, onError: (_e, { code }) => codes.push(code) });
      const client = await LegacyClient.connect(url);
      const call = await client.tool('ask');
      expect(call.streamed).toBe(false);
      expect(textOf(await call.reply())).toBe('The tool failed.');
      expect(codes).toEqual(['ERR_MRTR_MAILBOX']);
    });

    it('by close(): what waits in a mailbox of its own ends', async () => {
      const { url, mcp } = await rig({ express, ...definitions });
      const client = await LegacyClient.connect(url);
      const call = await client.tool('ask');
      await call.next();
      await mcp.close();
      await call.next().catch(() => undefined);
      expect(textOf(call.messages.at(-1) ?? {})).toBe('The tool failed.');
    });
  });
});

describe('what goes wrong in the server', () => {
  it('is told of keys that are out of reach, by an error with the id of the request', async () => {
    const codes: string[] = [];
    let down = false;
    const read = (): string => {
      if (down) throw new Error('SENTINEL');
      return KEY;
    };
    const keys = { current: read, resolve: read, cacheSeconds: 0.000_001 };
    const { url } = await serve({ keys, onError: (_error, { code }) => codes.push(code) });
    const client = await LegacyClient.connect(url);
    down = true;
    await delay(5);
    const text = 'Internal error. The operator of this server can see the reason in its events.';
    expect((await (await client.tool('ask')).reply()).error).toEqual({ code: -32603, message: text });
    const { 'mcp-session-id': _session, ...fresh } = client.headers;
    const params = { protocolVersion: '2025-11-25', capabilities: {}, clientInfo: { name: 'c', version: '1' } };
    const hello = await new LegacyClient(url, fresh).open('initialize', params);
    expect((await hello.reply()).error).toEqual({ code: -32603, message: text });
    expect(hello.response.headers.get('mcp-session-id')).toBeNull();
    expect((await client.post({ jsonrpc: '2.0', id: 'x', result: {} })).status).toBe(500);
    expect(codes).toEqual(['ERR_MRTR_KEYS', 'ERR_MRTR_KEYS', 'ERR_MRTR_KEYS']);
    expect(runs).toBe(0);
  });

  it('ends a handler whose own time is up: its signal aborts, the question beside it is withdrawn', async () => {
    const timers = new FakeTimers();
    let signal: AbortSignal | undefined;
    const slow = tool('slow', {}, async (_args, ctx) => {
      ({ signal } = ctx);
      await ctx.confirm('Sure?');
      return new Promise<string>(() => undefined);
    });
    const { url, mailbox } = await serve({ timers, handlerTimeoutSeconds: 7, tools: [slow] });
    const client = await LegacyClient.connect(url);
    const call = await client.tool('slow');
    await client.respond(await call.next(), YES);
    await until(() => timers.pending.some(({ ms }) => ms === 7000));
    timers.fire(7000);
    expect((await call.reply()).error?.code).toBe(-32603);
    await until(() => signal?.aborted === true);
    expect([mailbox.parked, timers.pending]).toEqual([0, []]);
  });

  it('is shown under exposeErrors, and only there', async () => {
    const fails = tool('fails', {}, async (_args, ctx) => {
      await ctx.confirm('Sure?');
      throw new Error('the bank is shut');
    });
    const said: string[] = [];
    for (const exposeErrors of [false, true]) {
      const { url } = await serve({ exposeErrors, tools: [fails] });
      const client = await LegacyClient.connect(url);
      const call = await client.tool('fails');
      await client.respond(await call.next(), YES);
      said.push(textOf(await call.reply()));
    }
    expect(said).toEqual(['The tool failed.', 'Error: the bank is shut']);
  });

  it('leaves the present revision alone: both are served on one path at once', async () => {
    const { url } = await serve();
    const client = await LegacyClient.connect(url);
    const call = await client.tool('ask');
    const asked = await call.next();
    const modern = await fetch(`${url}/mcp`, {
      method: 'POST',
      headers: { ...headersOf('tools/call', 'ask'), 'mcp-session-id': client.session },
      body: JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tools/call', params: { name: 'ask', _meta: metaOf() } }),
    });
    expect(await modern.json()).toMatchObject({ result: { resultType: 'input_required' } });
    const bare = await client.with({ 'mcp-protocol-version': '2026-07-28' }).tool('ask');
    expect([bare.response.status, (await bare.reply()).error?.code]).toEqual([400, -32602]);
    await client.respond(asked, { action: 'accept', content: { name: 'Ann' } });
    expect(textOf(await call.reply())).toBe('Ann');
  });
});

describe('the context of a call', () => {
  it('knows the client as initialize described it, capped', async () => {
    let seen: Context['client'] | undefined;
    const look = tool('look', {}, (_args, ctx) => {
      seen = ctx.client;
      return 'ok';
    });
    const { url } = await rig({ tools: [look] });
    const client = await LegacyClient.connect(url, { capabilities: { elicitation: {}, sampling: {} } });
    await (await client.tool('look')).reply();
    expect(seen?.info).toEqual({ name: 'raw', version: '1' });
    const names = ['elicitation.form', 'elicitation.url', 'sampling', 'sampling.tools', 'roots'] as const;
    expect(names.map((name) => seen?.supports(name))).toEqual([true, false, true, false, false]);
  });
});
