import { createSecretKey, randomBytes } from 'node:crypto';
import { createShop, type Shop } from '../../examples/shop/app.js';
import { tokenFor } from '../../examples/shop/auth.js';
import { generateKey } from '../../lib/index.js';
import { accept, cancel, decline, leave, testClient, testKeys, type TestClient } from '../../lib/testing/index.js';
import type { Reply } from './client.js';
import { bash, freePort, start, stop, type Running } from './process.js';

const INVALID_STATE = {
  code: -32602,
  message: 'The requestState is not valid for this request. Call again without it to start over.',
  data: { reason: 'invalid_request_state' },
};

describe('the shop, as npm start runs it', () => {
  let shop: Running;
  let port: number;

  beforeAll(async () => {
    port = await freePort();
    shop = await start('examples/shop/main.ts', { PORT: String(port) }, (stdout) => stdout.includes('Round 2'));
  });
  afterAll(() => stop(shop));

  it('prints lines that refund an order when they are pasted into a shell', async () => {
    const lines = shop
      .stdout()
      .split('\n')
      .filter((line) => line.startsWith('  '));
    const replies = (await bash(lines)).trim().split('\n');
    const [asked, refused, done] = replies.map((reply) => JSON.parse(reply) as Reply);
    expect(replies).toHaveLength(3);
    expect(asked?.result).toMatchObject({
      resultType: 'input_required',
      inputRequests: { confirm: { params: { message: 'Refund a bicycle bell, 12 €, to ann?' } } },
    });
    expect(refused).toEqual({ jsonrpc: '2.0', id: 2, error: INVALID_STATE });
    expect(done?.result).toMatchObject({
      resultType: 'complete',
      content: [{ type: 'text', text: 'Refunded 12 € of A-1.' }],
    });
  });

  it('serves on the port of PORT, on the loopback address', () => {
    expect(shop.stdout()).toContain(`http://127.0.0.1:${port}/mcp`);
  });

  it('warns that its key dies with it when MRTR_KEYS is not set', () => {
    expect(shop.stderr()).toContain('[MRTR_EPHEMERAL_KEYS]');
  });

  it('ends on SIGTERM', async () => {
    const other = await start('examples/shop/main.ts', { PORT: '0', MRTR_KEYS: generateKey() }, (stdout) =>
      stdout.includes('Round 2'),
    );
    expect(await stop(other)).toBe(0);
    expect(other.stderr()).toBe('');
  });
});

