import { createRequire } from 'node:module';
import type { AddressInfo } from 'node:net';
import type Express from 'express';
import { generateKey, mrtr, mrtrErrors, type MrtrHandler } from 'express-mrtr';
import { blocking } from './blocking.js';
import { prompts } from './prompts.js';
import { questions } from './questions.js';
import { resources } from './resources.js';
import { tools } from './tools.js';
import { triggers } from './triggers.js';
import { variantOf } from './variants.js';

const variant = variantOf(process.argv.slice(2));
// Both versions are used through the types of one.
const express = createRequire(import.meta.url)(variant.express) as typeof Express;

const mcp: MrtrHandler = mrtr({
  server: { name: 'express-mrtr-conformance', version: '1.0.0' },
  tools: [...tools, ...questions, ...blocking, ...triggers(() => mcp.notify)],
  prompts,
  resources,
  keys: generateKey(),
  anonymous: true,
  onError: (error, { code, target }) => console.error(code, target, error),
});

const app = express();
if (variant.parser === 'json') app.use(express.json());
app.use('/mcp', mcp, mrtrErrors());

const listener = app.listen(0, '127.0.0.1', () => {
  const { port } = listener.address() as AddressInfo;
  console.log(`http://127.0.0.1:${port}/mcp`);
});
