const express = require('express');
const { version } = require('express/package.json');
const mrtr = require('express-mrtr');
const greet = require('./greet.cjs');
const { KEY, twoRounds } = require('./rounds.cjs');

const app = express();
const server = { name: 'toy', version: '1.0.0' };
app.use('/mcp', mrtr.mrtr({ server, tools: [greet(mrtr)], keys: KEY, anonymous: true }));
twoRounds(app).then(() => console.log(`OK on Express ${version}`));
