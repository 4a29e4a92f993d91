import { readFileSync } from 'node:fs';
import express from 'express';
import { field, form, mrtr, tool } from 'express-mrtr';
import greet from './greet.cjs';
import { KEY, twoRounds } from './rounds.cjs';

const app = express();
const server = { name: 'toy', version: '1.0.0' };
app.use('/mcp', mrtr({ server, tools: [greet({ tool, form, field })], keys: KEY, anonymous: true }));
await twoRounds(app);
const { version } = JSON.parse(readFileSync(new URL('node_modules/express/package.json', import.meta.url), 'utf8'));
console.log(`OK on Express ${version}`);
