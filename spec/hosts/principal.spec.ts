import type express from 'express';
import { createSecretKey } from 'node:crypto';
import jwt from 'jsonwebtoken';
import passport from 'passport';
import { ExtractJwt, Strategy, type JwtFromRequestFunction } from 'passport-jwt';
import request from 'supertest';
import { mrtr, tool } from '../../lib/index.js';
import type { MrtrOptions } from '../../lib/options.js';
import {
  askOf,
  closeAll,
  eventsOf,
  expectBadState,
  EXPRESSES,
  headersOf,
  KEY,
  listen,
  metaOf,
  rig,
  textOf,
  YES,
  type RigOptions,
} from '../support/http.js';

afterAll(closeAll);

describe.each(EXPRESSES)('the principal on %s', (_name, make) => {
  let runs = 0;
  const ask = tool('ask', {}, async (_args, ctx) => {
    runs += 1;
    await ctx.confirm('Sure?');
    return JSON.stringify({ user: ctx.user, principal: ctx.principal });
  });
  const served = (options: RigOptions = {}) => {
    runs = 0;
    return rig({ express: make, tools: [ask], ...options });
  };

  it('C89 different users never share a state; 42 and "42" are one by rule', async () => {
    const users: unknown[] = [
      { sub: 'u1' },
      { sub: 'u1', iss: 'i' },
      { sub: 'u1', azp: 'app' },
      { id: 0 },
      { id: 42 },
      'ann',
      'Ann',
      { _id: { toString: () => 'oid' } },
    ];
    let user: unknown;
    const { tool: call } = await served({ user: () => user });
    for (const [at, first] of users.entries()) {
      user = first;
      const { state } = askOf(await call('ask'));
      for (const [other, second] of users.entries()) {
        user = second;
        const reply = await call('ask', undefined, { requestState: state });
        if (at === other) askOf(reply);
        else expectBadState(reply);
      }
    }
    user = { id: 42 };
    const { state } = askOf(await call('ask'));
    user = { id: '42' };
    askOf(await call('ask', undefined, { requestState: state }));
  });

  it('C89 a user that names nobody is a fault of the set-up, never a shared state', async () => {
    let user: unknown;
    const { tool: call } = await served({ user: () => user, anonymous: true });
    for (user of [{}, true, '', { email: 'a@x' }, { id: { tenant: 1 } }]) {
      const reply = await call('ask', undefined, {}, { id: 1 });
      expect([user, reply.status, reply.body]).toMatchObject([user, 500, { id: 1, error: { code: -32603 } }]);
    }
    expect(runs).toBe(0);
  });

  it('C90 without a principal nothing is served, in any era, unless anonymous', async () => {
    const { call, post } = await served({ user: () => undefined });
    const initialize = {
      jsonrpc: '2.0',
      id: 1,
      method: 'initialize',
      params: { protocolVersion: '2025-11-25', capabilities: {}, clientInfo: { name: 'c', version: '1' } },
    };
    const legacy = { jsonrpc: '2.0', id: 1, method: 'tools/call', params: { name: 'ask' } };
    const plain = { 'content-type': 'application/json', accept: 'application/json, text/event-stream' };
    const replies = [
      await call('tools/call', { name: 'ask' }),
      await call('tools/list', {}),
      await call('server/discover', {}),
      await call('tools/call', { name: 'unknown' }),
      await post(initialize, plain),
      await post(legacy, plain),
      await post([legacy], plain),
      await post({ jsonrpc: '2.0', method: 'notifications/initialized' }, plain),
    ];
    for (const reply of replies) {
      expect([reply.status, reply.headers['www-authenticate'], reply.body]).toEqual([
        401,
        'Bearer',
        { jsonrpc: '2.0', error: { code: -32600, message: 'Authentication is required.' } },
      ]);
    }
    expect(runs).toBe(0);
  });

  it('C90 an anonymous state is bound to nobody, and no user can use it', async () => {
    const { tool: call } = await served({
      anonymous: true,
      user: (req) => (req.get('x-user') === undefined ? undefined : { sub: req.get('x-user') }),
    });
    const { state } = askOf(await call('ask'));
    const again = { requestState: state, inputResponses: { 'elicit-1': YES } };
    expect(textOf(await call('ask', undefined, again))).toContain('"principal":null');
    expectBadState(await call('ask', undefined, again, { headers: { 'x-user': 'ann' } }));
    expectBadState(await call('ask', undefined, again, { headers: { 'x-user': 'anonymous' } }));
  });

  it('C96 the handler sees the current user, and nothing of the old one', async () => {
    let role = 'admin';
    const admin = tool('admin', {}, async (_args, ctx) => {
      await ctx.confirm('Drop the table?');
      return `as ${(ctx.user as { role: string }).role}`;
    });
    const { tool: call } = await served({ tools: [admin], user: () => ({ sub: 'ann', role }) });
    const { state } = askOf(await call('admin'));
    role = 'guest';
    expect(textOf(await call('admin', undefined, { requestState: state, inputResponses: { 'elicit-1': YES } }))).toBe(
      'as guest',
    );
  });

  it('C98 a principal option that misbehaves is HTTP 500, and no state is sealed or opened', async () => {
    const touched: string[] = [];
    const codec: NonNullable<MrtrOptions['codec']> = {
      seal: () => {
        touched.push('seal');
        return 'x';
      },
      unseal: () => {
        touched.push('unseal');
        return undefined;
      },
    };
    const resolvers: NonNullable<MrtrOptions['principal']>[] = [
      () => {
        throw new Error('SENTINEL');
      },
      () => Promise.reject(new Error('SENTINEL')),
      () => undefined as never,
      () => 5 as never,
      () => '',
      () => 'x'.repeat(1_000_000),
      () => Promise.resolve(undefined as never),
    ];
    for (const principal of resolvers) {
      const { tool: call } = await served({ principal, codec, anonymous: true });
      const errors = await eventsOf<{ code: string }>('mrtr:error', async () => {
        const reply = await call('ask', undefined, { requestState: 'x' }, { id: 9 });
        expect([reply.status, reply.body]).toMatchObject([500, { id: 9, error: { code: -32603 } }]);
        expect(reply.text).not.toContain('SENTINEL');
      });
      expect(errors).toMatchObject([{ code: 'ERR_MRTR_PRINCIPAL', method: 'tools/call', target: 'ask' }]);
    }
    expect([runs, touched]).toEqual([0, []]);
    const { tool: call } = await served({ principal: async () => Promise.resolve('late') });
    askOf(await call('ask'));
  });

  it('C94 a refreshed access token of the same user goes on', async () => {
    const secret = createSecretKey(Buffer.from('a secret of the test, 32 bytes !'));
    const fromHeader: JwtFromRequestFunction = ExtractJwt.fromAuthHeaderAsBearerToken();
    const authenticator = new passport.Passport();
    authenticator.use(
      new Strategy(
        { secretOrKey: secret as never, jwtFromRequest: fromHeader, algorithms: ['HS256'] },
        (claims: object, done) => done(null, claims),
      ),
    );
    const app: express.Express = make();
    app.use(
      '/mcp',
      authenticator.authenticate('jwt', { session: false }) as express.RequestHandler,
      mrtr({ server: { name: 's', version: '1' }, tools: [ask], keys: KEY }),
    );
    const url = await listen(app);
    const token = (claims: object): string => jwt.sign(claims, secret, { algorithm: 'HS256' });
    const send = (bearer: string | undefined, extra: object = {}) => {
      const test = request(url).post('/mcp').set(headersOf('tools/call', 'ask'));
      if (bearer !== undefined) test.set('authorization', `Bearer ${bearer}`);
      return test.send({
        jsonrpc: '2.0',
        id: 1,
        method: 'tools/call',
        params: { name: 'ask', _meta: metaOf(), ...extra },
      });
    };
    const soon = Math.floor(Date.now() / 1000) + 600;
    const { state } = askOf(await send(token({ sub: 'ann', iat: soon - 700, exp: soon, jti: '1' })));
    const again = { requestState: state, inputResponses: { 'elicit-1': YES } };
    expect(textOf(await send(token({ sub: 'ann', iat: soon - 600, exp: soon + 60, jti: '2' }), again))).toContain(
      '"jti":"2"',
    );
    expectBadState(await send(token({ sub: 'bob', exp: soon }), again));
    expect((await send(undefined)).status).toBe(401);
  });

  it('C90 a callback of Passport that never logs in is answered 401', async () => {
    const authenticator = new passport.Passport();
    authenticator.use(
      new Strategy({ secretOrKey: 'x', jwtFromRequest: () => jwt.sign({ sub: 'ann' }, 'x') }, (_claims: object, done) =>
        done(null, false),
      ),
    );
    const app: express.Express = make();
    app.use('/mcp', ((req, res, next) => {
      (authenticator.authenticate('jwt', { session: false }, () => next()) as express.RequestHandler)(req, res, next);
    }) as express.RequestHandler);
    app.use('/mcp', mrtr({ server: { name: 's', version: '1' }, tools: [ask], keys: KEY }));
    const url = await listen(app);
    const reply = await request(url)
      .post('/mcp')
      .set(headersOf('tools/list'))
      .send({ jsonrpc: '2.0', id: 1, method: 'tools/list', params: { _meta: metaOf() } });
    expect(reply.status).toBe(401);
  });
});
