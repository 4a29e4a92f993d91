import diagnostics from 'node:diagnostics_channel';
import express, { type Express } from 'express';
import request from 'supertest';
import * as examples from '../../examples/readme/handlers.js';
import { behindParser, perTenant } from '../../examples/readme/mounting.js';
import { generateKey, mrtr, type MrtrHandler, type ToolDefinition } from '../../lib/index.js';
import { call, type CallOptions, type Reply } from '../examples/client.js';

const YES = { action: 'accept', content: { confirm: true } };
const NO = { action: 'accept', content: { confirm: false } };

/** The files that the handlers of the documents work with. */
class FakeFiles implements examples.Files {
  counts = 0;
  found = 3;
  reported: number[] = [];
  deleted: string[] = [];
  failure: Error | undefined;

  count(): Promise<number> {
    this.counts += 1;
    return Promise.resolve(this.found);
  }
  delete(folder: string): Promise<void> {
    if (this.failure !== undefined) return Promise.reject(this.failure);
    this.deleted.push(folder);
    return Promise.resolve();
  }
  report(done: number): void {
    this.reported.push(done);
  }
}

/** What a shop answers unless a test says otherwise. */
const shop: examples.Shop = {
  load: () => Promise.reject(new Error('not loaded')),
  reserve: () => Promise.reject(new Error('not reserved')),
  refund: () => Promise.reject(new Error('not refunded')),
  isPaid: () => Promise.resolve(false),
};

