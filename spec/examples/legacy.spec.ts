import { createSecretKey } from 'node:crypto';
import jwt from 'jsonwebtoken';
import { generateKey } from '../../lib/index.js';
import { LegacyClient, type Message } from '../support/legacy-client.js';
import { describeWithRedis, RedisServer } from '../support/redis.js';
import { start, stop, type Running } from './process.js';

const secret = 'a secret of this test, long enough for HS256';
const env = { JWT_SECRET: secret, MRTR_KEYS: generateKey(), PORT: '0', PUBLIC_HOST: '127.0.0.1' };
const token = jwt.sign({}, createSecretKey(secret, 'utf8'), { subject: 'ann' });
const running: Running[] = [];

async function node(more: Record<string, string> = {}): Promise<string> {
  const child = await start('examples/legacy/server.ts', { ...env, ...more }, (stdout) => stdout.endsWith('/mcp\n'));
  running.push(child);
  return child
    .stdout()
    .trim()
    .replace(/\/mcp$/, '');
}

async function connect(url: string): Promise<LegacyClient> {
  return LegacyClient.connect(url, { headers: { authorization: `Bearer ${token}` } });
}

const textOf = ({ result }: Message): string => (result?.['content'] as { text: string }[])[0]?.text ?? '';
const BROKEN = { action: 'accept', content: { reason: 'broken' } };
const REFUNDED = /^Refunded A-1 \(broken\), reference [\w-]{8}\.$/;

afterEach(() => Promise.all(running.splice(0).map(stop)));

describe('the example of earlier revisions', () => {
  it('asks a client of 2025-11-25 while its call waits, on one node without Redis', async () => {
    const client = await connect(await node());
    const call = await client.tool('refund', { orderId: 'A-1' });
    const asked = await call.next();
    expect(asked.params?.['message']).toBe('Refund A-1: why?');
    await client.respond(asked, BROKEN);
    expect(textOf(await call.reply())).toMatch(REFUNDED);
  }, 30_000);
});

describeWithRedis('the example of earlier revisions with Redis', () => {
  it('takes the answer on another node than the one that runs the call', async () => {
    const redis = await RedisServer.start();
    try {
      const [one, two] = await Promise.all([node({ REDIS_URL: redis.url }), node({ REDIS_URL: redis.url })]);
      const client = await connect(one);
      const call = await client.tool('refund', { orderId: 'A-1' });
      expect(await client.at(two).respond(await call.next(), BROKEN)).toBe(202);
      expect(textOf(await call.reply())).toMatch(REFUNDED);
    } finally {
      await Promise.all(running.splice(0).map(stop));
      await redis.stop();
    }
  }, 60_000);
});
