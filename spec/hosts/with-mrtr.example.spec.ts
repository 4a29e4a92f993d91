import { StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import { start, stop, type Running } from '../examples/process.js';
import { closeClients, createClient, ERAS, textOf } from '../support/sdk.js';

let server: Running;

beforeAll(async () => {
  server = await start('examples/sdk/http.ts', { PORT: '0' }, (stdout) => stdout.includes('\n'));
});
afterAll(async () => {
  await closeClients();
  await stop(server);
});

it.each(ERAS)('the example over HTTP serves the official client of %s', async (_version, mode) => {
  const [, url = '', token = ''] = /^(\S+\/mcp), as ann: (\S+)\n$/.exec(server.stdout()) ?? [];
  const { client } = createClient(mode, () => ({ action: 'accept', content: { reason: 'broken' } }));
  const headers = { authorization: `Bearer ${token}` };
  await client.connect(new StreamableHTTPClientTransport(new URL(url), { requestInit: { headers } }));
  const refund = { name: 'refund', arguments: { orderId: 'o1' } };
  expect(textOf(await client.callTool(refund))).toBe('Refunded 20 EUR: broken.');
});
