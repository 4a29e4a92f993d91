import type { RequestHandler } from 'express';
import { collectJson } from './collect.js';
import { answerSealed, refuse } from './sealed.js';

/** A handler that parses, seals and answers, and does nothing else; a body that was parsed in front is taken as it is. */
export function bareHandler(): RequestHandler {
  return (req, res) => {
    if ((req.body as unknown) !== undefined) return answerSealed(req.body, res);
    collectJson(
      req,
      (body) => answerSealed(body, res),
      () => refuse(res),
    );
  };
}
