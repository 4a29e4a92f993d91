import { AssertionError } from 'node:assert';
import type { IncomingMessage, ServerResponse } from 'node:http';
import express from 'express';
import { z } from 'zod';
import { field, form, mrtr, prompt, resource, tool } from '../../lib/index.js';
import { accept, cancel, decline, leave, testClient, testKeys, testMrtr } from '../../lib/testing/index.js';
import { EXPRESSES } from '../support/http.js';

const reasonForm = form({ reason: field.string({ maxLength: 20 }) });
let paid: string[] = [];

const refund = tool('refund', { inputSchema: z.object({ orderId: z.string() }) }, async ({ orderId }, ctx) => {
  const answer = await ctx.elicit({ key: 'confirm', message: `Refund ${orderId}?`, form: reasonForm });
  if (answer.action !== 'accept') return `No refund: ${answer.action}.`;
  paid.push(orderId);
  return `Refunded ${orderId}: ${answer.content.reason}`;
});
const checkout = tool('checkout', {}, async (_args, ctx) => {
  const [to, by] = await Promise.all([
    ctx.elicit({ key: 'to', message: 'Where to?', form: reasonForm }),
    ctx.elicit({ key: 'by', message: 'How?', form: reasonForm }),
  ]);
  if (to.action !== 'accept' || by.action !== 'accept') return 'Nothing.';
  const sure = await ctx.confirm(`To ${to.content.reason} by ${by.content.reason}?`, { key: 'sure' });
  return sure ? 'Sent.' : 'Not sent.';
});
const greeting = prompt('greeting', { argsSchema: z.object({ name: z.string() }) }, async ({ name }, ctx) =>
  (await ctx.confirm('Formal?')) ? `Dear ${name}` : `Hi ${name}`,
);
const motd = resource('motd', 'shop://motd?für=1', {}, async (_uri, ctx) =>
  (await ctx.confirm('Long?')) ? 'long' : 'short',
);
const whoami = tool('whoami', {}, (_args, { user, client, principal }) =>
  JSON.stringify({ user, principal, info: client.info, form: client.supports('elicitation.form') }),
);
const working = tool('working', {}, (_args, { progress }) => {
  progress(1, 2, 'half\nway');
  return 'done';
});
const endless = tool('endless', {}, async (_args, ctx) => {
  for (let n = 1; ; n += 1) await ctx.confirm(`Number ${n}?`, { key: `n-${n}` });
});
const model = tool('model', {}, async (_args, ctx) => {
  const said = await ctx.sample({ messages: [], maxTokens: 9 });
  const roots = await ctx.listRoots();
  return `${said.model} ${roots.length}`;
});

const tools = [refund, checkout, whoami, working, endless, model];
const served = () => testMrtr({ tools, prompts: [greeting], resources: [motd] });
const user = { id: 'ann' };
const client = () => testClient(served(), { user });
const YES = accept({ confirm: true });

beforeEach(() => {
  paid = [];
});

async function failureOf(call: Promise<unknown>): Promise<string> {
  const failure: unknown = await call.catch((error: unknown) => error);
  expect(failure).toBeInstanceOf(AssertionError);
  return (failure as Error).message;
}

