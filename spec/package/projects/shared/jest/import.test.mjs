import express from 'express';
import * as mrtr from 'express-mrtr';
import greet from '../greet.cjs';
import rounds from '../rounds.cjs';

test('serves two rounds', async () => {
  const app = express();
  const server = { name: 'toy', version: '1.0.0' };
  app.use('/mcp', mrtr.mrtr({ server, tools: [greet(mrtr)], keys: rounds.KEY, anonymous: true }));
  await rounds.twoRounds(app);
});
