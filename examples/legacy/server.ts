/**
 * One node that serves clients of MCP 2026-07-28 and of 2025-11-25 on one path. With REDIS_URL any number of them work
 * together: JWT_SECRET=… MRTR_KEYS=… REDIS_URL=redis://… PORT=3000 npx tsx examples/legacy/server.ts
 */
import { createSecretKey } from 'node:crypto';
import type { AddressInfo } from 'node:net';
import express, { type RequestHandler } from 'express';
import { MemoryMailbox, mrtr, RedisMailbox, type Mailbox } from 'express-mrtr';
import { Redis } from 'ioredis';
import passport from 'passport';
import { ExtractJwt, Strategy } from 'passport-jwt';
import { refund } from './refund.js';

const { JWT_SECRET, PORT = '0', PUBLIC_HOST = 'localhost', REDIS_URL } = process.env;
if (!JWT_SECRET) throw new Error('Set JWT_SECRET.');

passport.use(
  new Strategy(
    {
      jwtFromRequest: ExtractJwt.fromAuthHeaderAsBearerToken(),
      secretOrKey: createSecretKey(JWT_SECRET, 'utf8') as unknown as Buffer,
      algorithms: ['HS256'],
    },
    (claims: object, done) => done(null, claims),
  ),
);

// #region mailbox
function redisMailbox(url: string): RedisMailbox {
  const client = new Redis(url, { enableOfflineQueue: false });
  const subscriber = new Redis(url);
  for (const each of [client, subscriber]) each.on('error', (error) => console.error(`Redis: ${error.message}`));
  return new RedisMailbox({
    prefix: 'shop:mailbox:',
    sendCommand: ([command, ...rest]) => client.call(command, ...rest),
    subscribe: async (channel, listener) => {
      const hear = (at: string, message: string): void => {
        if (at === channel) listener(message);
      };
      subscriber.on('message', hear);
      await subscriber.subscribe(channel);
      return () => subscriber.off('message', hear).unsubscribe(channel);
    },
  });
}

const mailbox: Mailbox = REDIS_URL ? redisMailbox(REDIS_URL) : new MemoryMailbox();
// #endregion

// #region app
const mcp = mrtr({
  server: { name: 'shop', version: '1.0.0' },
  tools: [refund],
  allowedHosts: [PUBLIC_HOST],
  legacy: { mailbox, elicitationTimeoutSeconds: 120, sessionTtlSeconds: 12 * 3600 },
});
// #endregion

const app = express();
app.use('/mcp', passport.authenticate('jwt', { session: false }) as RequestHandler, mcp);
const server = app.listen(Number(PORT), '127.0.0.1', (error) => {
  if (error !== undefined) throw error;
  console.log(`http://127.0.0.1:${(server.address() as AddressInfo).port}/mcp`);
});

// #region stop
process.once('SIGTERM', () => {
  server.close(() => process.exit()); // calls that wait for a person are finished first
  setInterval(() => server.closeIdleConnections(), 100);
  setTimeout(() => process.exit(), 30_000).unref(); // but not for ever
});
// #endregion
