import type { IncomingMessage, RequestListener, ServerResponse } from 'node:http';
import express from 'express';
import type { MrtrHandler } from '../hosts/express.js';

/** What a test client talks to: an app of Express (or any other request listener), or what `mrtr()` returned. */
export type TestTarget = MrtrHandler | ((req: IncomingMessage, res: ServerResponse) => unknown);

/** The target as an app. Throws a `TypeError` for what is none. */
export function appOf(target: TestTarget): RequestListener {
  if (typeof target !== 'function') {
    throw new TypeError(
      `testClient() takes an Express app or what mrtr() returned; got ${shown(target)}. For definitions alone: testClient(testMrtr({ tools: [refund] })).`,
    );
  }
  return isHandler(target) ? express().disable('x-powered-by').use('/mcp', target) : target;
}

/** The app, with `req.user` set before it runs. */
export function actingAs(user: unknown, app: RequestListener): RequestListener {
  if (user === undefined) return app;
  return (req, res) => app(Object.assign(req, { user }), res);
}

// An app of Express has a method `notify`, too: the one for requests with the HTTP method NOTIFY.
function isHandler(target: TestTarget): target is MrtrHandler {
  return 'notify' in target && typeof target.notify === 'object';
}

function shown(value: unknown): string {
  return value === null ? 'null' : Array.isArray(value) ? 'an array' : `a value of type ${typeof value}`;
}
