import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import express from 'express';
import { field, form, generateKey, mrtr, tool } from 'express-mrtr';
import * as z from 'zod';

interface Reply {
  readonly result?: { readonly requestState?: string; readonly content?: readonly { readonly text: string }[] };
  readonly error?: { readonly message: string };
}

const cityForm = form({ city: field.string({ maxLength: 60 }) });

/** Two questions, the second of which depends on the answer to the first: three rounds. */
const book = tool(
  'book',
  { description: 'Book a train', inputSchema: z.object({ name: z.string() }) },
  async ({ name }, ctx) => {
    const where = await ctx.elicit({ key: 'where', message: 'Where do you want to go?', form: cityForm });
    if (where.action !== 'accept') return 'Nothing was booked.';
    const { city } = where.content;
    const sure = await ctx.confirm(`Book a train to ${city} for ${name}?`, { key: 'sure' });
    return sure ? `Booked for ${name}, to ${city}.` : 'Nothing was booked.';
  },
);

const WHERE = { where: { action: 'accept', content: { city: 'Lisbon' } } };
const SURE = { sure: { action: 'accept', content: { confirm: true } } };

/** Serves the tool, runs one flow to its end and has one refused, and tells what the client got last in each. */
export async function runFlows(): Promise<{ readonly completed: string; readonly refused: string }> {
  const app = express();
  const mcp = mrtr({
    server: { name: 'trains', version: '1.0.0' },
    tools: [book],
    keys: generateKey(),
    // For this demonstration only: whoever writes a name is taken at their word.
    principal: (req) => req.get('x-demo-user') ?? null,
  });
  app.use('/mcp', mcp);
  const server = app.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/mcp`;
  try {
    const first = await call(url, 'ann');
    const second = await call(url, 'ann', { requestState: first.result?.requestState, inputResponses: WHERE });
    const third = await call(url, 'ann', { requestState: second.result?.requestState, inputResponses: SURE });

    const other = await call(url, 'ann');
    const stolen = await call(url, 'bob', { requestState: other.result?.requestState, inputResponses: WHERE });
    return { completed: third.result?.content?.[0]?.text ?? '', refused: stolen.error?.message ?? '' };
  } finally {
    await mcp.close();
    server.close();
    server.closeAllConnections();
  }
}

async function call(url: string, user: string, extra: object = {}): Promise<Reply> {
  const _meta = {
    'io.modelcontextprotocol/protocolVersion': '2026-07-28',
    'io.modelcontextprotocol/clientCapabilities': { elicitation: {} },
  };
  const params = { name: 'book', arguments: { name: 'Ann' }, ...extra, _meta };
  const response = await fetch(url, {
    method: 'POST',
    headers: {
      'content-type': 'application/json',
      accept: 'application/json, text/event-stream',
      'mcp-protocol-version': '2026-07-28',
      'mcp-method': 'tools/call',
      'mcp-name': 'book',
      'x-demo-user': user,
    },
    body: JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tools/call', params }),
  });
  return (await response.json()) as Reply;
}
