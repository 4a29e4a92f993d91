import { createSecretKey } from 'node:crypto';
import express, { type RequestHandler } from 'express';
import jwt from 'jsonwebtoken';
import passport from 'passport';
import { ExtractJwt, Strategy } from 'passport-jwt';

/** What stands before a server. */
export const FRONTS = ['nothing', 'express.json()', 'passport-jwt'] as const;
export type FrontName = (typeof FRONTS)[number];

export interface Front {
  readonly middlewares: readonly RequestHandler[];
  /** Headers that get a request through. */
  readonly headers: Readonly<Record<string, string>>;
}

export function frontOf(name: FrontName): Front {
  switch (name) {
    case 'nothing':
      return { middlewares: [], headers: {} };
    case 'express.json()':
      return { middlewares: [express.json()], headers: {} };
    case 'passport-jwt':
      return passportFront();
  }
}

function passportFront(): Front {
  const key = createSecretKey(Buffer.alloc(32, 5).fill(6, 16));
  const auth = new passport.Passport();
  // jsonwebtoken takes a KeyObject, which spares it a conversion on every request; the typings lag behind.
  const secretOrKey = key as unknown as Buffer;
  const jwtFromRequest = ExtractJwt.fromAuthHeaderAsBearerToken();
  auth.use(
    new Strategy({ jwtFromRequest, secretOrKey, algorithms: ['HS256'] }, (claims: object, done) => done(null, claims)),
  );
  const token = jwt.sign({}, key, { algorithm: 'HS256', subject: 'ann', expiresIn: '12h' });
  return {
    middlewares: [auth.authenticate('jwt', { session: false }) as RequestHandler],
    headers: { authorization: `Bearer ${token}` },
  };
}
