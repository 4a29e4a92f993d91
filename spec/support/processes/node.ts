/** One node of a service, for tests that need a process: it prints its address, then every refusal, one JSON a line. */
import { subscribe } from 'node:diagnostics_channel';
import type { AddressInfo } from 'node:net';
import express from 'express';
import { mrtr, tool } from 'express-mrtr';

const print = (line: object): void => void process.stdout.write(`${JSON.stringify(line)}\n`);

const survey = tool(
  'survey',
  { inputSchema: { type: 'object', properties: { questions: { type: 'integer' } }, required: ['questions'] } },
  async (args, ctx) => {
    const { questions } = args as { questions: number };
    let yes = 0;
    for (let i = 1; i <= questions; i += 1) if (await ctx.confirm(`Question ${i}?`)) yes += 1;
    return `${yes} of ${questions}`;
  },
);

subscribe('mrtr:refused', (event) => print({ refused: event }));

// The keys come from MRTR_KEYS or are made up: both are what is tested.
const mcp = mrtr({ server: { name: 'survey', version: '1.0.0' }, tools: [survey], anonymous: true });
const server = express()
  .use('/mcp', mcp)
  .listen(0, '127.0.0.1', (error) => {
    if (error !== undefined) throw error;
    print({ url: `http://127.0.0.1:${(server.address() as AddressInfo).port}` });
  });
