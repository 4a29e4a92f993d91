import express from 'express';
import * as mrtr from 'express-mrtr';
import greet from './greet.cjs';
import { KEY, twoRounds } from './rounds.cjs';

// @ts-expect-error every name is exported by name, none by default
export type { default } from 'express-mrtr';

const app = express();
const server: mrtr.MrtrOptions['server'] = { name: 'toy', version: '1.0.0' };
app.use('/mcp', mrtr.mrtr({ server, tools: [greet(mrtr)], keys: KEY, anonymous: true }));
await twoRounds(app);
console.log('OK');
