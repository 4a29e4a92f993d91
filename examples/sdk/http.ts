import { createSecretKey, randomBytes } from 'node:crypto';
import jwt from 'jsonwebtoken';
import { createApp } from './app.js';
import { shop } from './tools.js';

// npx tsx examples/sdk/http.ts
const key = createSecretKey(randomBytes(32));
const server = createApp(shop(), key).listen(Number(process.env['PORT'] ?? 3000), '127.0.0.1', () => {
  const address = server.address();
  const port = typeof address === 'object' ? address?.port : undefined;
  console.log(`http://127.0.0.1:${port}/mcp, as ann: ${jwt.sign({}, key, { subject: 'ann', expiresIn: '1h' })}`);
});