describe('the test client', () => {
  it('answers a tool from the script and returns the result and its text', async () => {
    const answers = { confirm: accept({ reason: 'Broken.' }) };
    const outcome = await client().callTool('refund', { orderId: 'A-1' }, { answers });
    expect(outcome).toMatchObject({ status: 200, text: 'Refunded A-1: Broken.', asked: ['confirm'] });
    expect(outcome.result?.content).toEqual([{ type: 'text', text: 'Refunded A-1: Broken.' }]);
    expect(outcome.error).toBeUndefined();
    expect(paid).toEqual(['A-1']);
  });

  it('returns the JSON of every round as it went over the wire', async () => {
    const answers = { confirm: accept({ reason: 'Broken.' }) };
    const { rounds } = await client().callTool('refund', { orderId: 'A-1' }, { answers });
    const [first, second] = rounds;
    expect(rounds).toHaveLength(2);
    expect(first).toMatchObject({
      request: {
        jsonrpc: '2.0',
        id: 1,
        method: 'tools/call',
        params: {
          name: 'refund',
          arguments: { orderId: 'A-1' },
          _meta: {
            'io.modelcontextprotocol/protocolVersion': '2026-07-28',
            'io.modelcontextprotocol/clientInfo': { name: 'express-mrtr/testing' },
          },
        },
      },
      response: { jsonrpc: '2.0', id: 1, result: { resultType: 'input_required' } },
      status: 200,
      headers: { 'content-type': 'application/json' },
      notifications: [],
      inputRequests: { confirm: { method: 'elicitation/create', params: { mode: 'form', message: 'Refund A-1?' } } },
    });
    expect(first?.request.params).not.toHaveProperty('requestState');
    expect(JSON.parse(first?.body ?? '')).toEqual(first?.response);
    expect(second?.request).toMatchObject({
      id: 2,
      params: {
        name: 'refund',
        requestState: first?.response?.result?.['requestState'],
        inputResponses: { confirm: { action: 'accept', content: { reason: 'Broken.' } } },
      },
    });
    expect(second?.response?.result).toMatchObject({ resultType: 'complete' });
    expect(second).not.toHaveProperty('inputRequests');
  });

  it.each([
    ['decline', decline()],
    ['cancel', cancel()],
  ])('answers %s', async (action, confirm) => {
    const { text } = await client().callTool('refund', { orderId: 'A-1' }, { answers: { confirm } });
    expect(text).toBe(`No refund: ${action}.`);
  });

  it('gets a prompt and reads a resource whose URI no header can hold', async () => {
    const answers = { 'elicit-1': YES };
    const got = await client().getPrompt('greeting', { name: 'Ann' }, { answers });
    expect(got.text).toBe('Dear Ann');
    expect(got.result?.messages[0]?.role).toBe('user');
    const read = await client().readResource('shop://motd?für=1', { answers });
    expect(read.text).toBe('long');
    expect(read.result?.contents).toHaveLength(1);
  });

  it('sends the answers of a round together, leaves out what is left, and tells what was asked in order', async () => {
    const answers = {
      to: [leave(), accept({ reason: 'Bern' })],
      by: accept({ reason: 'mail' }),
      sure: YES,
    };
    const { text, asked, rounds } = await client().callTool('checkout', {}, { answers });
    expect(text).toBe('Sent.');
    expect(asked).toEqual(['to', 'by', 'to', 'sure']);
    expect(Object.keys(rounds[1]?.request.params['inputResponses'] as object)).toEqual(['by']);
  });

  it('carries the state on, and no answers, when all questions are left', async () => {
    const answers = { confirm: [leave(), decline()] };
    const { rounds } = await client().callTool('refund', { orderId: 'A-1' }, { answers });
    expect(rounds[1]?.request.params).toHaveProperty('requestState');
    expect(rounds[1]?.request.params).not.toHaveProperty('inputResponses');
  });

  it('calls a function with the question, its key and the round', async () => {
    const seen: unknown[] = [];
    const answers = {
      to: accept({ reason: 'Bern' }),
      by: accept({ reason: 'mail' }),
      sure: async (request: object, at: object) => {
        seen.push(request, at);
        return YES;
      },
    };
    expect((await client().callTool('checkout', {}, { answers })).text).toBe('Sent.');
    expect(seen).toMatchObject([{ params: { message: 'To Bern by mail?' } }, { key: 'sure', round: 2 }]);
  });

  it('calls one function for every question', async () => {
    const seen: unknown[] = [];
    const { text } = await client().callTool(
      'checkout',
      {},
      {
        answers: (key, request, round) => {
          seen.push([key, request.method, round]);
          return key === 'sure' ? accept({ confirm: false }) : accept({ reason: key });
        },
      },
    );
    expect(text).toBe('Not sent.');
    expect(seen).toEqual([
      ['to', 'elicitation/create', 1],
      ['by', 'elicitation/create', 1],
      ['sure', 'elicitation/create', 2],
    ]);
  });

  it('passes the answers of a model and of a workspace as they are', async () => {
    const answers = {
      'sample-1': { role: 'assistant', content: { type: 'text', text: 'hm' }, model: 'm-1' },
      'roots-2': { roots: [{ uri: 'file:///a' }] },
    };
    const { text, asked } = await client().callTool('model', {}, { answers });
    expect([text, asked]).toEqual(['m-1 1', Object.keys(answers)]);
  });

  it('uses the answers of the client for keys that the call does not answer, and does not miss them when unused', async () => {
    const shared = testClient(served(), { user, answers: { confirm: decline(), to: decline() } });
    expect((await shared.callTool('refund', { orderId: 'A-1' })).text).toBe('No refund: decline.');
    const answers = { confirm: cancel() };
    expect((await shared.callTool('refund', { orderId: 'A-1' }, { answers })).text).toBe('No refund: cancel.');
  });

  it('leaves a JSON-RPC error to the test, unused answers or not', async () => {
    const { error, result, status, asked } = await client().callTool('nope', {}, { answers: { confirm: decline() } });
    expect(error).toMatchObject({ code: -32602 });
    expect([result, status, asked]).toEqual([undefined, 200, []]);
  });

  it('collects the notifications of an event stream', async () => {
    const { text, rounds } = await client().callTool('working', {}, { meta: { progressToken: 'p' } });
    expect(text).toBe('done');
    expect(rounds[0]?.headers['content-type']).toContain('text/event-stream');
    expect(rounds[0]?.notifications).toEqual([
      {
        jsonrpc: '2.0',
        method: 'notifications/progress',
        params: { progressToken: 'p', progress: 1, total: 2, message: 'half\nway' },
      },
    ]);
  });

  it('declares everything that a question can need, unless the test says otherwise', async () => {
    const { rounds } = await client().callTool('whoami');
    const meta = rounds[0]?.request.params['_meta'] as Record<string, unknown>;
    expect(meta['io.modelcontextprotocol/clientCapabilities']).toEqual({
      elicitation: { form: {}, url: {} },
      sampling: { context: {}, tools: {} },
      roots: {},
    });
    const { error } = await client().callTool('refund', { orderId: 'A-1' }, { capabilities: {} });
    expect(error).toMatchObject({ code: -32021 });
  });

  it('acts as the user of the call, else of the client, and says who it is', async () => {
    const clientInfo = { name: 'mine', version: '2.0.0' };
    const { text } = await client().callTool('whoami', {}, { user: { id: 'bob' }, clientInfo });
    expect(JSON.parse(text)).toEqual({
      user: { id: 'bob' },
      principal: { subject: 'bob' },
      info: clientInfo,
      form: true,
    });
    expect(JSON.parse((await client().callTool('whoami')).text)).toMatchObject({ user });
    const nobody = await client().callTool('whoami', {}, { user: undefined });
    expect([nobody.status, nobody.error?.code]).toEqual([401, expect.any(Number)]);
  });
});