describe('the handlers of docs/handlers.md', () => {
  let files: FakeFiles;
  let app: Express;
  let mcp: MrtrHandler;

  const serve = (definition: ToolDefinition): void => {
    mcp = mrtr({
      server: { name: 'docs', version: '1.0.0' },
      tools: [definition],
      anonymous: true,
      keys: generateKey(),
    });
    app = express().use('/mcp', mcp);
  };
  beforeEach(() => {
    files = new FakeFiles();
  });
  afterEach(() => mcp.close());

  /** One round: without `asked` the first. */
  const round = async (
    name: string,
    answers?: object,
    asked?: Reply,
    options?: CallOptions & { readonly method?: string; readonly arguments?: object },
  ): Promise<Reply> => {
    const { method = 'tools/call', arguments: args = { folder: 'tmp' }, ...rest } = options ?? {};
    const params = {
      name,
      ...(method === 'tools/call' && { arguments: args }),
      ...(answers !== undefined && { inputResponses: answers }),
      ...(asked !== undefined && { requestState: asked.result.requestState }),
    };
    return (await call(app, method, params, rest)).body as Reply;
  };
  const text = (reply: Reply): string | undefined => reply.result.content[0]?.text;
  const message = (reply: Reply, key = 'elicit-1'): string | undefined =>
    reply.result.inputRequests[key]?.params.message;

  it('run what stands before a question once a round, and what stands after it once', async () => {
    serve(examples.rule(files));
    const asked = await round('clean');
    expect(message(asked)).toBe('Delete 3 files?');
    expect(text(await round('clean', { 'elicit-1': YES }, asked))).toBe('Deleted 3 files.');
    expect(files).toMatchObject({ counts: 2, deleted: ['tmp'] });
  });

  it('C28 ask anew when the question has changed', async () => {
    serve(examples.rule(files));
    const asked = await round('clean');
    files.found = 400;
    const again = await round('clean', { 'elicit-1': YES }, asked);
    expect(message(again, 'elicit-2')).toBe('Delete 400 files?');
    expect(files.deleted).toEqual([]);
  });

  it('load an order in a step once, and refund it under one key however often the answer comes', async () => {
    const keys: string[] = [];
    let loads = 0;
    serve(
      examples.steps({
        ...shop,
        load: () => Promise.resolve({ total: ++loads, customer: 'Ann' }),
        refund: (_id, { idempotencyKey }) => Promise.resolve(void keys.push(idempotencyKey)),
      }),
    );
    const asked = await round('refund', undefined, undefined, { arguments: { orderId: 'A' } });
    expect(message(asked)).toBe('Refund 1 to Ann?');
    for (let repeat = 1; repeat <= 2; repeat += 1) {
      const done = await round('refund', { 'elicit-1': YES }, asked, { arguments: { orderId: 'A' } });
      expect(text(done)).toBe('Refunded A.');
    }
    expect(loads).toBe(1);
    expect(keys).toEqual([expect.stringMatching(/^[\w-]{43}$/), keys[0]]);
  });

  it('reserve in branches, each once', async () => {
    const reserved: string[] = [];
    serve(examples.branches({ ...shop, reserve: (item) => Promise.resolve(`shelf ${reserved.push(item)}`) }));
    const items = { arguments: { items: ['bell', 'lamp'] } };
    const asked = await round('basket', undefined, undefined, items);
    expect(message(asked, 'gift lamp')).toBe('Wrap lamp (shelf 2) as a gift?');
    const done = await round('basket', { 'gift bell': YES, 'gift lamp': NO }, asked, items);
    expect(text(done)).toBe('bell, wrapped; lamp');
    expect(reserved).toEqual(['bell', 'lamp']);
  });

  it('C63 wait for a payment, not for a word about it', async () => {
    let paid = false;
    serve(examples.link({ ...shop, isPaid: () => Promise.resolve(paid) }));
    const order = { arguments: { orderId: 'A/1' }, capabilities: { elicitation: { url: {} } } };
    const asked = await round('pay', undefined, undefined, order);
    const consent = { 'elicit-1': { action: 'accept', content: { paid: true } } };
    const waiting = await round('pay', consent, asked, order);
    expect(message(waiting)).toBe('Pay for A/1.\n\nThis is not done yet.');
    paid = true;
    expect(text(await round('pay', consent, waiting, order))).toBe('A/1 is paid.');
    expect(text(await round('pay', { 'elicit-1': { action: 'cancel' } }, waiting, order))).toBe(
      'A/1 waits for its payment.',
    );
  });

  it.each([
    ['accept', { sure: true }, 'Wiped.', ['tmp']],
    ['accept', { sure: false }, 'Make a backup first.', []],
    ['decline', { sure: true }, 'The user said no.', []],
    ['cancel', { sure: true }, 'The user closed the form; it may be asked again later.', []],
  ])('C46 take %s with %j for what it is', async (action, content, result, deleted) => {
    serve(examples.decline(files));
    const done = await round('wipe', { 'elicit-1': { action, content } }, await round('wipe'));
    expect(text(done)).toBe(result);
    expect(files.deleted).toEqual(deleted);
  });

  it('C31 ask in a loop, a key for each turn', async () => {
    serve(examples.loop());
    let reply = await round('tag');
    for (const [n, tag] of ['x', 'y', 'z'].entries()) {
      expect(Object.keys(reply.result.inputRequests)).toEqual([`tag-${n + 1}`]);
      reply = await round('tag', { [`tag-${n + 1}`]: { action: 'accept', content: { tag } } }, reply);
    }
    expect(text(reply)).toBe('Tagged: x, y, z.');
  });

  it('leave the loop on a decline', async () => {
    serve(examples.loop());
    const done = await round('tag', { 'tag-1': { action: 'decline' } }, await round('tag'));
    expect(text(done)).toBe('Tagged: .');
  });

  it("check an answer by a Standard Schema's own rules", async () => {
    serve(examples.schema());
    const asked = await round('book');
    const stay = (from: string, to: string): object => ({ 'elicit-1': { action: 'accept', content: { from, to } } });
    const again = await round('book', stay('2026-08-02', '2026-08-01'), asked);
    expect(message(again)).toBe('When do you want to come?\n\n"to": must be after the day of arrival');
    const done = await round('book', stay('2026-08-01', '2026-08-02'), again);
    expect(text(done)).toBe('Booked for 2, from 2026-08-01 to 2026-08-02.');
  });

  it('let an open question pass their catch', async () => {
    serve(examples.catching(files));
    const asked = await round('purge');
    expect(message(asked)).toBe('Purge tmp?');
    expect(text(await round('purge', { 'elicit-1': YES }, asked))).toBe('Purged.');
    files.failure = new examples.LockedError('busy');
    expect(text(await round('purge', { 'elicit-1': YES }, asked))).toBe('tmp is in use.');
  });

  it('take an answer up front where the question allows it', async () => {
    serve(examples.upFront(files));
    expect(text(await round('drop', { sure: YES }))).toBe('Dropped.');
    expect(text(await round('drop', { sure: NO }))).toBe('Nothing was dropped.');
    expect(files.deleted).toEqual(['tmp']);
  });

  it('are refused to a client without what they require', async () => {
    const prompts = [examples.requiring()];
    mcp = mrtr({ server: { name: 'docs', version: '1.0.0' }, prompts, anonymous: true, keys: generateKey() });
    app = express().use('/mcp', mcp);
    const refused = await round('letter', undefined, undefined, { method: 'prompts/get', capabilities: {} });
    expect(refused.error).toMatchObject({ code: -32021 });
    const asked = await round('letter', undefined, undefined, { method: 'prompts/get' });
    const answer = { 'elicit-1': { action: 'accept', content: { name: 'Ann' } } };
    const done = await round('letter', answer, asked, { method: 'prompts/get' });
    expect(done.result.messages[0]?.content.text).toBe('Write to Ann.');
  });

  it('do without where a client cannot ask', async () => {
    serve(examples.supporting(files));
    expect(text(await round('tidy', undefined, undefined, { capabilities: {} }))).toMatch(/^This client cannot ask/);
    expect(text(await round('tidy', { 'elicit-1': YES }, await round('tidy')))).toBe('Tidied.');
  });

  it('tell their progress to a request that asks for it', async () => {
    serve(examples.telling(files));
    const { requestState } = (await round('sweep')).result;
    const _meta = {
      'io.modelcontextprotocol/protocolVersion': '2026-07-28',
      'io.modelcontextprotocol/clientCapabilities': { elicitation: {} },
      'io.modelcontextprotocol/logLevel': 'info',
      progressToken: 'p',
    };
    const params = {
      name: 'sweep',
      arguments: { folder: 'tmp' },
      inputResponses: { 'elicit-1': YES },
      requestState,
      _meta,
    };
    const { text: stream, type } = await call(app, 'tools/call', params);
    expect(type).toBe('text/event-stream');
    const messages = [...stream.matchAll(/^data: (.*)$/gm)].map(([, data]) => JSON.parse(String(data)) as object);
    expect(messages).toMatchObject([
      { method: 'notifications/progress', params: { progressToken: 'p', progress: 1, total: 3 } },
      { params: { progress: 2 } },
      { params: { progress: 3 } },
      { method: 'notifications/message', params: { level: 'info', data: { swept: 'tmp' } } },
      { result: { content: [{ text: 'Swept.' }] } },
    ]);
    expect(files.reported).toEqual([1, 2, 3]);
  });

  it('say to the model what a ToolError says, and of other errors nothing', async () => {
    serve(examples.failing(files));
    const asked = await round('shred');
    files.failure = new Error('disk /dev/sda1 is full');
    expect((await round('shred', { 'elicit-1': YES }, asked)).result).toMatchObject({
      isError: true,
      content: [{ text: 'The tool failed.' }],
    });
    files.found = 0;
    expect((await round('shred')).result).toMatchObject({
      isError: true,
      content: [{ text: 'The folder is empty. Ask the user for another one.' }],
    });
  });
});

