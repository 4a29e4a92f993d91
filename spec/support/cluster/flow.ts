import { post, textOf, type Answered } from './client.js';

const MAX_REPEATS = 200;

/** A call of `sum` under way, with three numbers of its own: what its client holds between rounds. */
export class SumFlow {
  readonly name: string;
  /** Who served its rounds. */
  readonly nodes = new Set<string>();
  /** Nodes that went away while they had one of its requests, by round. */
  readonly broken: { readonly round: number; readonly node: string }[] = [];
  /** How often a request was sent again. */
  repeats = 0;
  text: string | undefined;
  readonly #numbers: readonly number[];
  #round = 0;
  #more: object = {};

  constructor(index: number) {
    this.name = `flow-${index}`;
    this.#numbers = [index, 3 * index + 1, index * index];
  }

  /** What nobody but this flow must get. */
  get expected(): string {
    return `${this.name}: ${this.#numbers.join(' + ')} = ${this.#numbers.reduce((a, b) => a + b)}`;
  }

  /** Whether its last round was lost with a node, so that nobody can say whether the handler ran there. */
  wasCutOffAtTheEndOn({ name }: { readonly name: string }): boolean {
    return this.broken.some(({ round, node }) => round === this.#numbers.length && node === name);
  }

  /** Sends the next request, again and again until a node answers. */
  async step(url: string): Promise<void> {
    const { reply, node } = await this.#send(url);
    this.nodes.add(node);
    const { result, error } = reply;
    if (result === undefined)
      throw new Error(`${this.name} was refused in round ${this.#round}: ${JSON.stringify(error)}`);
    if (result.resultType === 'complete') {
      this.text = textOf({ reply, node, status: 200, lost: null });
      return;
    }
    const answer = { action: 'accept', content: { value: this.#numbers[this.#round] } };
    const inputResponses = Object.fromEntries(Object.keys(result.inputRequests ?? {}).map((key) => [key, answer]));
    this.#more = { inputResponses, requestState: result.requestState };
    this.#round += 1;
  }

  async #send(url: string): Promise<Answered> {
    for (; this.repeats < MAX_REPEATS; this.repeats += 1) {
      const answered = await post(url, 'sum', { arguments: { flow: this.name }, ...this.#more });
      if (answered.status !== 502) return answered;
      if (answered.lost === 'broken') this.broken.push({ round: this.#round, node: answered.node });
    }
    throw new Error(`${this.name} found no node in ${MAX_REPEATS} attempts.`);
  }
}

export interface RunOptions {
  readonly url: string;
  readonly concurrency: number;
  /** Chooses one of so many. */
  readonly below: (limit: number) => number;
  /** Called before each step, with how many have been taken. What it returns holds up this worker, not the others. */
  readonly before: (steps: number) => Promise<void> | undefined;
}

/** Takes flows to their end, each time a step of any one of them, so many at a time. */
export async function runFlows(flows: readonly SumFlow[], options: RunOptions): Promise<void> {
  const idle = [...flows];
  let steps = 0;
  const worker = async (): Promise<void> => {
    for (;;) {
      await options.before(steps);
      const [flow] = idle.splice(options.below(idle.length), 1);
      if (flow === undefined) return;
      steps += 1;
      await flow.step(options.url);
      if (flow.text === undefined) idle.push(flow);
    }
  };
  await Promise.all(Array.from({ length: options.concurrency }, worker));
}
