import { once } from 'node:events';
import { Agent, request, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import express from 'express';
import type { MrtrOptions } from '../lib/index.js';
import { built } from './built.js';
import { KEY } from './servers/mrtr.js';
import { bodyOf, headersFor, SERVER, TTL_SECONDS } from './wire.js';

export interface Result {
  readonly resultType?: string;
  readonly requestState?: string;
  readonly inputRequests?: Readonly<Record<string, unknown>>;
  readonly content?: readonly { readonly text?: string }[];
  readonly tools?: readonly unknown[];
}

/** The package in this process, called over one connection, one request at a time. */
export class LocalServer {
  readonly #server: Server;
  readonly #agent = new Agent({ keepAlive: true, maxSockets: 1 });
  readonly #port: number;

  private constructor(server: Server) {
    this.#server = server;
    this.#port = (server.address() as AddressInfo).port;
  }

  static async start(options: Partial<MrtrOptions>): Promise<LocalServer> {
    const { mrtr } = await built('index');
    const app = express();
    app.disable('x-powered-by');
    const common = { server: SERVER, keys: KEY, ttlSeconds: TTL_SECONDS, principal: () => 'ann' };
    app.use('/mcp', mrtr({ ...common, ...options }));
    const server = app.listen(0, '127.0.0.1');
    await once(server, 'listening');
    return new LocalServer(server);
  }

  /** One round of a tool; anything but a result fails. */
  tool(name: string, params: Readonly<Record<string, unknown>>): Promise<Result> {
    return this.call('tools/call', { name, ...params }, name);
  }

  async call(method: string, params: Readonly<Record<string, unknown>>, target?: string): Promise<Result> {
    const text = await this.#post(bodyOf(1, method, params), headersFor(method, target));
    const { result } = JSON.parse(text) as { readonly result?: Result & { readonly isError?: boolean } };
    if (result === undefined || result.isError === true) throw new Error(`${method}: ${text.slice(0, 500)}`);
    return result;
  }

  async stop(): Promise<void> {
    this.#agent.destroy();
    this.#server.close();
    this.#server.closeAllConnections();
    await once(this.#server, 'close');
  }

  #post(body: string, headers: Readonly<Record<string, string>>): Promise<string> {
    const length = { 'content-length': Buffer.byteLength(body) };
    const options = { port: this.#port, host: '127.0.0.1', path: '/mcp', method: 'POST', agent: this.#agent };
    return new Promise((resolve, reject) => {
      const req = request({ ...options, headers: { ...headers, ...length } }, (res) => {
        let text = '';
        res.setEncoding('utf8');
        res.on('data', (chunk: string) => (text += chunk));
        res.once('error', reject);
        res.once('end', () => resolve(text));
      });
      req.once('error', reject);
      req.end(body);
    });
  }
}
