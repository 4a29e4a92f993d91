import { createServer, type Server } from 'node:http';
import express, { type RequestHandler } from 'express';
import request from 'supertest';
import { bareHandler } from '../../bench/servers/bare-express.js';
import { mrtrHandler } from '../../bench/servers/mrtr.js';
import { nodeHttpServer } from '../../bench/servers/node-http.js';
import { sdkHandler } from '../../bench/servers/sdk.js';
import { firstBody, headersFor, isFirstReply, isLastReply, retryBody, stateOf, TOOL } from '../../bench/wire.js';
import * as own from '../../lib/index.js';

const ORDER = 'A-10001';

function serverOf(handler: RequestHandler): Server {
  return createServer(express().disable('x-powered-by').use('/mcp', handler) as express.Express);
}

const SERVERS: readonly (readonly [string, () => Server])[] = [
  ['express-mrtr', () => serverOf(mrtrHandler(own, false))],
  ['official SDK', () => serverOf(sdkHandler())],
  ['bare Express', () => serverOf(bareHandler())],
  ['bare node:http', nodeHttpServer],
];

interface Reply {
  readonly status: number;
  readonly text: string;
  readonly headers: Record<string, string>;
}

async function post(server: Server, body: string): Promise<Reply> {
  const response = await request(server).post('/mcp').set(headersFor('tools/call', TOOL)).send(body);
  return { status: response.status, text: response.text, headers: response.headers };
}

async function flow(server: Server): Promise<readonly [first: Reply, last: Reply]> {
  const first = await post(server, firstBody(ORDER));
  return [first, await post(server, retryBody(ORDER, stateOf(first.text)))];
}

describe.each(SERVERS)('the flow of the bench on %s', (_name, start) => {
  it('asks and completes, and the checks of the load tell the two apart', async () => {
    const [first, last] = await flow(start());
    expect([first.status, last.status]).toEqual([200, 200]);
    expect([isFirstReply(first.text), isLastReply(first.text)]).toEqual([true, false]);
    expect([isFirstReply(last.text), isLastReply(last.text)]).toEqual([false, true]);
  });

  it('does not complete with an altered state', async () => {
    const server = start();
    const state = stateOf((await post(server, firstBody(ORDER))).text);
    const middle = state.length >> 1;
    const altered = `${state.slice(0, middle)}${state[middle] === 'A' ? 'B' : 'A'}${state.slice(middle + 1)}`;
    expect(isLastReply((await post(server, retryBody(ORDER, altered))).text)).toBe(false);
  });

  it('does not complete another call with this state', async () => {
    const server = start();
    const state = stateOf((await post(server, firstBody(ORDER))).text);
    expect(isLastReply((await post(server, retryBody('A-10002', state))).text)).toBe(false);
  });
});

describe.each(SERVERS.filter(([name]) => name.startsWith('bare')))('%s as the floor', (_name, start) => {
  it('sends what the package sends, to the byte but for the sealed state, with the same headers', async () => {
    const replies = await flow(start());
    const owns = await flow(serverOf(mrtrHandler(own, false)));
    for (const [index, reply] of replies.entries()) {
      const other = owns[index];
      expect(withoutState(reply.text)).toBe(withoutState(other?.text ?? ''));
      expect(namesOf(reply)).toEqual(namesOf(other));
      expect(Math.abs(reply.text.length - (other?.text.length ?? 0))).toBeLessThanOrEqual(4);
    }
  });
});

function withoutState(text: string): string {
  return text.replace(/"requestState":"[^"]*"/, '"requestState":"…"');
}

function namesOf(reply: Reply | undefined): string[] {
  return Object.keys(reply?.headers ?? {}).sort();
}
