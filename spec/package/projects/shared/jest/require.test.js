const express = require('express');
const mrtr = require('express-mrtr');
const greet = require('../greet.cjs');
const { KEY, twoRounds } = require('../rounds.cjs');

const server = { name: 'toy', version: '1.0.0' };

test('serves two rounds', async () => {
  const app = express();
  app.use('/mcp', mrtr.mrtr({ server, tools: [greet(mrtr)], keys: KEY, anonymous: true }));
  await twoRounds(app);
});

test('C123 serves two rounds with a tool from before jest.resetModules()', async () => {
  const tools = [greet(mrtr)];
  jest.resetModules();
  const again = require('express-mrtr');
  expect(again.mrtr).not.toBe(mrtr.mrtr);
  const app = require('express')();
  app.use('/mcp', again.mrtr({ server, tools, keys: KEY, anonymous: true }));
  await twoRounds(app);
  expect(new again.ToolError('no')).toBeInstanceOf(mrtr.ToolError);
  expect(new mrtr.ToolError('no')).toBeInstanceOf(again.MrtrError);
});
