import { Agent, createServer, request, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Cluster, ClusterNode } from './cluster.js';

/** Says in the header of a 502 whether the request may have reached the node that is named beside it. */
export type Lost = 'refused' | 'broken';

/** Gives each request to the next node in turn, whoever served the flow before. It neither repeats nor remembers anything. */
export class Proxy {
  readonly #cluster: Cluster;
  readonly #agent = new Agent({ keepAlive: true });
  readonly #server: Server;
  #turn = 0;

  private constructor(cluster: Cluster) {
    this.#cluster = cluster;
    this.#server = createServer((req, res) => this.#forward(req, res));
  }

  static async before(cluster: Cluster): Promise<Proxy> {
    const proxy = new Proxy(cluster);
    await new Promise<void>((resolve) => proxy.#server.listen(0, '127.0.0.1', resolve));
    return proxy;
  }

  get url(): string {
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}/mcp`;
  }

  async close(): Promise<void> {
    this.#agent.destroy();
    await new Promise((resolve) => {
      this.#server.close(resolve);
      this.#server.closeAllConnections();
    });
  }

  #next(): ClusterNode {
    const { nodes } = this.#cluster;
    this.#turn = (this.#turn + 1) % nodes.length;
    return nodes[this.#turn] as ClusterNode;
  }

  #forward(req: IncomingMessage, res: ServerResponse): void {
    const node = this.#next();
    const { method, headers } = req;
    const onward = request(node.url, { method, headers, agent: this.#agent }, (reply) => {
      res.writeHead(reply.statusCode ?? 502, reply.headers);
      // Half a reply is none: the client's connection breaks where the node's did.
      reply.on('error', () => res.destroy()).pipe(res);
    });
    onward.on('error', (error: NodeJS.ErrnoException) => {
      if (res.headersSent) return void res.destroy();
      const lost: Lost = error.code === 'ECONNREFUSED' ? 'refused' : 'broken';
      res.writeHead(502, { 'x-node': node.name, 'x-lost': lost }).end();
    });
    req.pipe(onward);
  }
}
