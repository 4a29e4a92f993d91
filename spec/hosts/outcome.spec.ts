import { z } from 'zod';
import {
  field,
  form,
  prompt,
  resource,
  resourceTemplate,
  ResourceNotFoundError,
  tool,
  ToolError,
} from '../../lib/index.js';
import type { ErrorInfo } from '../../lib/options.js';
import {
  askOf,
  closeAll,
  eventsOf,
  expectBadState,
  EXPRESSES,
  KEY,
  rig,
  textOf,
  YES,
  type RigOptions,
} from '../support/http.js';

const INTERNAL = 'Internal error. The operator of this server can see the reason in its events.';
const SECRET = 'db password=hunter2 at /srv/app.js:3';

afterAll(closeAll);

describe.each(EXPRESSES)('what goes out on %s', (_name, express) => {
  const served = (options: RigOptions) => rig({ express, ...options });

  it('C39 junk is a server fault; strings are text; a hand-built ask never goes out', async () => {
    const junk: unknown[] = [
      undefined,
      null,
      7,
      [],
      {},
      { resultType: 'input_required' },
      { resultType: 'input_required', inputRequests: {} },
      { resultType: 'input_required', requestState: 'x' },
      { content: [], requestState: 'x' },
      { content: [], inputRequests: {} },
      { content: 'text' },
      { content: [undefined] },
      { content: [], isError: 'yes' },
      { content: [], toJSON: () => ({ resultType: 'input_required', requestState: 'x', inputRequests: {} }) },
    ];
    let value: unknown;
    const tools = [tool('junk', {}, () => value as string)];
    const prompts = [prompt('junk', {}, () => value as string)];
    const resources = [resource('junk', 'test://junk', {}, () => value as string)];
    const { call } = await served({ tools, prompts, resources });
    for (value of junk) {
      for (const [method, params] of [
        ['tools/call', { name: 'junk' }],
        ['prompts/get', { name: 'junk' }],
        ['resources/read', { uri: 'test://junk' }],
      ] as const) {
        const reply = await call(method, params, { id: 1 });
        expect([value, reply.status, reply.body]).toEqual([
          value,
          200,
          { jsonrpc: '2.0', id: 1, error: { code: -32603, message: INTERNAL } },
        ]);
      }
    }
    value = 'hi';
    expect(textOf(await call('tools/call', { name: 'junk' }))).toBe('hi');
    value = { structuredContent: { a: 1 } };
    expect((await call('tools/call', { name: 'junk' })).body).toMatchObject({
      result: { content: [{ type: 'text', text: '{"a":1}' }], structuredContent: { a: 1 } },
    });
  });

  it('C40 what a handler throws stays inside, unless it is meant for the model', async () => {
    const seen: [unknown, ErrorInfo][] = [];
    const thrown: unknown[] = [
      new Error(SECRET),
      SECRET,
      undefined,
      Object.assign(new Error(SECRET), { stack: SECRET }),
    ];
    let error: unknown;
    const fail = (): never => {
      throw error;
    };
    const { call } = await served({
      tools: [tool('fail', {}, fail)],
      prompts: [prompt('fail', {}, fail)],
      resources: [resource('fail', 'test://fail', {}, fail)],
      onError: (...report) => void seen.push(report),
    });
    for (error of thrown) {
      const replies = [
        await call('tools/call', { name: 'fail' }),
        await call('prompts/get', { name: 'fail' }),
        await call('resources/read', { uri: 'test://fail' }),
      ];
      expect(replies[0]?.body).toMatchObject({
        result: { resultType: 'complete', isError: true, content: [{ text: 'The tool failed.' }] },
      });
      for (const reply of replies.slice(1))
        expect(reply.body).toMatchObject({ error: { code: -32603, message: INTERNAL } });
      for (const reply of replies)
        expect([reply.status, reply.text.includes('hunter2'), reply.text.includes('.js')]).toEqual([200, false, false]);
    }
    expect(seen.map(([reported]) => reported)).toEqual(thrown.flatMap((one) => [one, one, one]));
    expect(seen[0]?.[1]).toMatchObject({ code: 'ERR_MRTR_HANDLER', method: 'tools/call', target: 'fail' });
    error = new ToolError('No such order. Ask for its number.');
    expect((await call('tools/call', { name: 'fail' })).body).toMatchObject({
      result: { isError: true, content: [{ text: 'No such order. Ask for its number.' }] },
    });
    error = Object.assign(new Error('Too many orders.'), { expose: true });
    expect((await call('tools/call', { name: 'fail' })).body).toMatchObject({
      result: { isError: true, content: [{ text: 'Too many orders.' }] },
    });
  });

  it('an onError that fails later takes nothing with it', async () => {
    const { tool: call } = await served({
      tools: [tool('fail', {}, () => Promise.reject(new Error('broken')))],
      onError: () => Promise.reject(new Error('the tracker is down')),
    });
    expect((await call('fail')).body).toMatchObject({ result: { isError: true } });
    await new Promise(setImmediate);
  });

  it('C59 a malformed question beside a good one is a server fault before anybody is asked', async () => {
    const errors: string[] = [];
    const good = { message: 'Good?', form: form({ a: field.string() }) };
    const bad = { message: 'Bad?', form: z.object({ n: z.object({}) }) };
    const { tool: call } = await served({
      tools: [
        tool('after', {}, async (_args, ctx) => JSON.stringify(await Promise.all([ctx.elicit(good), ctx.elicit(bad)]))),
        tool('before', {}, async (_args, ctx) =>
          JSON.stringify(await Promise.all([ctx.elicit(bad), ctx.elicit(good)])),
        ),
      ],
      onError: (_error, { code }) => errors.push(code),
    });
    expect((await call('after')).body).toMatchObject({ error: { code: -32603, message: INTERNAL } });
    expect((await call('before')).body).toMatchObject({ error: { code: -32603, message: INTERNAL } });
    expect(errors).toEqual(['ERR_MRTR_SCHEMA', 'ERR_MRTR_SCHEMA']);
  });

  it.each(['javascript:alert(1)', 'data:text/html,x', 'file:///etc/passwd', 'http://u:p@x.example/', 'shop://x'])(
    'ctx.elicitUrl sends nobody to %s',
    async (url) => {
      const errors: string[] = [];
      const link = tool('link', {}, async (_args, ctx) => (await ctx.elicitUrl({ message: 'Open', url })).action);
      const { tool: call } = await served({ tools: [link], onError: (_error, { code }) => errors.push(code) });
      const reply = await call('link', undefined, {}, { capabilities: { elicitation: { url: {} } } });
      expect(reply.body).toMatchObject({ result: { isError: true } });
      expect(errors).toEqual(['ERR_MRTR_QUESTION']);
    },
  );

  it('an exposing server says what was thrown', async () => {
    const { call } = await served({
      exposeErrors: true,
      tools: [tool('fail', {}, () => Promise.reject(new TypeError('no such column')))],
      prompts: [prompt('fail', {}, () => Promise.reject(new TypeError('no such column')))],
    });
    expect((await call('tools/call', { name: 'fail' })).body).toMatchObject({
      result: { content: [{ text: 'TypeError: no such column' }] },
    });
    expect((await call('prompts/get', { name: 'fail' })).body).toMatchObject({
      error: { code: -32603, message: 'TypeError: no such column' },
    });
  });

  it('C79 rejections and throws are answered as JSON-RPC at once', async () => {
    const broken = () => {
      throw new Error(SECRET);
    };
    const ask = tool('ask', {}, async (_args, ctx) => String(await ctx.confirm('Sure?')));
    const codecs: NonNullable<RigOptions['codec']>[] = [
      { seal: broken, unseal: broken },
      { seal: () => Promise.reject(new Error(SECRET)), unseal: () => Promise.reject(new Error(SECRET)) },
      { seal: () => 7 as never, unseal: () => 7 as never },
    ];
    for (const codec of codecs) {
      const { tool: call } = await served({ tools: [ask], codec });
      const errors = await eventsOf<{ code: string }>('mrtr:error', async () => {
        const sealing = await call('ask');
        expect(sealing.body).toMatchObject({ error: { code: -32603, message: INTERNAL } });
        const unsealing = await call('ask', undefined, { requestState: 'x' });
        expect([-32603, -32602]).toContain((unsealing.body as { error: { code: number } }).error.code);
        expect(sealing.text + unsealing.text).not.toContain('hunter2');
      });
      expect(errors[0]?.code).toBe('ERR_MRTR_CODEC');
    }
    const { tool: call } = await served({ tools: [ask], principal: () => Promise.reject(new Error(SECRET)) });
    const reply = await call('ask', undefined, {}, { id: 4 });
    expect([reply.status, reply.body]).toEqual([
      500,
      { jsonrpc: '2.0', id: 4, error: { code: -32603, message: INTERNAL } },
    ]);
  });

  it('C81 a result that cannot be serialised is a server fault with the id', async () => {
    const circle: Record<string, unknown> = {};
    circle['self'] = circle;
    const values: unknown[] = [
      { n: 10n },
      circle,
      {
        toJSON: () => {
          throw new Error(SECRET);
        },
      },
    ];
    let value: unknown;
    const tools = [tool('odd', {}, () => ({ content: [], structuredContent: value }))];
    const { tool: call } = await served({ tools });
    for (value of values) {
      const reply = await call('odd', undefined, {}, { id: 'odd' });
      expect([reply.status, reply.body]).toEqual([
        200,
        { jsonrpc: '2.0', id: 'odd', error: { code: -32603, message: INTERNAL } },
      ]);
      expect(reply.type).toBe('application/json');
    }
  });

  it('C85 resultType, caching hints, no-store and server info', async () => {
    const info = { 'io.modelcontextprotocol/serverInfo': { name: 'test', version: '1.0.0' } };
    const ask = tool('ask', {}, async (_args, ctx) => String(await ctx.confirm('Sure?')));
    const { call, tool: callTool } = await served({
      tools: [ask, tool('plain', {}, () => ({ content: [], _meta: { own: 1 } }))],
      prompts: [prompt('plain', {}, () => 'hi')],
      resources: [
        resource('plain', 'test://plain', {}, () => 'hi'),
        resource('kept', 'test://kept', { ttlMs: 5000, cacheScope: 'public', mimeType: 'text/plain' }, () => 'hi'),
        resource('own', 'test://own', { ttlMs: 5000 }, () => ({ contents: [], ttlMs: 7, cacheScope: 'public' })),
        resource('wrong', 'test://wrong', {}, () => ({ contents: [], ttlMs: -1 })),
        resource('ask', 'test://ask', { ttlMs: 5000, cacheScope: 'public' }, async (_uri, ctx) =>
          String(await ctx.confirm('Sure?')),
        ),
      ],
    });
    const result = async (...params: Parameters<typeof call>) =>
      ((await call(...params)).body as { result: Record<string, unknown> }).result;
    expect(await result('tools/call', { name: 'plain' })).toEqual({
      resultType: 'complete',
      content: [],
      _meta: { own: 1, ...info },
    });
    expect(await result('prompts/get', { name: 'plain' })).toMatchObject({ resultType: 'complete', _meta: info });
    expect(await result('resources/read', { uri: 'test://plain' })).toMatchObject({
      resultType: 'complete',
      ttlMs: 0,
      cacheScope: 'private',
      _meta: info,
    });
    expect(await result('resources/read', { uri: 'test://kept' })).toMatchObject({
      ttlMs: 5000,
      cacheScope: 'public',
      contents: [{ mimeType: 'text/plain' }],
    });
    expect(await result('resources/read', { uri: 'test://own' })).toMatchObject({ ttlMs: 7, cacheScope: 'public' });
    expect((await call('resources/read', { uri: 'test://wrong' })).body).toMatchObject({ error: { code: -32603 } });
    expect(await result('resources/read', { uri: 'test://kept', inputResponses: { k: {} } })).toMatchObject({
      ttlMs: 0,
      cacheScope: 'private',
    });
    const asked = await callTool('ask');
    expect(asked.headers['cache-control']).toBe('no-store');
    expect(asked.headers['etag']).toBeUndefined();
    const body = (asked.body as { result: Record<string, unknown> }).result;
    expect(Object.keys(body).sort()).toEqual(['_meta', 'inputRequests', 'requestState', 'resultType']);
    expect(body['_meta']).toEqual(info);
    const read = askOf(await call('resources/read', { uri: 'test://ask' }));
    expect(
      await result('resources/read', {
        uri: 'test://ask',
        requestState: read.state,
        inputResponses: { 'elicit-1': YES },
      }),
    ).toMatchObject({
      resultType: 'complete',
      ttlMs: 0,
      cacheScope: 'private',
    });
  });

  it('C86 the output schema binds completed results, not asks and not tool errors', async () => {
    const outputSchema = z.object({ n: z.number() });
    let value: unknown = { n: 1 };
    const ask = tool('ask', { outputSchema }, async (_args, ctx) => {
      await ctx.confirm('Sure?');
      return { content: [], structuredContent: value };
    });
    const fail = tool('fail', { outputSchema }, () => {
      throw new ToolError('no');
    });
    const isError = tool('is-error', { outputSchema }, () => ({ content: [], isError: true }));
    const { tool: call } = await served({ tools: [ask, fail, isError] });
    const { state } = askOf(await call('ask'));
    const again = { requestState: state, inputResponses: { 'elicit-1': YES } };
    expect((await call('ask', undefined, again)).body).toMatchObject({ result: { structuredContent: { n: 1 } } });
    expect((await call('fail')).body).toMatchObject({ result: { isError: true } });
    expect((await call('is-error')).body).toMatchObject({ result: { isError: true } });
    for (value of [{ n: 'x' }, undefined, 7]) {
      const errors = await eventsOf<{ code: string }>('mrtr:error', async () => {
        expect((await call('ask', undefined, again)).body).toMatchObject({ error: { code: -32603 } });
      });
      expect(errors).toMatchObject([{ code: 'ERR_MRTR_OUTPUT_SCHEMA', method: 'tools/call', target: 'ask' }]);
    }
  });

  it('bad tool arguments are a tool error that names the fields, never the values', async () => {
    let runs = 0;
    const schema = {
      type: 'object',
      properties: { age: { type: 'integer' }, kind: { enum: ['a', 'b'] } },
      required: ['age'],
    };
    const run = (): string => {
      runs += 1;
      return 'ran';
    };
    const { tool: call } = await served({
      tools: [
        tool('plain', { inputSchema: schema }, run),
        tool('zod', { inputSchema: z.object({ age: z.int(), kind: z.enum(['a', 'b']).optional() }) }, run),
      ],
    });
    for (const name of ['plain', 'zod']) {
      const reply = await call(name, { age: 'SENTINEL-1', kind: 'SENTINEL-2' });
      expect(reply.body).toMatchObject({ result: { resultType: 'complete', isError: true } });
      expect(reply.text).toContain('age');
      expect(reply.text).toContain('kind');
      expect(reply.text).not.toContain('SENTINEL');
      expect(textOf(await call(name, { age: 3 }))).toBe('ran');
    }
    expect(runs).toBe(2);
  });

  it('unknown targets are -32602 on HTTP 200, a missing resource names its URI', async () => {
    const { call } = await served({
      tools: [tool('t', {}, () => 'x')],
      prompts: [prompt('p', {}, () => 'x')],
      resources: [
        resource('r', 'test://r', {}, () => 'x'),
        resourceTemplate('o', 'test://orders/{id}', {}, (uri) => {
          throw new ResourceNotFoundError(uri.href);
        }),
      ],
    });
    for (const [method, params] of [
      ['tools/call', { name: 'nope' }],
      ['prompts/get', { name: 'nope' }],
    ] as const) {
      expect((await call(method, params)).body).toMatchObject({ error: { code: -32602 } });
    }
    for (const uri of ['test://nope', 'test://orders/7']) {
      const reply = await call('resources/read', { uri });
      expect([reply.status, reply.body]).toMatchObject([200, { error: { code: -32602, data: { uri } } }]);
    }
  });

  it('resources are found by the raw URI, then by its normal form, and templates give their variables', async () => {
    const seen: unknown[] = [];
    const resources = [
      resource('upper', 'https://example.com/a', {}, (uri) => uri.href),
      resourceTemplate('order', 'shop://orders/{id}', {}, (_uri, variables) => {
        seen.push(variables);
        return 'order';
      }),
    ];
    const { call } = await served({ resources });
    for (const uri of ['https://example.com/a', 'HTTPS://EXAMPLE.com:443/a']) {
      expect((await call('resources/read', { uri })).body).toMatchObject({
        result: { contents: [{ uri, text: 'https://example.com/a' }] },
      });
    }
    await call('resources/read', { uri: 'shop://orders/17' });
    expect(seen).toEqual([{ id: '17' }]);
  });

  it('C14 a state past maxStateBytes is not handed out, and says which option', async () => {
    const seen: string[] = [];
    const texts = form({ text: field.string() });
    const long = tool('long', {}, async (_args, ctx) => {
      for (let i = 0; i < 12; i += 1) await ctx.elicit({ key: `q${i}`, message: `Question ${i}?`, form: texts });
      return 'done';
    });
    const { tool: call } = await served({
      tools: [long],
      onError: (error) => void seen.push((error as Error).message),
      before: [express.json()],
    });
    let extra = {};
    for (let i = 0; i < 12; i += 1) {
      const reply = await call('long', undefined, extra);
      expect(reply.type).toBe('application/json');
      if ('error' in reply.body) {
        expect(reply.body).toMatchObject({ error: { code: -32603 } });
        expect(seen).toEqual([expect.stringContaining('maxStateBytes (49152)')]);
        expect(i).toBeGreaterThan(2);
        return;
      }
      const { state, keys } = askOf(reply);
      expect(state.length).toBeLessThanOrEqual(49_152);
      extra = {
        requestState: state,
        inputResponses: { [keys[0] ?? '']: { action: 'accept', content: { text: 'x'.repeat(9000) } } },
      };
    }
    throw new Error('the state never grew past its limit');
  });

  it('C10 a state is good strictly until its time is up, to the millisecond', async () => {
    let now = 1_000_000_000_000;
    const ask = tool('ask', {}, async (_args, ctx) => String(await ctx.confirm('Sure?')));
    const { tool: call } = await served({ tools: [ask], ttlSeconds: 0.2, now: () => now });
    const { state } = askOf(await call('ask'));
    now += 199;
    askOf(await call('ask', undefined, { requestState: state }));
    now += 1;
    expectBadState(await call('ask', undefined, { requestState: state }));
    now += 1;
    expectBadState(await call('ask', undefined, { requestState: state }));
  });

  it('maxRounds is checked when sealing, so nobody answers in vain; polls do not count', async () => {
    const ask = tool('ask', {}, async (_args, ctx) => {
      let n = 0;
      while (await ctx.confirm('Another?')) n += 1;
      return `after ${n}`;
    });
    const { tool: call } = await served({ tools: [ask], maxRounds: 2 });
    let asked = askOf(await call('ask'));
    for (let poll = 0; poll < 5; poll += 1) asked = askOf(await call('ask', undefined, { requestState: asked.state }));
    const answer = (content: unknown) => ({
      requestState: asked.state,
      inputResponses: { [asked.keys[0] ?? '']: content },
    });
    asked = askOf(await call('ask', undefined, answer(YES)));
    expect(textOf(await call('ask', undefined, answer({ action: 'decline' })))).toBe('after 1');
    const events = await eventsOf<{ reason: string }>('mrtr:refused', async () =>
      expectBadState(await call('ask', undefined, answer(YES))),
    );
    expect(events).toMatchObject([{ reason: 'ERR_MRTR_STATE_ROUNDS', target: 'ask' }]);
  });

  it('maxAttempts ends the flow of a person who cannot answer', async () => {
    const ask = tool('ask', {}, async (_args, ctx) =>
      JSON.stringify(await ctx.elicit({ message: 'Age?', form: form({ age: field.integer({ minimum: 0 }) }) })),
    );
    const prompts = [
      prompt('ask', {}, async (_args, ctx) =>
        JSON.stringify(await ctx.elicit({ message: 'Age?', form: form({ age: field.integer() }) })),
      ),
    ];
    const { call } = await served({ tools: [ask], prompts, maxAttempts: 2 });
    const bad = { inputResponses: { 'elicit-1': { action: 'accept', content: { age: -1.5 } } } };
    for (const method of ['tools/call', 'prompts/get']) {
      const first = askOf(await call(method, { name: 'ask' }));
      const second = askOf(await call(method, { name: 'ask', requestState: first.state, ...bad }));
      expect(second.keys).toEqual(['elicit-1']);
      expect(second.requests['elicit-1']?.params['message']).toMatch(/^Age\?\n\n.*age/s);
      const third = (await call(method, { name: 'ask', requestState: second.state, ...bad })).body as object;
      if (method === 'tools/call')
        expect(third).toMatchObject({
          result: { isError: true, content: [{ text: expect.stringContaining('too many unusable answers') }] },
        });
      else
        expect(third).toMatchObject({
          error: { code: -32602, message: expect.stringContaining('too many unusable answers') },
        });
    }
  });

  it('C28 a question that changed is asked again, or refused under reject', async () => {
    let files = 3;
    const wipe = tool('wipe', {}, async (_args, ctx) =>
      (await ctx.confirm(`Delete ${files} files?`)) ? `deleted ${files}` : 'kept',
    );
    for (const onLedgerMismatch of ['reask', 'reject'] as const) {
      files = 3;
      const { tool: call } = await served({ tools: [wipe], onLedgerMismatch });
      const { state } = askOf(await call('wipe'));
      files = 400;
      const answer = { requestState: state, inputResponses: { 'elicit-1': YES } };
      if (onLedgerMismatch === 'reask') {
        const again = askOf(await call('wipe', undefined, answer));
        expect(again.keys).toEqual(['elicit-2']);
        expect(again.requests['elicit-2']?.params['message']).toBe('Delete 400 files?');
      } else {
        const events = await eventsOf('mrtr:refused', async () =>
          expectBadState(await call('wipe', undefined, answer)),
        );
        expect(events).toMatchObject([{ reason: 'ERR_MRTR_LEDGER_MISMATCH', expected: 'elicit-1', actual: 'elicit' }]);
      }
    }
  });

  it('C45 answers to questions never asked are dropped', async () => {
    let risk = true;
    const two = tool('two', {}, async (_args, ctx) => {
      if (!risk) return 'no risk';
      const first = await ctx.confirm('First?');
      return JSON.stringify([first, await ctx.confirm('Second?')]);
    });
    const { tool: call } = await served({ tools: [two] });
    const both = { 'elicit-1': YES, 'elicit-2': YES };
    const first = askOf(await call('two', undefined, { inputResponses: both }));
    expect(first.keys).toEqual(['elicit-1']);
    const second = askOf(await call('two', undefined, { requestState: first.state, inputResponses: both }));
    expect(second.keys).toEqual(['elicit-2']);
    const third = askOf(await call('two', undefined, { requestState: second.state }));
    expect(third.keys).toEqual(['elicit-2']);
    expect(
      textOf(
        await call('two', undefined, {
          requestState: third.state,
          inputResponses: { 'elicit-2': { action: 'decline' }, 'elicit-1': { action: 'decline' } },
        }),
      ),
    ).toBe('[true,false]');
    risk = false;
    expect(
      textOf(
        await call('two', undefined, {
          requestState: first.state,
          inputResponses: { 'elicit-1': { action: 'decline' } },
        }),
      ),
    ).toBe('no risk');
  });

  it('C46 C47 C50 C51 C56 an answer that is none is asked for again and never reaches the handler', async () => {
    const seen: unknown[] = [];
    const ask = tool('ask', {}, async (_args, ctx) => {
      const answer = await ctx.elicit({
        message: 'Sure?',
        form: form({ confirm: field.boolean(), age: field.integer({ optional: true }) }),
      });
      seen.push(answer);
      return answer.action;
    });
    const { tool: call } = await served({ tools: [ask], maxAttempts: 100 });
    const { state } = askOf(await call('ask'));
    const send = (answer: unknown) =>
      call('ask', undefined, { requestState: state, inputResponses: { 'elicit-1': answer } });
    const again: unknown[] = [
      { action: 'accept' },
      { action: 'accept', content: null },
      { action: 'accept', content: {} },
      { action: 'accept', content: [true] },
      { action: 'accept', content: { confirm: 'true' } },
      { action: 'accept', content: { confirm: true, age: '30' } },
      { action: 'accept', content: { confirm: true, age: 30.5 } },
      { action: 'accept', content: { confirm: null } },
      { action: 'ACCEPT', content: { confirm: true } },
      { action: 7, content: { confirm: true } },
      { method: 'elicitation/create', result: YES },
      { result: YES },
      { confirm: true },
      {},
      { role: 'assistant', model: 'm', content: { type: 'text', text: 'yes' } },
    ];
    for (const answer of again) expect([answer, askOf(await send(answer)).keys]).toEqual([answer, ['elicit-1']]);
    for (const inputResponses of [
      null,
      12345,
      'x',
      [],
      [YES],
      { 'elicit-1': 12345 },
      { 'elicit-1': null },
      { 'elicit-1': [] },
      { 'elicit-1': 'accept' },
    ]) {
      const reply = await call('ask', undefined, { requestState: state, inputResponses });
      expect([reply.status, reply.body]).toMatchObject([200, { error: { code: -32602 } }]);
    }
    expect(seen).toEqual([]);
    await send({ action: 'decline', content: { confirm: true } });
    await send({ action: 'cancel', content: { confirm: true } });
    await send({ action: 'accept', content: { confirm: true, age: 30, admin: true, __proto__: { x: 1 } } });
    expect(seen).toEqual([
      { action: 'decline' },
      { action: 'cancel' },
      { action: 'accept', content: { confirm: true, age: 30 } },
    ]);
  });

  it('C52 keys that live on Object.prototype are keys like any other', async () => {
    const names = ['constructor', 'toString', 'hasOwnProperty', '__proto__'];
    const ask = tool('ask', {}, async (_args, ctx) =>
      JSON.stringify(await Promise.all(names.map((key) => ctx.confirm(`${key}?`, { key })))),
    );
    const { call } = await served({
      tools: [ask, tool('one', {}, async (_args, ctx) => String(await ctx.confirm('One?')))],
    });
    const first = askOf(await call('tools/call', { name: 'ask', inputResponses: {} }));
    expect(first.keys.sort()).toEqual([...names].sort());
    const answers = names.map((name) => `${JSON.stringify(name)}:${JSON.stringify(YES)}`).join(',');
    const raw = (body: string): string => body.replace('"ANSWERS"', `{${answers}}`);
    const done = await call(
      'tools/call',
      { name: 'ask', requestState: first.state, inputResponses: 'ANSWERS' },
      { raw },
    );
    expect(textOf(done)).toBe('[true,true,true,true]');
    const one = askOf(await call('tools/call', { name: 'one' }));
    const forged = await call(
      'tools/call',
      { name: 'one', requestState: one.state, inputResponses: 'ANSWERS' },
      { raw },
    );
    expect(askOf(forged).keys).toEqual(['elicit-1']);
    expect(({} as { action?: unknown }).action).toBeUndefined();
  });

  it('C55 partial answers: only what is missing is asked again', async () => {
    const both = tool('both', {}, async (_args, ctx) => {
      const answers = await Promise.all([ctx.confirm('A?'), ctx.confirm('B?')]);
      return JSON.stringify(answers);
    });
    const { tool: call } = await served({ tools: [both] });
    const first = askOf(await call('both'));
    expect(first.keys).toEqual(['elicit-1', 'elicit-2']);
    const second = askOf(
      await call('both', undefined, {
        requestState: first.state,
        inputResponses: { 'elicit-2': { action: 'decline' } },
      }),
    );
    expect(second.keys).toEqual(['elicit-1']);
    expect(
      textOf(await call('both', undefined, { requestState: second.state, inputResponses: { 'elicit-1': YES } })),
    ).toBe('[true,false]');
  });

  it('C33 what a handler does to its arguments does not break the retry', async () => {
    const ask = tool('ask', { inputSchema: { type: 'object' } }, async (args, ctx) => {
      (args['items'] as string[]).push('x');
      args['note'] = 'n';
      return String(await ctx.confirm('Sure?'));
    });
    const { tool: call } = await served({ tools: [ask] });
    const { state } = askOf(await call('ask', { items: ['a'] }));
    expect(
      textOf(await call('ask', { items: ['a'] }, { requestState: state, inputResponses: { 'elicit-1': YES } })),
    ).toBe('true');
  });

  it('C60 the order of the fields reaches the form, in every round', async () => {
    const order = form({ zip: field.string(), email: field.string(), first: field.string() });
    const ask = tool('ask', {}, async (_args, ctx) =>
      JSON.stringify(await ctx.elicit({ message: 'Who?', form: order })),
    );
    const { tool: call } = await served({ tools: [ask] });
    const first = await call('ask');
    const again = await call('ask', undefined, {
      requestState: askOf(first).state,
      inputResponses: { 'elicit-1': { action: 'accept', content: {} } },
    });
    for (const reply of [first, again]) expect(reply.text).toMatch(/"zip".*"email".*"first"/);
  });

  it('C59 a question that the wire cannot carry fails before anything is sent', async () => {
    const seen: unknown[] = [];
    const nested = z.object({ address: z.object({ street: z.string() }) });
    const ask = tool('ask', {}, async (_args, ctx) =>
      JSON.stringify(await ctx.elicit({ message: 'Where?', form: nested })),
    );
    const { tool: call } = await served({
      tools: [ask],
      onError: (error, info) => void seen.push([(error as Error).message, info.code]),
    });
    expect((await call('ask')).body).toMatchObject({
      result: { isError: true, content: [{ text: 'The tool failed.' }] },
    });
    expect(seen).toEqual([[expect.stringContaining('address'), 'ERR_MRTR_SCHEMA']]);
  });

  it('C63 URL mode: accept is consent, content is ignored, no elicitationId goes out', async () => {
    const pay = tool('pay', {}, async (_args, ctx) =>
      JSON.stringify(await ctx.elicitUrl({ message: 'Pay', url: 'https://pay.example/1' })),
    );
    const { tool: call } = await served({ tools: [pay] });
    const capabilities = { elicitation: { url: {} } };
    const first = await call('pay', undefined, {}, { capabilities });
    expect(askOf(first).requests['elicit-1']).toEqual({
      method: 'elicitation/create',
      params: { mode: 'url', message: 'Pay', url: 'https://pay.example/1' },
    });
    const answer = { 'elicit-1': { action: 'accept', content: { paid: true } } };
    expect(
      textOf(
        await call('pay', undefined, { requestState: askOf(first).state, inputResponses: answer }, { capabilities }),
      ),
    ).toBe('{"action":"accept"}');
  });

  it('C42 abandoned first rounds leave nothing behind', async () => {
    const ask = tool('ask', {}, async (_args, ctx) => String(await ctx.confirm('Sure?')));
    const { tool: call } = await served({ tools: [ask] });
    const before = process.getActiveResourcesInfo().filter((name) => name === 'Timeout').length;
    for (let i = 0; i < 300; i += 1) await call('ask');
    const after = process.getActiveResourcesInfo().filter((name) => name === 'Timeout').length;
    expect(after - before).toBeLessThan(5);
  });

  it('keys from the environment, other keys: C114 another node’s key shows as unknown', async () => {
    const ask = tool('ask', {}, async (_args, ctx) => String(await ctx.confirm('Sure?')));
    const a = await served({ tools: [ask], keys: KEY });
    const b = await served({
      tools: [ask],
      keys: `mrtrk_${Buffer.from('another key for another node 123').toString('base64url')}`,
    });
    const { state } = askOf(await a.tool('ask'));
    const events = await eventsOf<{ reason: string }>('mrtr:refused', async () =>
      expectBadState(await b.tool('ask', undefined, { requestState: state })),
    );
    expect(events.map(({ reason }) => reason)).toEqual(['ERR_MRTR_STATE_UNKNOWN_KEY']);
  });
});
