import { createSecretKey, randomBytes } from 'node:crypto';
import { createShop, type Shop } from '../../examples/shop/app.js';
import { tokenFor } from '../../examples/shop/auth.js';
import { generateKey } from '../../lib/index.js';
import { call, type Reply } from './client.js';
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
  const ann = { token: tokenFor('ann', tokenKey) };
  const bob = { token: tokenFor('bob', tokenKey) };
  const refund = { name: 'refund', arguments: { orderId: 'A-1' } };
  const reason = { action: 'accept', content: { reason: 'Broken.', full: false } };
  let shop: Shop;

  beforeEach(() => {
    shop = createShop({ tokenKey, stateKey: generateKey() });
  });
  afterEach(() => shop.mcp.close());

  const post = async (method: string, params: Record<string, unknown>, user = ann): Promise<Reply> =>
    (await call(shop.app, method, params, user)).body as Reply;
  /** The next round of a call. */
  const answer = (method: string, params: Record<string, unknown>, asked: Reply, inputResponses: object, user = ann) =>
    post(method, { ...params, inputResponses, requestState: asked.result.requestState }, user);
  const text = (reply: Reply): string | undefined => reply.result.content[0]?.text;

  it('lets nobody in without a token', async () => {
    const reply = await call(shop.app, 'tools/call', refund);
    expect(reply.status).toBe(401);
  });

  it('lists its tools to a user', async () => {
    const { result } = await post('tools/list', {});
    expect(result.tools.map(({ name }) => name)).toEqual(['refund', 'checkout']);
  });

  describe('refund', () => {
    it('asks for a reason, then pays back what the answer says', async () => {
      const asked = await post('tools/call', refund);
      expect(Object.keys(asked.result.inputRequests)).toEqual(['confirm']);
      const done = await answer('tools/call', refund, asked, { confirm: reason });
      expect(text(done)).toBe('Refunded 6 € of A-1.');
      expect((await shop.orders.find('ann', 'A-1'))?.refunded).toBe(6);
    });

    it.each(['decline', 'cancel'])('refunds nothing on %s', async (action) => {
      const asked = await post('tools/call', refund);
      const done = await answer('tools/call', refund, asked, { confirm: { action } });
      expect(text(done)).toBe('Nothing was refunded.');
      expect((await shop.orders.find('ann', 'A-1'))?.refunded).toBe(0);
    });

    it('asks again, with the reason, when the answer does not fit the form', async () => {
      const asked = await post('tools/call', refund);
      const again = await answer('tools/call', refund, asked, { confirm: { action: 'accept', content: {} } });
      expect(again.result.inputRequests['confirm']?.params.message).toBe(
        'Refund a bicycle bell, 12 €, to ann?\n\n"reason" is required.',
      );
    });

    it("refuses another user's state without a trace of its owner", async () => {
      const asked = await post('tools/call', refund);
      const refused = await answer('tools/call', refund, asked, { confirm: reason }, bob);
      expect(refused).toEqual({ jsonrpc: '2.0', id: 1, error: INVALID_STATE });
      expect((await shop.orders.find('ann', 'A-1'))?.refunded).toBe(0);
    });

    it('refuses a state under other arguments', async () => {
      const asked = await post('tools/call', refund);
      const other = { ...refund, arguments: { orderId: 'B-1' } };
      expect((await answer('tools/call', other, asked, { confirm: reason })).error).toEqual(INVALID_STATE);
    });

    it('pays back once when one state is used twice', async () => {
      const asked = await post('tools/call', refund);
      const replies = await Promise.all([
        answer('tools/call', refund, asked, { confirm: reason }),
        answer('tools/call', refund, asked, { confirm: reason }),
      ]);
      expect(replies.map(text).sort()).toEqual(['A-1 was refunded before.', 'Refunded 6 € of A-1.']);
    });

    it("tells the model that another customer's order does not exist", async () => {
      const reply = await post('tools/call', { ...refund, arguments: { orderId: 'B-1' } });
      expect(reply.result).toMatchObject({
        isError: true,
        content: [{ type: 'text', text: 'The customer has no order of this number.' }],
      });
    });
  });

  describe('checkout', () => {
    const checkout = { name: 'checkout', arguments: { item: 'lamp' } };
    const address = { action: 'accept', content: { street: 'Elm Street 1', city: 'Bern' } };
    const delivery = { action: 'accept', content: { speed: 'express' } };

    it('asks two questions in one round and a third that depends on both', async () => {
      const first = await post('tools/call', checkout);
      expect(Object.keys(first.result.inputRequests)).toEqual(['address', 'delivery']);
      const second = await answer('tools/call', checkout, first, { address, delivery });
      expect(second.result.inputRequests['order']?.params.message).toBe(
        'Order a lamp for 34 €, to Elm Street 1, Bern?',
      );
      const done = await answer('tools/call', checkout, second, {
        order: { action: 'accept', content: { confirm: true } },
      });
      expect(text(done)).toBe('Ordered a lamp as N-3 for 34 €.');
      expect(await shop.orders.find('ann', 'N-3')).toMatchObject({ item: 'a lamp', total: 34 });
    });

    it('asks only for what a partial answer left open', async () => {
      const first = await post('tools/call', checkout);
      const second = await answer('tools/call', checkout, first, { delivery });
      expect(Object.keys(second.result.inputRequests)).toEqual(['address']);
      const third = await answer('tools/call', checkout, second, { address });
      expect(Object.keys(third.result.inputRequests)).toEqual(['order']);
    });

    it.each([
      ['the address', { address: { action: 'decline' }, delivery }],
      ['the delivery', { address, delivery: { action: 'cancel' } }],
    ])('orders nothing when %s is refused', async (_which, answers) => {
      const first = await post('tools/call', checkout);
      expect(text(await answer('tools/call', checkout, first, answers))).toBe('Nothing was ordered.');
    });

    it('orders nothing without a yes at the end', async () => {
      const first = await post('tools/call', checkout);
      const second = await answer('tools/call', checkout, first, { address, delivery });
      const done = await answer('tools/call', checkout, second, {
        order: { action: 'accept', content: { confirm: false } },
      });
      expect(text(done)).toBe('Nothing was ordered.');
      expect(await shop.orders.find('ann', 'N-3')).toBeUndefined();
    });

    it("refuses another user's state", async () => {
      const first = await post('tools/call', checkout);
      expect((await answer('tools/call', checkout, first, { address, delivery }, bob)).error).toEqual(INVALID_STATE);
    });

    it('is refused to a client that has no forms', async () => {
      const reply = await call(shop.app, 'tools/call', checkout, { ...ann, capabilities: {} });
      expect(reply.status).toBe(400);
      expect(reply.body.error).toMatchObject({
        code: -32021,
        data: { requiredCapabilities: { elicitation: { form: {} } } },
      });
    });
  });

  describe('the prompt', () => {
    const complaint = { name: 'complaint', arguments: { orderId: 'A-1' } };
    const message = (reply: Reply): string | undefined => reply.result.messages[0]?.content.text;

    it('asks for the tone', async () => {
      const asked = await post('prompts/get', complaint);
      const done = await answer('prompts/get', complaint, asked, {
        'elicit-1': { action: 'accept', content: { tone: 'firm' } },
      });
      expect(message(done)).toBe('Write a firm letter to the shop about order A-1.');
    });

    it('is friendly when the question is declined', async () => {
      const asked = await post('prompts/get', complaint);
      const done = await answer('prompts/get', complaint, asked, { 'elicit-1': { action: 'decline' } });
      expect(message(done)).toBe('Write a friendly letter to the shop about order A-1.');
    });

    it("refuses another user's state", async () => {
      const asked = await post('prompts/get', complaint);
      const refused = await answer('prompts/get', complaint, asked, { 'elicit-1': { action: 'decline' } }, bob);
      expect(refused.error).toEqual(INVALID_STATE);
    });
  });

  describe('the resource', () => {
    const invoice = { uri: 'shop://invoices/A-1' };
    const contents = (reply: Reply): readonly unknown[] => reply.result.contents;

    it('asks who the invoice is for, and may not be kept', async () => {
      const asked = await post('resources/read', invoice);
      const done = await answer('resources/read', invoice, asked, {
        'elicit-1': { action: 'accept', content: { company: 'Ann & Co.' } },
      });
      expect(contents(done)).toEqual([
        { uri: invoice.uri, mimeType: 'text/plain', text: 'Invoice for Ann & Co.: a bicycle bell, 12 €' },
      ]);
      expect(done.result).toMatchObject({ ttlMs: 0, cacheScope: 'private' });
    });

    it('is made out to the customer when the question is declined', async () => {
      const asked = await post('resources/read', invoice);
      const done = await answer('resources/read', invoice, asked, { 'elicit-1': { action: 'decline' } });
      expect(contents(done)).toMatchObject([{ text: 'Invoice for ann: a bicycle bell, 12 €' }]);
    });

    it("refuses another user's state", async () => {
      const asked = await post('resources/read', invoice);
      const refused = await answer('resources/read', invoice, asked, { 'elicit-1': { action: 'decline' } }, bob);
      expect(refused.error).toEqual(INVALID_STATE);
    });

    it("says of another customer's invoice that it does not exist", async () => {
      const reply = await post('resources/read', { uri: 'shop://invoices/B-1' });
      expect(reply.error).toMatchObject({ code: -32602, data: { uri: 'shop://invoices/B-1' } });
    });
  });
});