describe('the script of a test client', () => {
  it('fails at a question that it does not answer, naming the key, the question and the keys that it has', async () => {
    const answers = { reason: accept(), other: decline() };
    expect(await failureOf(client().callTool('refund', { orderId: 'A-1' }, { answers }))).toBe(
      'The script has no answer to the question "confirm" of round 1 ("Refund A-1?"). It answers "reason", "other". ' +
        'Add answers: { "confirm": … } with accept({ … }), decline(), cancel() or leave().',
    );
    expect(await failureOf(client().callTool('model'))).toBe(
      'The script has no answer to the question "sample-1" of round 1 (sampling/createMessage). It answers nothing. ' +
        'Add answers: { "sample-1": … } with accept({ … }), decline(), cancel() or leave().',
    );
    expect(paid).toEqual([]);
  });

  it('does not take a member of every object for an answer', async () => {
    const ask = tool('ask', {}, async (_args, ctx) => String(await ctx.confirm('Sure?', { key: 'toString' })));
    const call = testClient(testMrtr({ tools: [ask], anonymous: true })).callTool('ask', {}, { answers: {} });
    expect(await failureOf(call)).toContain(
      'The script has no answer to the question "toString" of round 1 ("Sure?").',
    );
  });

  it('fails when the answers to a key have run out', async () => {
    const answers = { confirm: [accept({}), accept({ reason: 7 })] };
    expect(await failureOf(client().callTool('refund', { orderId: 'A-1' }, { answers }))).toMatch(
      /^The script has 2 answers to "confirm", and the question "confirm" of round 3 \("Refund A-1\?.*"\) is its asking number 3\. Add one: accept/s,
    );
  });

  it.each([
    [undefined, 'undefined'],
    [true, 'true'],
    [[], '[]'],
  ])('fails at the answer %j, which is none', async (answer, shown) => {
    const answers = { confirm: () => answer as never };
    expect(await failureOf(client().callTool('refund', { orderId: 'A-1' }, { answers }))).toBe(
      `The script answers the question "confirm" of round 1 ("Refund A-1?") with ${shown}: return accept({ … }), decline(), cancel() or leave().`,
    );
  });

  it('fails when an answer was not asked for', async () => {
    const answers = { confirm: decline(), 'elicit-2': YES };
    expect(await failureOf(client().callTool('refund', { orderId: 'A-1' }, { answers }))).toBe(
      '"elicit-2" was never asked, so that 1 answer of the script went unused: the call asked "confirm", and it ended with ' +
        '"No refund: decline.". Correct the key, take the answer out, or say allowUnused: true.',
    );
    expect(await failureOf(client().callTool('whoami', {}, { answers: { a: YES } }))).toContain(
      'the call asked nothing',
    );
    const allowed = await client().callTool('refund', { orderId: 'A-1' }, { answers, allowUnused: true });
    expect(allowed.text).toBe('No refund: decline.');
  });

  it('fails when one of several answers was not asked for', async () => {
    const answers = { confirm: [decline(), decline(), decline()] };
    expect(await failureOf(client().callTool('refund', { orderId: 'A-1' }, { answers }))).toContain(
      '"confirm" was asked 1 time, so that 2 answers of the script went unused',
    );
  });

  it('fails when the call does not end', async () => {
    const call = client().callTool('endless', {}, { answers: () => YES, maxRounds: 3 });
    expect(await failureOf(call)).toBe(
      'The call is not over after 3 requests; the last reply asks "n-3" ("Number 3?"). ' +
        'If the answers are right and the handler needs that many, raise maxRounds.',
    );
  });

  it('fails with the error of a function of its own', async () => {
    const answers = {
      confirm: () => {
        throw new Error('mine');
      },
    };
    await expect(client().callTool('refund', { orderId: 'A-1' }, { answers })).rejects.toThrow('mine');
  });
});

