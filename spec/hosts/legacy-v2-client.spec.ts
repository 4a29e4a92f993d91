import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import { setTimeout as delay } from 'node:timers/promises';
import { ElicitationTimeoutError, MemoryMailbox, prompt, resource, tool } from '../../lib/index.js';
import { closeAll, EXPRESSES, rig, type RigOptions } from '../support/http.js';
import { ManualClock } from '../support/mailbox.js';
import { WireRecord } from '../support/wire-record.js';

interface Answer {
  readonly action: 'accept' | 'decline' | 'cancel';
  readonly content?: { readonly confirm: boolean };
}

const YES: Answer = { action: 'accept', content: { confirm: true } };
const SHIP = { name: 'ship', arguments: {} };

let runs = 0;
let signals: AbortSignal[] = [];
const record = new WireRecord();

const definitions = {
  tools: [
    tool('ship', {}, async (_args, ctx) => {
      runs += 1;
      signals.push(ctx.signal);
      try {
        return String(await ctx.confirm('Ship?'));
      } catch (error) {
        if (error instanceof ElicitationTimeoutError) return `late: ${error.code}`;
        throw error;
      }
    }),
  ],
  prompts: [prompt('letter', {}, async (_args, ctx) => ((await ctx.confirm('Formal?')) ? 'Dear' : 'Hi'))],
  resources: [
    resource('vault', 'test://vault', { ttlMs: 5, cacheScope: 'public' }, async (_uri, ctx) =>
      (await ctx.confirm('Open?')) ? 'gold' : 'shut',
    ),
  ],
};

const open: Client[] = [];

beforeEach(() => {
  runs = 0;
  signals = [];
});

afterAll(async () => {
  await Promise.all(open.map((client) => client.close()));
  await closeAll();
});

const textOf = (result: object): string => (result as { content: { text: string }[] }).content[0]?.text ?? '';

/** Until what a test waits for is so; its own time-out is the test's. */
async function until(holds: () => boolean): Promise<void> {
  while (!holds()) await delay(1);
}

interface Connected {
  readonly client: Client;
  readonly transport: StreamableHTTPClientTransport;
  readonly asked: string[];
}

async function connectTo(url: string, answer: () => Answer | Promise<Answer> = () => YES): Promise<Connected> {
  const client = new Client(
    { name: 'v2', version: '1.0.0' },
    { versionNegotiation: { mode: 'legacy' }, capabilities: { elicitation: { form: {} } } },
  );
  open.push(client);
  const asked: string[] = [];
  client.setRequestHandler('elicitation/create', async ({ params }) => {
    asked.push((params as { message: string }).message);
    const { action, content } = await answer();
    return { action, ...(content !== undefined && { content: { ...content } }) };
  });
  const transport = new StreamableHTTPClientTransport(new URL(`${url}/mcp`));
  await client.connect(transport);
  return { client, transport, asked };
}

describe.each(EXPRESSES)('the official client of version 2 in its legacy mode on %s', (_name, express) => {
  async function serve(options: RigOptions = {}): Promise<{ url: string; mailbox: MemoryMailbox }> {
    const mailbox = new MemoryMailbox();
    const { url } = await rig({
      express,
      ...definitions,
      legacy: { mailbox },
      ...options,
      before: [record.middleware],
    });
    return { url, mailbox };
  }

  it('that takes too long is told, and its handler goes on', async () => {
    const clock = new ManualClock();
    const mailbox = new MemoryMailbox({ clock });
    const { url } = await serve({ legacy: { mailbox, elicitationTimeoutSeconds: 30 } });
    const { client, asked } = await connectTo(url, () => new Promise(() => undefined));
    const called = client.callTool(SHIP);
    await until(() => asked.length === 1);
    await clock.advance(29_999);
    expect(mailbox.parked).toBe(1);
    await clock.advance(1);
    expect(textOf(await called)).toBe('late: ERR_MRTR_ELICITATION_TIMEOUT');
    expect([runs, mailbox.parked]).toEqual([1, 0]);
  });

  it('goes away while it is asked and comes again: the old call is over, a new one is served', async () => {
    const { url, mailbox } = await serve();
    const gone = await connectTo(url, () => new Promise(() => undefined));
    const lost = gone.client.callTool(SHIP).catch(() => 'lost');
    await until(() => gone.asked.length === 1);
    await gone.client.close();
    expect(await lost).toBe('lost');
    await until(() => signals[0]?.aborted === true && mailbox.parked === 0);
    const anew = await connectTo(url);
    expect(anew.transport.sessionId).not.toBe(gone.transport.sessionId);
    expect(textOf(await anew.client.callTool(SHIP))).toBe('true');
    expect(runs).toBe(2);
  });

  it('is sent nothing that only later revisions know, whatever it does', async () => {
    const { url } = await serve();
    const { client } = await connectTo(url);
    await client.listTools();
    await client.listPrompts();
    await client.listResources();
    await client.callTool(SHIP);
    await client.getPrompt({ name: 'letter' });
    await client.readResource({ uri: 'test://vault' });
    expect(record.messages.length).toBeGreaterThan(6);
    expect(record.modernMembers).toEqual([]);
  });
});
