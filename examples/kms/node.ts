import type { Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import express from 'express';
import { mrtr, tool, type KeyProvider } from 'express-mrtr';

const transfer = tool('transfer', { description: 'Send money' }, async (_args, ctx) => {
  const sure = await ctx.confirm('Send 10 € to Bob?', { key: 'sure' });
  const really = sure && (await ctx.confirm('He is a new recipient. Send it all the same?', { key: 'really' }));
  return really ? 'Sent 10 € to Bob.' : 'Nothing was sent.';
});

export interface Node {
  readonly url: string;
  readonly close: () => void;
}

/** One node of the service. All it shares with the others is the KMS behind its key provider. */
export async function startNode(keys: KeyProvider): Promise<Node> {
  const mcp = mrtr({ server: { name: 'bank', version: '1.0.0' }, tools: [transfer], keys, anonymous: true });
  const app = express().use('/mcp', mcp);
  const server = await new Promise<Server>((resolve, reject) => {
    const starting = app.listen(0, '127.0.0.1', (error) => (error === undefined ? resolve(starting) : reject(error)));
  });
  const close = (): void => {
    void mcp.close();
    server.close();
    server.closeAllConnections();
  };
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/mcp`, close };
}
