/** One node of the service. It knows the keys, the Redis and its name, and nothing of the other nodes. */
import { createSecretKey } from 'node:crypto';
import type { AddressInfo } from 'node:net';
import express, { type RequestHandler } from 'express';
import { mrtr, RedisReplayStore } from 'express-mrtr';
import { Redis } from 'ioredis';
import passport from 'passport';
import { ExtractJwt, Strategy } from 'passport-jwt';
import { payTool } from './pay.js';

// MRTR_KEYS is read by mrtr() itself, and has to be the same on every node.
const { JWT_SECRET, NODE_NAME = 'node', PORT = '0', PUBLIC_HOST = 'localhost', REDIS_URL } = process.env;
if (!JWT_SECRET || !REDIS_URL) throw new Error('Set JWT_SECRET and REDIS_URL.');

passport.use(
  new Strategy(
    {
      jwtFromRequest: ExtractJwt.fromAuthHeaderAsBearerToken(),
      // A KeyObject spares a conversion on every request; the typings lag behind.
      secretOrKey: createSecretKey(JWT_SECRET, 'utf8') as unknown as Buffer,
      algorithms: ['HS256'],
    },
    (claims: object, done) => done(null, claims),
  ),
);

// #region redis
// Without its queue the client fails at once while Redis is away, rather than when the time-out of the store is over.
const redis = new Redis(REDIS_URL, { enableOfflineQueue: false, lazyConnect: true });
redis.on('error', (error) => console.error(`${NODE_NAME}: Redis: ${error.message}`));

const replay = {
  store: new RedisReplayStore({
    prefix: 'bank:replay:',
    sendCommand: ([command, ...rest]) => redis.call(command, ...rest),
  }),
  leaseSeconds: 10, // longer than any handler runs
  waitSeconds: 15, // longer than the lease, so that a repeat outlasts a node that died
  timeoutSeconds: 1,
};
// #endregion

// #region app
const mcp = mrtr({
  server: { name: 'bank', version: '1.0.0' },
  tools: [payTool(redis)],
  allowedHosts: [PUBLIC_HOST], // the proxy passes on the Host that the client sent
  handlerTimeoutSeconds: 8, // below the lease
  maxStateBytes: 16_384,
  bodyLimit: '64kb', // the proxy must let as much through
  replay,
});

const app = express();
app.disable('x-powered-by');
app.set('trust proxy', 'loopback'); // the addresses of your proxies, for req.ip; a state is never bound to it
app.use((_req, res, next) => {
  res.set('x-node', NODE_NAME);
  next();
});
app.use('/mcp', passport.authenticate('jwt', { session: false }) as RequestHandler, mcp);
// #endregion

await redis.connect();
const server = app.listen(Number(PORT), '127.0.0.1', (error) => {
  if (error !== undefined) throw error;
  process.send?.({ port: (server.address() as AddressInfo).port });
});

// #region timeouts
server.keepAliveTimeout = 65_000; // longer than the proxy keeps an idle connection
// #endregion

// #region stop
process.once('SIGTERM', () => {
  void mcp.close(); // ends the subscription streams, which would never end by themselves
  server.close(() => process.exit()); // what runs is finished first
  setInterval(() => server.closeIdleConnections(), 100);
});
// #endregion
process.once('disconnect', () => process.exit());