describe('one request of the test client', () => {
  it('returns whatever the reply is', async () => {
    const asked = await client().request('tools/call', { name: 'refund', arguments: { orderId: 'A-1' } });
    const requestState = asked.response?.result?.['requestState'];
    const inputResponses = { confirm: accept({ reason: 'x' }) };
    const other = { name: 'refund', arguments: { orderId: 'B-2' }, requestState, inputResponses };
    const refused = await client().request('tools/call', other);
    expect(refused.response?.error).toMatchObject({ code: -32602, data: { reason: 'invalid_request_state' } });
    expect(paid).toEqual([]);
  });

  it('fills in _meta, which the test can replace, and the headers, which it can take away', async () => {
    const params = { name: 'whoami', _meta: { 'io.modelcontextprotocol/clientInfo': { name: 'x', version: '1' } } };
    const { request } = await client().request('tools/call', params);
    expect(request.params['_meta']).toMatchObject({
      'io.modelcontextprotocol/protocolVersion': '2026-07-28',
      'io.modelcontextprotocol/clientInfo': { name: 'x' },
    });
    const { response } = await client().request('tools/call', params, { headers: { 'Mcp-Name': undefined } });
    expect(response?.error).toMatchObject({ code: -32020 });
  });

  it('serves other methods', async () => {
    const { response } = await client().request('tools/list');
    expect(response?.result?.['tools']).toHaveLength(tools.length);
  });
});

