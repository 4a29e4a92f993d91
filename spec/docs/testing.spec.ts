import { createSecretKey, randomBytes } from 'node:crypto';
import { loop, decline as wiping, rule, type Files } from '../../examples/readme/handlers.js';
import * as guide from '../../examples/readme/testing.js';
import { createShop } from '../../examples/shop/app.js';
import { tokenFor } from '../../examples/shop/auth.js';
import { testClient, testKeys, testMrtr } from '../../lib/testing/index.js';

const deleted: string[] = [];
const files: Files = {
  count: () => Promise.resolve(3),
  delete: async (folder) => void deleted.push(folder),
  report: () => undefined,
};
const clean = rule(files);

describe('the guide to testing', () => {
  beforeEach(() => deleted.splice(0));

  it('runs a whole flow', async () => {
    await guide.wholeFlow(clean);
    expect(deleted).toEqual(['tmp']);
  });

  it('shows every kind of answer', async () => {
    const mcp = testMrtr({ tools: [wiping(files), loop()], anonymous: true });
    await guide.everyAnswer(testClient(mcp));
    expect(deleted).toEqual([]);
  });

  it('drives an app with an authentication of its own', async () => {
    const tokenKey = createSecretKey(randomBytes(32));
    const shop = createShop({ tokenKey, stateKey: testKeys() });
    await guide.ownApp(shop.app, tokenFor('ann', tokenKey));
    expect((await shop.orders.find('ann', 'A-1'))?.refunded).toBe(0);
  });

  it('checks that a handler is deterministic', async () => {
    await guide.sameQuestions(clean);
    expect(deleted).toEqual(['tmp']);
  });

  it('lets a state expire', async () => {
    await guide.late(clean);
    expect(deleted).toEqual([]);
  });
});
