import { Agent, createServer, request, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Node } from './nodes.js';

export interface Proxy {
  readonly url: string;
  readonly close: () => void;
}

/** A round-robin proxy: no sticky routing, no repeats, and the client's `Host` passed through. */
export async function startProxy(nodes: readonly Node[]): Promise<Proxy> {
  const agent = new Agent({ keepAlive: true });
  let turn = 0;
  const server: Server = createServer((req, res) => {
    const node = nodes[(turn = (turn + 1) % nodes.length)] as Node;
    const { method, headers } = req;
    const onward = request(node.url + (req.url ?? '/'), { method, headers, agent }, (reply) => {
      res.writeHead(reply.statusCode ?? 502, reply.headers);
      reply.on('error', () => res.destroy()).pipe(res);
    });
    onward.on('error', () => (res.headersSent ? res.destroy() : res.writeHead(502).end()));
    req.pipe(onward);
  });
  await new Promise<void>((resolve) => server.listen(0, 'localhost', resolve));
  const { port } = server.address() as AddressInfo;
  const close = (): void => {
    agent.destroy();
    server.close();
    server.closeAllConnections();
  };
  return { url: `http://localhost:${port}/mcp`, close };
}
