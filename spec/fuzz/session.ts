import { buildCorpus, driveFlow, type Corpus } from './corpus.js';
import { memberOf, TAG, type Input, type Mount, type Seed } from './input.js';
import { mutate } from './mutate.js';
import { judge, mayStream, outcomeOf, TIMEOUT_MS } from './oracle.js';
import type { AppProcess } from './process.js';
import { Random } from './random.js';
import { OWNED } from './requests.js';
import { States } from './states.js';
import { send, type Exchange } from './wire.js';

/** Something that must not be, and the input after which it was. */
export interface Finding {
  readonly problem: string;
  readonly input: Input | undefined;
  readonly exchange: Exchange | undefined;
}

/** How often an input is the next round of a flow that was begun for it. */
const LIVE = 0.15;
const MAX_FINDINGS = 20;

/** A run against one app: makes inputs, sends them, judges what comes back, and keeps count. */
export class Session {
  readonly findings: Finding[] = [];
  readonly counts = new Map<string, number>();
  #transfers = 0;
  #presented = 0;
  readonly #app: AppProcess;
  readonly #seed: number;
  readonly #ports: readonly number[];
  readonly #states = new States();
  readonly #sent = new Map<string, Input>();
  readonly #flows = new Set<string>();
  #paying: readonly Seed[] = [];
  #corpus: Corpus = { seeds: [], states: [], answers: [] };

  constructor(app: AppProcess, seed: number, ports: readonly number[]) {
    this.#app = app;
    this.#seed = seed;
    this.#ports = ports;
  }

  /** Drives the flows from which the inputs are made; nothing of that counts. */
  async prepare(): Promise<number> {
    this.#corpus = await buildCorpus((seed) => this.#ask(seed), this.#states);
    await this.#app.transfers();
    this.#paying = this.#corpus.seeds.filter(
      ({ document }) => memberOf(document, 'params', 'inputResponses', 'go') !== undefined,
    );
    return this.#corpus.seeds.length;
  }

  /** Whether there is no point in going on. */
  isBroken(): boolean {
    return this.findings.length >= MAX_FINDINGS || this.#app.trouble !== undefined;
  }

  /** Transfers that handlers made, and requests that were entitled to one. */
  get transferred(): { readonly made: number; readonly entitled: number } {
    return { made: this.#transfers, entitled: this.#presented };
  }

  /** Makes, sends and judges one input. */
  async run(index: number): Promise<void> {
    const random = new Random(~this.#seed, index);
    if (!random.chance(LIVE)) return this.#try(this.#pick(random), index);
    const mount = random.pick<Mount>(['/bare', '/parsed', '/once', '/once', '/once']);
    const request = random.pick(OWNED);
    const ask = (seed: Seed): Promise<Exchange> => this.#ask(seed, random.below(this.#ports.length));
    const seed = (await driveFlow(ask, this.#states, mount, 'ann', request, 1 + random.below(3))).at(-1);
    if (seed === undefined) return;
    if (mount !== '/once') return this.#try(seed, index);
    // What was presented once is presented again, in a mutation of its own; what it gets depends on the first.
    await this.#try({ ...seed, outcome: '' }, index);
    await this.#try({ ...seed, outcome: '' }, index + 2 ** 31);
  }

  /** Half of the inputs come from rounds that end in a transfer: there a forgery would show. */
  #pick(random: Random): Seed {
    return random.pick(random.chance(0.5) ? this.#paying : this.#corpus.seeds);
  }

  /** Compares what handlers did with what they were entitled to do. */
  async settle(): Promise<void> {
    for (const { tag, mount, flowId } of await this.#app.transfers()) {
      if (tag === '') continue;
      this.#transfers += 1;
      const input = this.#sent.get(tag);
      if (input?.expectation.mayTransfer !== true) this.#find('a handler acted on a forged round', input);
      if (mount === '/once' && this.#flows.has(flowId)) this.#find('a handler acted twice in one flow', input);
      this.#flows.add(flowId);
    }
    this.#sent.clear();
  }

  async #try(seed: Seed, index: number): Promise<void> {
    const input = mutate(seed, this.#corpus, this.#states, this.#seed, index);
    this.#sent.set(String(index), input);
    let exchange = await this.#send(input);
    // The server may end a connection on which the client is still sending; the reset can take the reply with it. A reply
    // that is lost every time is a finding.
    for (let again = 0; again < 2 && isLost(exchange); again += 1) exchange = await this.#send(input);
    const outcome = input.cut === undefined ? outcomeOf(exchange) : 'client left';
    this.counts.set(outcome, (this.counts.get(outcome) ?? 0) + 1);
    for (const problem of judge(input.expectation, exchange)) this.#find(problem, input, exchange);
    if (this.#app.trouble !== undefined) this.#find(this.#app.trouble, input, exchange);
  }

  #send(input: Input): Promise<Exchange> {
    if (input.expectation.mayTransfer) this.#presented += 1;
    return send({
      port: this.#ports[input.express] ?? 0,
      raw: input.raw,
      cut: input.cut,
      mayBeIncomplete: input.expectation.http === 'odd',
      mayStream: mayStream(input.expectation.document),
      timeoutMs: TIMEOUT_MS,
    });
  }

  /** Sends a well-formed request and gives back what came. */
  async #ask({ headers, mount, document }: Seed, express = 0): Promise<Exchange> {
    const body = Buffer.from(JSON.stringify(document));
    const lines = [
      `POST ${mount} HTTP/1.1`,
      ...headers.map((header) => header.join(': ')),
      `${TAG}: `,
      `content-length: ${body.length}`,
    ];
    return send({
      port: this.#ports[express] ?? 0,
      raw: Buffer.concat([Buffer.from(`${lines.join('\r\n')}\r\n\r\n`, 'latin1'), body]),
      mayBeIncomplete: false,
      mayStream: mayStream(document),
      timeoutMs: TIMEOUT_MS,
    });
  }

  #find(problem: string, input?: Input, exchange?: Exchange): void {
    const known = this.findings.some((finding) => finding.problem === problem && finding.input?.name === input?.name);
    if (!known) this.findings.push({ problem, input, exchange });
  }
}

function isLost(exchange: Exchange): boolean {
  return exchange.kind === 'closed' || (exchange.kind === 'replied' && exchange.replies.length === 0);
}
