import { generateKey } from '../lib/index.js';
import { call, type Reply } from './examples/client.js';
import { startNode, stopNodes, type Ended, type Node } from './support/node.js';

const BAD_STATE = {
  code: -32602,
  message: 'The requestState is not valid for this request. Call again without it to start over.',
  data: { reason: 'invalid_request_state' },
};

const OLD = generateKey();
const NEW = generateKey();
const QUESTIONS = 10;

/** A call that is under way: what its client holds between rounds. */
class Flow {
  #reply: Reply;
  #answered = 0;

  private constructor(reply: Reply) {
    this.#reply = reply;
  }

  static async begin(node: Node): Promise<Flow> {
    return new Flow(await post(node, {}));
  }

  /** Answers the open question at a node; the flow must go on to the next one. */
  async answerAt(node: Node): Promise<void> {
    this.#reply = await this.send(node);
    this.#answered += 1;
    expect(this.#reply.error).toBeUndefined();
    expect(this.#reply.result.resultType).toBe(this.#answered < QUESTIONS ? 'input_required' : 'complete');
  }

  async finishAt(...nodes: readonly Node[]): Promise<string | undefined> {
    for (let i = 0; this.#answered < QUESTIONS; i += 1) await this.answerAt(nodes[i % nodes.length] as Node);
    return this.#reply.result.content[0]?.text;
  }

  /** What a node replies to the answer, without the flow taking note of it. */
  send(node: Node): Promise<Reply> {
    const { inputRequests, requestState } = this.#reply.result;
    const yes = { action: 'accept', content: { confirm: true } };
    const inputResponses = Object.fromEntries(Object.keys(inputRequests).map((key) => [key, yes]));
    return post(node, { inputResponses, requestState });
  }

  get keyId(): string | undefined {
    return this.#reply.result.requestState.split('.')[1];
  }
}

async function post(node: Node, more: object): Promise<Reply> {
  const params = { name: 'survey', arguments: { questions: QUESTIONS }, ...more };
  return (await call(node.url, 'tools/call', params)).body as Reply;
}

async function restart(node: Node, ...keys: string[]): Promise<Node> {
  await node.stop();
  return startNode({ MRTR_KEYS: keys.join(',') });
}

function refusals({ lines }: Ended): unknown[] {
  return lines.flatMap(({ refused }) => (refused === undefined ? [] : [refused]));
}

const UNKNOWN_KEY = { reason: 'ERR_MRTR_STATE_UNKNOWN_KEY', method: 'tools/call', target: 'survey' };

afterAll(stopNodes);

describe('C115 a rotation over two nodes', () => {
  it('loses no flow when the new key is added, then moved to the front, then alone', async () => {
    let [a, b] = await Promise.all([startNode({ MRTR_KEYS: OLD }), startNode({ MRTR_KEYS: OLD })]);
    const [throughout, abandoned] = await Promise.all([Flow.begin(a), Flow.begin(b)]);
    const oldId = throughout.keyId;

    for (const ring of [[OLD, NEW], [NEW, OLD], [NEW]]) {
      const crossing = await Promise.all([Flow.begin(a), Flow.begin(b)]);
      const all = [throughout, ...crossing];
      a = await restart(a, ...ring);
      // One node has taken the step and the other has not: every flow goes from each of them to the other.
      for (const node of [a, b]) for (const flow of all) await flow.answerAt(node);
      b = await restart(b, ...ring);
      for (const flow of all) await flow.answerAt(b);
      expect(
        await Promise.all(crossing.map((flow, i) => (i === 0 ? flow.finishAt(b, a) : flow.finishAt(a, b)))),
      ).toEqual(['10 of 10', '10 of 10']);
    }

    expect(throughout.keyId).not.toBe(oldId);
    expect(throughout.keyId).toBe((await Flow.begin(a)).keyId);
    expect(await throughout.finishAt(a)).toBe('10 of 10');
    // Nobody went on with this one, so its state is still under the key that is gone: that is why the last step waits.
    expect(abandoned.keyId).toBe(oldId);
    expect((await abandoned.send(b)).error).toEqual(BAD_STATE);
    expect(refusals(await a.stop())).toEqual([]);
    expect(refusals(await b.stop())).toEqual([UNKNOWN_KEY]);
  }, 120_000);

  it('shows it in the events when the new key is in front on one node before the other has it', async () => {
    const [a, b] = await Promise.all([startNode({ MRTR_KEYS: `${NEW},${OLD}` }), startNode({ MRTR_KEYS: OLD })]);
    const early = await Flow.begin(a);
    expect((await early.send(b)).error).toEqual(BAD_STATE);
    // The other way round it works, which is why the mistake is easily overlooked.
    expect(await (await Flow.begin(b)).finishAt(a)).toBe('10 of 10');
    expect(await early.finishAt(a)).toBe('10 of 10');
    expect(refusals(await b.stop())).toEqual([UNKNOWN_KEY]);
    expect(refusals(await a.stop())).toEqual([]);
  }, 60_000);

  it('does not start with a bad list, and shows no key', async () => {
    const lists = [[OLD, NEW, OLD], [''], [OLD, '']];
    const told = await Promise.all(
      lists.map((keys) => startNode({ MRTR_KEYS: keys.join(',') }).then(String, (error: unknown) => String(error))),
    );
    expect(told).toEqual([
      expect.stringContaining('"MRTR_KEYS" contains the same key twice, as entries 1 and 3: remove one.'),
      expect.stringContaining('"MRTR_KEYS" is an empty string.'),
      expect.stringContaining('"MRTR_KEYS" (entry 2) is an empty string.'),
    ]);
    for (const key of [OLD, NEW]) expect(told.join()).not.toContain(key.slice(6));
  }, 60_000);
});

describe('C114 nodes without keys', () => {
  it('refuse each other’s states, and their own after a restart; each warns when it starts', async () => {
    const [a, b] = await Promise.all([startNode(), startNode()]);
    const flow = await Flow.begin(a);
    expect((await flow.send(b)).error).toEqual(BAD_STATE);
    expect((await flow.send(a)).error).toBeUndefined();
    const first = await a.stop();
    const again = await startNode();
    expect((await flow.send(again)).error).toEqual(BAD_STATE);

    const ends = [first, await again.stop(), await b.stop()];
    expect(ends.map(refusals)).toEqual([[], [UNKNOWN_KEY], [UNKNOWN_KEY]]);
    for (const { stderr } of ends) {
      expect(stderr.match(/MRTR_EPHEMERAL_KEYS/g)).toHaveLength(1);
      expect(stderr).toContain('Make a key with `npx express-mrtr keygen` and set MRTR_KEYS.');
    }
  }, 60_000);

  it('do not start in production', async () => {
    await expect(startNode({ NODE_ENV: 'production' })).rejects.toThrow(
      /^The node ended with 1: [^]*option "keys" is required in production: make a key with `npx express-mrtr keygen`/,
    );
  }, 60_000);

  it('start in production with keys, and without a warning', async () => {
    const node = await startNode({ NODE_ENV: 'production', MRTR_KEYS: generateKey() });
    expect((await Flow.begin(node)).keyId).toHaveLength(6);
    expect((await node.stop()).stderr).toBe('');
  }, 60_000);
});
