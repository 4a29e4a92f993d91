import type { Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { channel } from 'node:diagnostics_channel';
import express from 'express';
import express4 from 'express4';
import request, { type Response } from 'supertest';
import type { Timers } from '../../lib/engine/timers.js';
import { systemEnvironment } from '../../lib/hosts/environment.js';
import { createHandler, type MrtrHandler } from '../../lib/hosts/express.js';
import { resolveOptions, type MrtrOptions } from '../../lib/options.js';

/** Both major versions of Express run every HTTP test. */
export const EXPRESSES = [
  ['Express 4', express4 as unknown as typeof express],
  ['Express 5', express],
] as const;

export const KEY = `mrtrk_${Buffer.alloc(32, 7).fill(9, 16).toString('base64url')}`;
export const OTHER_KEY = `mrtrk_${Buffer.alloc(32, 3).fill(4, 16).toString('base64url')}`;

export const VERSION = '2026-07-28';
export const FORM_ONLY = { elicitation: {} };
export const YES = { action: 'accept', content: { confirm: true } };

const servers: Server[] = [];

/** Serves an app on 127.0.0.1; `closeAll` in `afterAll` ends it. */
export async function listen(app: express.Express): Promise<string> {
  const server = app.listen(0, '127.0.0.1');
  servers.push(server);
  await new Promise((resolve) => server.once('listening', resolve));
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

export async function closeAll(): Promise<void> {
  await Promise.all(
    servers.splice(0).map(
      (server) =>
        new Promise((resolve) => {
          server.close(resolve);
          server.closeAllConnections();
        }),
    ),
  );
}

export interface RigOptions extends Partial<MrtrOptions> {
  readonly express?: typeof express;
  /** Middlewares in front of the authentication. */
  readonly before?: readonly express.RequestHandler[];
  /** `req.user` of a request; by default its `x-user` header, else Ann. */
  readonly user?: (req: express.Request) => unknown;
  readonly after?: (app: express.Express) => void;
  readonly now?: () => number;
  readonly timers?: Timers;
}

export interface Rig {
  readonly url: string;
  readonly mcp: MrtrHandler;
  readonly call: (method: string, params: Record<string, unknown>, extra?: CallExtra) => request.Test;
  readonly tool: (name: string, args?: unknown, extra?: Record<string, unknown>, more?: CallExtra) => request.Test;
  readonly post: (body: string | object, headers?: Record<string, string>) => request.Test;
}

export interface CallExtra {
  readonly headers?: Record<string, string | undefined>;
  readonly meta?: Record<string, unknown>;
  readonly capabilities?: unknown;
  readonly id?: unknown;
  /** Text that replaces the serialised body. */
  readonly raw?: (body: string) => string;
}

let lastId = 0;

export function metaOf(capabilities: unknown = FORM_ONLY): Record<string, unknown> {
  return {
    'io.modelcontextprotocol/protocolVersion': VERSION,
    'io.modelcontextprotocol/clientCapabilities': capabilities,
  };
}

export function headersOf(method: string, target?: string): Record<string, string> {
  return {
    'content-type': 'application/json',
    accept: 'application/json, text/event-stream',
    'mcp-protocol-version': VERSION,
    'mcp-method': method,
    ...(target !== undefined && { 'mcp-name': target }),
  };
}

/** An app with the middleware at `/mcp` behind a stub of Passport. */
export async function rig(options: RigOptions = {}): Promise<Rig> {
  const { express: make = express, before = [], user, after, now, timers, ...given } = options;
  const app = make();
  for (const middleware of before) app.use(middleware);
  app.use((req, _res, next) => {
    const found = user === undefined ? { sub: req.get('x-user') ?? 'ann' } : user(req);
    if (found !== undefined) Object.assign(req, { user: found });
    next();
  });
  const keys = 'codec' in given || 'keys' in given ? {} : { keys: KEY };
  const resolved = resolveOptions({ server: { name: 'test', version: '1.0.0' }, ...keys, ...given });
  const mcp = createHandler(resolved, {
    ...systemEnvironment,
    ...(now !== undefined && { now }),
    ...(timers !== undefined && { timers }),
  });
  app.use('/mcp', mcp);
  after?.(app);
  const url = await listen(app);
  const post: Rig['post'] = (body, headers = {}) => {
    const test = request(url).post('/mcp').set(headers);
    return test.send(body);
  };
  const call: Rig['call'] = (method, params, extra = {}) => {
    const { headers = {}, meta = {}, capabilities, id = `call-${++lastId}`, raw = (body) => body } = extra;
    const target = params['name'] ?? params['uri'];
    const sent: Record<string, string | undefined> = {
      ...headersOf(method, typeof target === 'string' ? target : undefined),
      ...headers,
    };
    const body = { jsonrpc: '2.0', id, method, params: { ...params, _meta: { ...metaOf(capabilities), ...meta } } };
    const test = request(url).post('/mcp');
    for (const [name, value] of Object.entries(sent)) if (value !== undefined) test.set(name, value);
    return test.send(raw(JSON.stringify(body)));
  };
  const tool: Rig['tool'] = (name, args, extra = {}, more) =>
    call('tools/call', { name, ...(args !== undefined && { arguments: args }), ...extra }, more);
  return { url, mcp, call, tool, post };
}

export interface Ask {
  readonly state: string;
  readonly keys: string[];
  readonly requests: Record<string, { method: string; params: Record<string, unknown> }>;
}

/** Reads an `InputRequiredResult`; fails the test for anything else. */
export function askOf(response: Response): Ask {
  expect(response.status).toBe(200);
  const result = (response.body as { result?: Record<string, unknown> }).result;
  expect(result).toMatchObject({
    resultType: 'input_required',
    requestState: expect.any(String),
    inputRequests: expect.any(Object),
  });
  const requests = result?.['inputRequests'] as Ask['requests'];
  return { state: result?.['requestState'] as string, keys: Object.keys(requests), requests };
}

/** The text of a completed tool result; fails the test for anything else. */
export function textOf(response: Response): string {
  expect(response.status).toBe(200);
  expect(response.body).toMatchObject({ result: { resultType: 'complete', content: [{ type: 'text' }] } });
  return (response.body as { result: { content: { text: string }[] } }).result.content[0]?.text ?? '';
}

export const BAD_STATE = {
  code: -32602,
  message: 'The requestState is not valid for this request. Call again without it to start over.',
  data: { reason: 'invalid_request_state' },
};

export function expectBadState(response: Response): void {
  expect(response.status).toBe(200);
  expect((response.body as { error?: unknown }).error).toEqual(BAD_STATE);
}

/** Collects the events of a channel while `work` runs. */
export async function eventsOf<E = Record<string, unknown>>(name: string, work: () => unknown): Promise<E[]> {
  const events: E[] = [];
  const listener = (event: unknown): void => void events.push(event as E);
  channel(name).subscribe(listener);
  try {
    await work();
  } finally {
    channel(name).unsubscribe(listener);
  }
  return events;
}
