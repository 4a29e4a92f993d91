import { createSecretKey, randomBytes } from 'node:crypto';
import type { AddressInfo } from 'node:net';
import { createShop } from './app.js';
import { tokenFor } from './auth.js';
import { walkthrough } from './walkthrough.js';

const tokenKey = createSecretKey(randomBytes(32));
const { app, mcp } = createShop({ tokenKey });

const server = app.listen(Number(process.env['PORT'] ?? 3000), '127.0.0.1', (error) => {
  if (error !== undefined) throw error;
  const { port } = server.address() as AddressInfo;
  const url = `http://127.0.0.1:${port}/mcp`;
  const tokens = { ann: tokenFor('ann', tokenKey), bob: tokenFor('bob', tokenKey) };
  console.log(`The shop serves MCP 2026-07-28 at ${url}. Paste the indented lines into another shell.`);
  for (const { says, line } of walkthrough(url, tokens)) {
    if (says !== '') console.log(`\n${says}`);
    console.log(`  ${line}`);
  }
});

for (const signal of ['SIGINT', 'SIGTERM'] as const) {
  process.once(signal, () => {
    void mcp.close();
    server.close();
    server.closeAllConnections();
  });
}
