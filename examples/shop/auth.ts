import type { KeyObject } from 'node:crypto';
import type { RequestHandler } from 'express';
import jwt from 'jsonwebtoken';
import passport from 'passport';
import { ExtractJwt, Strategy } from 'passport-jwt';

/** What the verified token leaves in `req.user`; express-mrtr reads `id` from it. */
export interface ShopUser {
  readonly id: string;
  readonly name: string;
}

export const USERS: ReadonlyMap<string, ShopUser> = new Map([
  ['ann', { id: 'ann', name: 'Ann' }],
  ['bob', { id: 'bob', name: 'Bob' }],
]);

/** Lets a request in that carries a token of one of the two users. */
export function authenticate(key: KeyObject): RequestHandler {
  const auth = new passport.Passport();
  auth.use(
    new Strategy(
      {
        jwtFromRequest: ExtractJwt.fromAuthHeaderAsBearerToken(),
        // jsonwebtoken takes a KeyObject, which spares it a conversion on every request; the typings lag behind.
        secretOrKey: key as unknown as Buffer,
        algorithms: ['HS256'],
      },
      (claims: { sub?: string }, done) => done(null, USERS.get(claims.sub ?? '') ?? false),
    ),
  );
  return auth.authenticate('jwt', { session: false }) as RequestHandler;
}

/** A token for one of the users, good for twelve hours. */
export function tokenFor(user: string, key: KeyObject): string {
  return jwt.sign({}, key, { algorithm: 'HS256', subject: user, expiresIn: '12h' });
}
