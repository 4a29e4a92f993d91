import express from 'express';
import { mrtr, tool } from 'express-mrtr';
import passport from 'passport';

declare global {
  namespace Express {
    interface User {
      id: number;
    }
  }
}

const whoami = tool('whoami', {}, (_args, ctx) => {
  const id: number | undefined = ctx.user?.id;
  // @ts-expect-error a user has what Express.User says
  ctx.user?.email;
  return `${String(id)} is ${String(ctx.principal?.subject)}`;
});

const app = express();
app.use(
  '/mcp',
  passport.authenticate('jwt', { session: false }),
  mrtr({
    server: { name: 'shop', version: '1.0.0' },
    tools: [whoami],
    principal: (req) =>
      req.user === undefined ? null : { subject: String(req.user.id), client: req.get('x-client') ?? '' },
  }),
);
app.use('/plain', passport.authenticate('jwt'), mrtr({ server: { name: 'shop', version: '1.0.0' } }));
