import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import express, { type RequestHandler } from 'express';
import { built } from '../built.js';
import { serve } from '../processes/serve.js';
import { bareHandler } from './bare-express.js';
import { frontOf, type FrontName } from './front.js';
import { heapUsed } from './heap.js';
import { mrtrHandler } from './mrtr.js';
import { nodeHttpServer } from './node-http.js';
import { sdkHandler } from './sdk.js';

export type ServerName = 'express-mrtr' | 'official SDK' | 'bare Express' | 'bare node:http';

export interface Start {
  readonly server: ServerName;
  readonly front: FrontName;
}

/** Where a server listens, and the headers that it wants to see. */
export interface Listening {
  readonly port: number;
  readonly headers: Readonly<Record<string, string>>;
}

let running: Server | undefined;

serve({
  async start({ server: name, front: frontName }: Start): Promise<Listening> {
    const front = frontOf(frontName);
    running =
      name === 'bare node:http' ? nodeHttpServer() : expressServer(await handlerOf(name, frontName), front.middlewares);
    running.listen(0, '127.0.0.1');
    await once(running, 'listening');
    return { port: (running.address() as AddressInfo).port, headers: front.headers };
  },
  heap: () => heapUsed(running),
  /** Microseconds of processor time that this process has used. */
  cpu(): number {
    const { user, system } = process.cpuUsage();
    return user + system;
  },
});

function expressServer(handler: RequestHandler, front: readonly RequestHandler[]): Server {
  const app = express();
  app.disable('x-powered-by');
  for (const middleware of front) app.use(middleware);
  app.use('/mcp', handler);
  return createServer(app);
}

async function handlerOf(name: Exclude<ServerName, 'bare node:http'>, front: FrontName): Promise<RequestHandler> {
  switch (name) {
    case 'express-mrtr':
      return mrtrHandler(await built('index'), front === 'passport-jwt');
    case 'official SDK':
      return sdkHandler();
    case 'bare Express':
      return bareHandler();
  }
}
