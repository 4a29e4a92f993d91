import { LegacyClient, type Exchange, type Message } from '../legacy-client.js';
import type { Lost } from './proxy.js';

const MAX_REPEATS = 200;

/** A call of `sum` by a client of MCP 2025-11-25: it holds one stream, and sends each answer on a request of its own. */
export class LegacyFlow {
  readonly name: string;
  readonly numbers: readonly number[];
  /** Who runs the handler; empty when the call broke off before anything came back. */
  node = '';
  /** Who took the answers. */
  readonly answeredBy: string[] = [];
  /** How often a request was sent again, since the proxy found no node behind it. */
  repeats = 0;
  text: string | undefined;
  /** What the client saw in the place of a result. */
  broken: string | undefined;
  readonly #client: LegacyClient;

  private constructor(index: number, client: LegacyClient) {
    this.name = `flow-${index}`;
    this.numbers = [index, 3 * index + 1, index * index].slice(0, 2 + (index % 2));
    this.#client = client;
  }

  /** Initializes a session of its own. */
  static async connect(index: number, url: string): Promise<LegacyFlow> {
    return new LegacyFlow(index, await LegacyClient.connect(url.replace(/\/mcp$/, '')));
  }

  /** What nobody but this flow must get. */
  get expected(): string {
    return `${this.name}: ${this.numbers.join(' + ')} = ${this.numbers.reduce((a, b) => a + b)}`;
  }

  /** @param before - called before each answer, with how many this flow has yet to send. */
  async run(before: (left: number) => Promise<void> | undefined): Promise<void> {
    try {
      const exchange = await this.#call();
      let left = this.numbers.length;
      for (;;) {
        const message = await exchange.next();
        if (message.method !== 'elicitation/create') {
          this.text = textOf(message);
          return;
        }
        await before(left);
        left -= 1;
        await this.#answer(message);
      }
    } catch (error) {
      this.broken = String(error);
    }
  }

  async #call(): Promise<Exchange> {
    for (; this.repeats < MAX_REPEATS; this.repeats += 1) {
      const exchange = await this.#client.tool('sum', { flow: this.name, count: this.numbers.length });
      this.node = exchange.response.headers.get('x-node') ?? '';
      if (exchange.response.status !== 502) return exchange;
      // The handler may have run: a client that called again would run it twice.
      if (lostOf(exchange.response) === 'broken') throw new Error('The call broke off before it was answered.');
    }
    throw new Error(`${this.name} found no node in ${MAX_REPEATS} attempts.`);
  }

  /** An answer may be sent as often as one likes: it counts once. */
  async #answer({ id, params }: Message): Promise<void> {
    const index = Number(/\d+/.exec(String(params?.['message']))?.[0]);
    const result = { action: 'accept', content: { value: this.numbers[index] } };
    for (; this.repeats < MAX_REPEATS; this.repeats += 1) {
      const response = await this.#client.post({ jsonrpc: '2.0', id, result });
      await response.text();
      if (response.status === 502) continue;
      if (response.status !== 202) throw new Error(`${this.name} got ${response.status} for an answer.`);
      this.answeredBy.push(response.headers.get('x-node') ?? '');
      return;
    }
    throw new Error(`${this.name} could not send its answer in ${MAX_REPEATS} attempts.`);
  }
}

function lostOf(response: Response): Lost | null {
  return response.headers.get('x-lost') as Lost | null;
}

function textOf({ result, error }: Message): string {
  const content = result?.['content'] as { text: string }[] | undefined;
  return content?.[0]?.text ?? JSON.stringify(error);
}