describe('the shop', () => {
  const tokenKey = createSecretKey(randomBytes(32));
  const as = (user: string) => ({ headers: { authorization: `Bearer ${tokenFor(user, tokenKey)}` } });
  const bob = as('bob');
  const reason = accept({ reason: 'Broken.', full: false });
  let shop: Shop;
  let ann: TestClient;

  beforeEach(() => {
    shop = createShop({ tokenKey, stateKey: testKeys() });
    ann = testClient(shop.app, as('ann'));
  });
  afterEach(() => shop.mcp.close());

  /** Begins a call, for tests of what becomes of its state: the parameters of its next round. */
  const begun = async (method: string, params: object, inputResponses: object): Promise<Record<string, unknown>> => {
    const { response } = await ann.request(method, { ...params });
    return { ...params, inputResponses, requestState: response?.result?.['requestState'] };
  };

  it('lets nobody in without a token', async () => {
    expect((await testClient(shop.app).request('tools/call', { name: 'refund' })).status).toBe(401);
  });

  it('lists its tools to a user', async () => {
    const { response } = await ann.request('tools/list');
    expect(response?.result?.['tools']).toMatchObject([{ name: 'refund' }, { name: 'checkout' }]);
  });

  describe('refund', () => {
    const order = { orderId: 'A-1' };
    const refund = { name: 'refund', arguments: order };

    it('asks for a reason, then pays back what the answer says', async () => {
      const { text, asked } = await ann.callTool('refund', order, { answers: { confirm: reason } });
      expect(asked).toEqual(['confirm']);
      expect(text).toBe('Refunded 6 € of A-1.');
      expect((await shop.orders.find('ann', 'A-1'))?.refunded).toBe(6);
    });

    it.each([
      ['decline', decline()],
      ['cancel', cancel()],
    ])('refunds nothing on %s', async (_action, confirm) => {
      const { text } = await ann.callTool('refund', order, { answers: { confirm } });
      expect(text).toBe('Nothing was refunded.');
      expect((await shop.orders.find('ann', 'A-1'))?.refunded).toBe(0);
    });

    it('asks again, with the reason, when the answer does not fit the form', async () => {
      const answers = { confirm: [accept({}), decline()] };
      const { rounds } = await ann.callTool('refund', order, { answers });
      expect(rounds[1]?.inputRequests?.['confirm']?.params).toMatchObject({
        message: 'Refund a bicycle bell, 12 €, to ann?\n\n"reason" is required.',
      });
    });

    it("refuses another user's state without a trace of its owner", async () => {
      const retry = await begun('tools/call', refund, { confirm: reason });
      const { response } = await ann.request('tools/call', retry, bob);
      expect(response).toEqual({ jsonrpc: '2.0', id: 1, error: INVALID_STATE });
      expect((await shop.orders.find('ann', 'A-1'))?.refunded).toBe(0);
    });

    it('refuses a state under other arguments', async () => {
      const retry = await begun('tools/call', refund, { confirm: reason });
      const { response } = await ann.request('tools/call', { ...retry, arguments: { orderId: 'B-1' } });
      expect(response?.error).toEqual(INVALID_STATE);
    });

    it('pays back once when one state is used twice', async () => {
      const retry = await begun('tools/call', refund, { confirm: reason });
      const rounds = await Promise.all([ann.request('tools/call', retry), ann.request('tools/call', retry)]);
      const texts = rounds.map(({ body }) => /"text":"(.*?)"/.exec(body)?.[1]);
      expect(texts.sort()).toEqual(['A-1 was refunded before.', 'Refunded 6 € of A-1.']);
    });

    it("tells the model that another customer's order does not exist", async () => {
      const { result, text } = await ann.callTool('refund', { orderId: 'B-1' });
      expect([result?.isError, text]).toEqual([true, 'The customer has no order of this number.']);
    });
  });

  describe('checkout', () => {
    const lamp = { item: 'lamp' };
    const address = accept({ street: 'Elm Street 1', city: 'Bern' });
    const delivery = accept({ speed: 'express' });
    const order = accept({ confirm: true });

    it('asks two questions in one round and a third that depends on both', async () => {
      const { text, rounds } = await ann.callTool('checkout', lamp, { answers: { address, delivery, order } });
      expect(rounds.map(({ inputRequests = {} }) => Object.keys(inputRequests))).toEqual([
        ['address', 'delivery'],
        ['order'],
        [],
      ]);
      expect(rounds[1]?.inputRequests?.['order']?.params).toMatchObject({
        message: 'Order a lamp for 34 €, to Elm Street 1, Bern?',
      });
      expect(text).toBe('Ordered a lamp as N-3 for 34 €.');
      expect(await shop.orders.find('ann', 'N-3')).toMatchObject({ item: 'a lamp', total: 34 });
    });

    it('asks only for what a partial answer left open', async () => {
      const answers = { address: [leave(), address], delivery, order };
      const { asked } = await ann.callTool('checkout', lamp, { answers });
      expect(asked).toEqual(['address', 'delivery', 'address', 'order']);
    });

    it.each([
      ['the address', { address: decline(), delivery }],
      ['the delivery', { address, delivery: cancel() }],
    ])('orders nothing when %s is refused', async (_which, answers) => {
      expect((await ann.callTool('checkout', lamp, { answers })).text).toBe('Nothing was ordered.');
    });

    it('orders nothing without a yes at the end', async () => {
      const answers = { address, delivery, order: accept({ confirm: false }) };
      expect((await ann.callTool('checkout', lamp, { answers })).text).toBe('Nothing was ordered.');
      expect(await shop.orders.find('ann', 'N-3')).toBeUndefined();
    });

    it("refuses another user's state", async () => {
      const retry = await begun('tools/call', { name: 'checkout', arguments: lamp }, { address, delivery });
      expect((await ann.request('tools/call', retry, bob)).response?.error).toEqual(INVALID_STATE);
    });

    it('is refused to a client that has no forms', async () => {
      const { status, error } = await ann.callTool('checkout', lamp, { capabilities: {} });
      expect(status).toBe(400);
      expect(error).toMatchObject({
        code: -32021,
        data: { requiredCapabilities: { elicitation: { form: {} } } },
      });
    });
  });

  describe('the prompt', () => {
    const order = { orderId: 'A-1' };

    it('asks for the tone', async () => {
      const answers = { 'elicit-1': accept({ tone: 'firm' }) };
      const { text } = await ann.getPrompt('complaint', order, { answers });
      expect(text).toBe('Write a firm letter to the shop about order A-1.');
    });

    it('is friendly when the question is declined', async () => {
      const { text } = await ann.getPrompt('complaint', order, { answers: { 'elicit-1': decline() } });
      expect(text).toBe('Write a friendly letter to the shop about order A-1.');
    });

    it("refuses another user's state", async () => {
      const retry = await begun('prompts/get', { name: 'complaint', arguments: order }, { 'elicit-1': decline() });
      expect((await ann.request('prompts/get', retry, bob)).response?.error).toEqual(INVALID_STATE);
    });
  });

  describe('the resource', () => {
    const uri = 'shop://invoices/A-1';

    it('asks who the invoice is for, and may not be kept', async () => {
      const answers = { 'elicit-1': accept({ company: 'Ann & Co.' }) };
      const { result } = await ann.readResource(uri, { answers });
      expect(result?.contents).toEqual([
        { uri, mimeType: 'text/plain', text: 'Invoice for Ann & Co.: a bicycle bell, 12 €' },
      ]);
      expect(result).toMatchObject({ ttlMs: 0, cacheScope: 'private' });
    });

    it('is made out to the customer when the question is declined', async () => {
      const { text } = await ann.readResource(uri, { answers: { 'elicit-1': decline() } });
      expect(text).toBe('Invoice for ann: a bicycle bell, 12 €');
    });

    it("refuses another user's state", async () => {
      const retry = await begun('resources/read', { uri }, { 'elicit-1': decline() });
      expect((await ann.request('resources/read', retry, bob)).response?.error).toEqual(INVALID_STATE);
    });

    it("says of another customer's invoice that it does not exist", async () => {
      const { error } = await ann.readResource('shop://invoices/B-1');
      expect(error).toMatchObject({ code: -32602, data: { uri: 'shop://invoices/B-1' } });
    });
  });
});
