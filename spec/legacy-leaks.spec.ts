import { fork, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { LegacyClient, type Message } from './support/legacy-client.js';
import type { Holding } from './support/processes/legacy-leaks.js';

const ROOT = join(__dirname, '..');
const CALLS = 200;
/** Of each call; whatever held all calls would hold 4 MB. */
const TEXT = 'x'.repeat(20_000);
const MAX_GROWTH = 2 * 1024 * 1024;
const SETTLE_MS = 10_000;
const YES = { action: 'accept', content: { confirm: true } };

type Fate = 'answered' | 'late' | 'cancelled' | 'gone' | 'refused';
const FATES: readonly Fate[] = ['answered', 'late', 'cancelled', 'gone', 'refused'];

/** A process that serves, and what it says that it holds. */
class Service {
  readonly url: string;
  readonly #child: ChildProcess;

  private constructor(url: string, child: ChildProcess) {
    this.url = url;
    this.#child = child;
  }

  static async start(): Promise<Service> {
    const child = fork('spec/support/processes/legacy-leaks.ts', {
      cwd: ROOT,
      execArgv: ['--expose-gc', '--import', 'tsx'],
    });
    const [{ url }] = (await once(child, 'message')) as [{ url: string }];
    return new Service(url, child);
  }

  async holding(): Promise<Holding> {
    const answered = once(this.#child, 'message');
    this.#child.send('measure');
    const [holding] = (await answered) as [Holding];
    return holding;
  }

  /** What it holds once that is what is expected, or else in the end. */
  async settled(expected: Partial<Holding>): Promise<Holding> {
    const deadline = Date.now() + SETTLE_MS;
    for (;;) {
      const holding = await this.holding();
      const same = Object.entries(expected).every(
        ([name, value]) => JSON.stringify(Reflect.get(holding, name)) === JSON.stringify(value),
      );
      if (same || Date.now() > deadline) return holding;
      await delay(50);
    }
  }

  async stop(): Promise<void> {
    const closed = once(this.#child, 'close');
    this.#child.kill('SIGKILL');
    await closed;
  }
}

/** Makes a call and lets it end in one way; gives the reply, `undefined` when none came. */
async function call(client: LegacyClient, fate: Fate, id: number): Promise<Message | undefined> {
  const exchange = await client.open(
    'tools/call',
    { name: 'ask', arguments: { text: TEXT, model: fate === 'late' } },
    id,
  );
  const asked: [Message, Message] = [await exchange.next(), await exchange.next()];
  switch (fate) {
    case 'answered':
      for (const question of asked) await client.respond(question, YES);
      break;
    case 'refused':
      await client.post({ jsonrpc: '2.0', id: asked[0].id, error: { code: -32000, message: 'No.' } });
      break;
    case 'cancelled':
      await client.respond(asked[0], YES);
      await client.notify('notifications/cancelled', { requestId: id });
      break;
    case 'gone':
      exchange.disconnect();
      return undefined;
    case 'late':
      break;
  }
  for (;;) {
    const message = await exchange.next().catch(() => undefined);
    if (message === undefined || message.id === id) return message;
  }
}

const text = (reply: string): object => ({ result: { content: [{ text: reply }] } });
const REPLIES: Readonly<Record<Fate, object | undefined>> = {
  answered: text(`true,true ${TEXT.length}`),
  late: text('late'),
  cancelled: undefined,
  gone: undefined,
  refused: { result: { isError: true } },
};

describe('a node that has served earlier clients', () => {
  let service: Service;

  beforeAll(async () => {
    service = await Service.start();
  }, 60_000);
  afterAll(() => service.stop());

  /** So many calls of all fates at once, on sessions of their own. */
  async function serve(count: number): Promise<void> {
    const clients = await Promise.all(Array.from({ length: 20 }, () => LegacyClient.connect(service.url)));
    const fates = Array.from({ length: count }, (_none, i) => FATES[i % FATES.length] as Fate);
    const calls = fates.map((fate, i) => call(clients[i % clients.length] as LegacyClient, fate, 1000 + i));
    const expected = fates.map((fate) => REPLIES[fate]);
    expect(await Promise.all(calls)).toMatchObject(expected);
  }

  it('holds nothing of 200 answered, late, cancelled, refused and forsaken calls: no place, timer, socket or memory', async () => {
    const idle = await service.holding();
    const clean = { parked: 0, waiting: 0, sockets: 0, timers: idle.timers, resources: idle.resources };
    const measured: number[] = [];
    for (let times = 0; times < 3; times += 1) {
      await serve(CALLS);
      const holding = await service.settled(clean);
      expect(holding).toMatchObject(clean);
      measured.push(holding.heapBytes);
    }
    // The first time code and caches come to be.
    const [first = 0, , last = 0] = measured;
    expect(last - first).toBeLessThan(MAX_GROWTH);
    const list = measured.map((bytes) => (bytes / 1024 / 1024).toFixed(2)).join(', ');
    process.stdout.write(`${CALLS} calls of 2025-11-25, three times: heap of ${list} MB afterwards\n`);
  }, 120_000);
});
