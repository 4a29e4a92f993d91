import { createServer, type Server } from 'node:http';
import { collectJson } from './collect.js';
import { answerSealed, refuse } from './sealed.js';

/** The same without Express. */
export function nodeHttpServer(): Server {
  return createServer((req, res) => {
    if (req.method !== 'POST' || req.url !== '/mcp') return refuse(res);
    collectJson(
      req,
      (body) => answerSealed(body, res),
      () => refuse(res),
    );
  });
}