describe('the ways to mount it', () => {
  const options = {
    server: { name: 'docs', version: '1.0.0' },
    tools: [examples.rule(new FakeFiles())],
    keys: generateKey(),
  };
  const clean = { name: 'clean', arguments: { folder: 'tmp' } };

  it('C68 answer as JSON-RPC what express.json() refuses', async () => {
    const app = behindParser({ ...options, anonymous: true }, (_req, _res, next) => next());
    const reply = await request(app).post('/mcp').set('content-type', 'application/json').send('{"jsonrpc":');
    expect(reply.status).toBe(400);
    expect(reply.body).toMatchObject({ jsonrpc: '2.0', error: { code: -32700 } });
    expect(((await call(app, 'tools/call', clean)).body as Reply).result.resultType).toBe('input_required');
  });

  it('tell users of one id apart by their tenant', async () => {
    process.env['MRTR_KEYS'] = generateKey();
    const handler = perTenant(options);
    delete process.env['MRTR_KEYS'];
    const app = express().use('/mcp', (req, _res, next) => {
      req.user = { id: '7', tenant: req.get('authorization') };
      next();
    });
    app.use('/mcp', handler);
    const { requestState } = ((await call(app, 'tools/call', clean, { token: 'a' })).body as Reply).result;
    const retry = { ...clean, requestState, inputResponses: { 'elicit-1': YES } };
    expect(((await call(app, 'tools/call', retry, { token: 'b' })).body as Reply).error).toMatchObject({
      code: -32602,
    });
    expect(((await call(app, 'tools/call', retry, { token: 'a' })).body as Reply).result.resultType).toBe('complete');
  });
});

describe('the subscriber of docs/security.md', () => {
  it('logs why a state was refused', async () => {
    const warn = jest.spyOn(console, 'warn').mockImplementation(() => undefined);
    const subscribed: Parameters<typeof diagnostics.subscribe>[] = [];
    jest.doMock('node:diagnostics_channel', () => ({
      subscribe: (...subscription: Parameters<typeof diagnostics.subscribe>) => {
        subscribed.push(subscription);
        diagnostics.subscribe(...subscription);
      },
    }));
    await import('../../examples/readme/events.js');
    const mcp = mrtr({
      server: { name: 'docs', version: '1.0.0' },
      tools: [examples.loop()],
      anonymous: true,
      keys: generateKey(),
    });
    await call(express().use('/mcp', mcp), 'tools/call', { name: 'tag', requestState: 'junk' });
    expect(warn.mock.calls).toEqual([
      [
        JSON.stringify({
          event: 'mrtr:refused',
          reason: 'ERR_MRTR_STATE_MALFORMED',
          method: 'tools/call',
          target: 'tag',
        }),
      ],
    ]);
    for (const subscription of subscribed) diagnostics.unsubscribe(...subscription);
    warn.mockRestore();
  });
});