describe.each(EXPRESSES)('the test client of an app of %s', (_name, make) => {
  const mounted = (...before: express.RequestHandler[]): express.Express => {
    const app = make().use(express.json());
    for (const middleware of before) app.use(middleware);
    return app.use('/api', mrtr({ server: { name: 'shop', version: '1.0.0' }, tools, keys: testKeys() }));
  };
  const bearer: express.RequestHandler = (req, res, next) => {
    const [, token] = /^Bearer (.*)$/.exec(req.get('authorization') ?? '') ?? [];
    if (token === undefined) return void res.status(401).send('Unauthorized');
    Object.assign(req, { user: { id: token } });
    next();
  };
  const answers = { confirm: accept({ reason: 'Broken.' }) };

  it('acts as the user where the app does not authenticate', async () => {
    const app = testClient(mounted(), { user, path: '/api' });
    expect((await app.callTool('refund', { orderId: 'A-1' }, { answers })).text).toBe('Refunded A-1: Broken.');
  });

  it('lets the authentication of the app decide who it is', async () => {
    const app = testClient(mounted(bearer), { user, path: '/api', headers: { Authorization: 'Bearer bob' } });
    expect(JSON.parse((await app.callTool('whoami')).text)).toMatchObject({ user: { id: 'bob' } });
  });

  it('says what an app that is no MCP there answered, and how to go on', async () => {
    const app = testClient(mounted(bearer), { path: '/api' });
    expect(await failureOf(app.callTool('whoami'))).toBe(
      'The reply is HTTP 401 with text/html; charset=utf-8 and not MCP: "Unauthorized". If the app serves MCP elsewhere than ' +
        'at /mcp, give testClient() the option path; if it wants to know who calls, give headers; to test such a reply, use client.request().',
    );
    const { status, response, body } = await app.request('tools/call', { name: 'whoami' });
    expect([status, response, body]).toEqual([401, undefined, 'Unauthorized']);
  });
});

describe('the target of a test client', () => {
  it('is found below /mcp where a handler has a path of its own, and by the host that it allows', async () => {
    const mcp = testMrtr({ tools, path: '/v1', allowedHosts: ['shop.example'] });
    const options = { user, path: '/mcp/v1', headers: { host: 'shop.example' } };
    expect(JSON.parse((await testClient(mcp, options).callTool('whoami')).text)).toMatchObject({ user });
  });

  it('may break the connection, which fails the call', async () => {
    const broken = testClient((req: IncomingMessage) => void req.socket.destroy());
    await expect(broken.callTool('whoami')).rejects.toThrow('socket hang up');
    const cut = testClient((req: IncomingMessage, res: ServerResponse) => {
      res.writeHead(200, { 'content-length': 9 });
      res.write('{', () => req.socket.destroy());
    });
    await expect(cut.callTool('whoami')).rejects.toThrow('The connection ended before the reply did.');
  });

  it.each([
    [undefined, 'a value of type undefined'],
    [null, 'null'],
    [[refund], 'an array'],
    [refund, 'a value of type object'],
  ])('must be an app or a handler', (target, shown) => {
    expect(() => testClient(target as never)).toThrow(
      new TypeError(
        `testClient() takes an Express app or what mrtr() returned; got ${shown}. For definitions alone: testClient(testMrtr({ tools: [refund] })).`,
      ),
    );
  });

  it('is listened to while a call runs, and leaves nothing open behind, whether the call ends well or not', async () => {
    // Jest has timers of its own running; those of the kit are looked for under node:test.
    const open = (): string[] => process.getActiveResourcesInfo().filter((name) => name !== 'Timeout');
    const before = open().sort();
    const during: string[][] = [];
    const answers = () => {
      during.push(open());
      return accept({ reason: 'x' });
    };
    await client().callTool('refund', { orderId: 'A-1' }, { answers });
    await client()
      .callTool('refund', { orderId: 'A-1' })
      .catch(() => undefined);
    expect(during[0]).toContain('TCPServerWrap');
    expect(open().sort()).toEqual(before);
  });

  it('can be called many times at once', async () => {
    const one = client();
    const orders = Array.from({ length: 10 }, (_, at) => `A-${at}`);
    const answers = { confirm: accept({ reason: 'x' }) };
    const outcomes = await Promise.all(orders.map((orderId) => one.callTool('refund', { orderId }, { answers })));
    expect(outcomes.map(({ text }) => text)).toEqual(orders.map((orderId) => `Refunded ${orderId}: x`));
  });
});
