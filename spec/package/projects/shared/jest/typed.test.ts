import express from 'express';
import { field, form, mrtr, tool, type MrtrOptions } from 'express-mrtr';
import greet from '../greet.cjs';
import { KEY, twoRounds } from '../rounds.cjs';

const options: MrtrOptions = {
  server: { name: 'toy', version: '1.0.0' },
  tools: [greet({ tool, form, field })],
  keys: KEY,
  anonymous: true,
};

test('serves two rounds', async () => {
  const app = express();
  app.use('/mcp', mrtr(options));
  await twoRounds(app);
});
