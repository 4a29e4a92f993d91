/* eslint-disable @typescript-eslint/no-unsafe-argument -- the typings of Passport say `any` */
// #region server
import { createSecretKey } from 'node:crypto';
import express from 'express';
import { field, form, mrtr, tool } from 'express-mrtr';
import passport from 'passport';
import { ExtractJwt, Strategy } from 'passport-jwt';
import * as z from 'zod';

const reason = form({ reason: field.string({ maxLength: 200 }), full: field.boolean({ default: true }) });

const refund = tool(
  'refund',
  { description: 'Refund an order', inputSchema: z.object({ orderId: z.string() }) },
  async ({ orderId }, ctx) => {
    const answer = await ctx.elicit({ key: 'confirm', message: `Refund ${orderId}?`, form: reason });
    if (answer.action !== 'accept') return 'Nothing was refunded.';
    // Here the money goes back. A second request with the same state gets here, too: refund an order once.
    return `Refunded ${orderId}: ${answer.content.reason}`;
  },
);

const { JWT_SECRET, PORT = '3000' } = process.env;
if (!JWT_SECRET) throw new Error('Set JWT_SECRET.');
const secret = createSecretKey(JWT_SECRET, 'utf8') as unknown as Buffer; // faster than the text; typed too narrowly

passport.use(
  new Strategy(
    { jwtFromRequest: ExtractJwt.fromAuthHeaderAsBearerToken(), secretOrKey: secret, algorithms: ['HS256'] },
    (claims: object, done) => done(null, claims), // claims.sub says whose state it is
  ),
);

const mcp = mrtr({
  server: { name: 'shop', version: '1.0.0' },
  tools: [refund],
  onError: (error, { code, target }) => console.error(code, target, error),
});
const app = express();
app.use('/mcp', passport.authenticate('jwt', { session: false }), mcp);
app.listen(Number(PORT), '127.0.0.1');
// #endregion
