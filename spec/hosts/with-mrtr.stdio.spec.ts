import { join } from 'node:path';
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio';
import { closeClients, createClient, ERAS, textOf, type Answer, type Asked, type Mode } from '../support/sdk.js';

const ROOT = join(__dirname, '../..');

afterAll(closeClients);

describe.each(ERAS)('the official client of %s, over stdio to a process of its own', (_version, mode) => {
  async function start(answer: (asked: Asked) => Answer, file = 'stdio.ts') {
    const { client, asked } = createClient(mode satisfies Mode, answer);
    const transport = new StdioClientTransport({
      command: process.execPath,
      args: ['--import', 'tsx', `examples/sdk/${file}`],
      cwd: ROOT,
      stderr: 'pipe',
    });
    let stderr = '';
    transport.stderr?.on('data', (chunk) => (stderr += String(chunk)));
    await client.connect(transport);
    return { client, asked, stderr: () => stderr };
  }

  it('is asked by tools, prompts and resources; what stands in a step is done once', async () => {
    const { client, asked, stderr } = await start(({ mode: how, message }) => {
      if (how === 'url') return { action: 'accept' };
      if (message.startsWith('Refund')) return { action: 'accept', content: { reason: 'broken' } };
      return { action: 'accept', content: message === 'Which size?' ? { size: 'L' } : { confirm: true } };
    });
    const refund = { name: 'refund', arguments: { orderId: 'o1' } };
    expect(textOf(await client.callTool(refund))).toBe('Refunded 20 EUR: broken.');
    expect(textOf(await client.callTool({ name: 'checkout' }))).toBe('Ordered: L, as a gift, after 3 rounds.');
    expect((await client.getPrompt({ name: 'letter', arguments: { to: 'Ann' } })).messages).toMatchObject([
      { content: { text: 'Dear Ann,' } },
    ]);
    expect((await client.readResource({ uri: 'shop://invoices/7' })).contents).toMatchObject([
      { text: 'Invoice 7: 20 EUR.' },
    ]);
    expect(asked.map(({ message }) => message)).toHaveLength(6);
    await client.close();
    expect(stderr().match(/loaded o1/g)).toHaveLength(1);
    expect(stderr().match(/paid 20 EUR for o1/g)).toHaveLength(1);
  });

  it.each([
    [{ action: 'decline' }, 'Nothing was refunded.'],
    [{ action: 'accept', content: { reason: 'broken' } }, 'Refunded o1: broken'],
  ] as const)('is served by the shortest server of the documents: %j', async (answer, text) => {
    const { client } = await start(() => answer, 'shortest.ts');
    expect(textOf(await client.callTool({ name: 'refund', arguments: { orderId: 'o1' } }))).toBe(text);
  });
});
