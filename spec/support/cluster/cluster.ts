import { fork, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { generateKey, type ReplayOptions } from '../../../lib/index.js';
import type { Message, Order } from './messages.js';

const ROOT = join(__dirname, '../../..');

export interface ClusterOptions {
  readonly redisUrl?: string;
  /** Of single use; needs a Redis. */
  readonly replay?: Omit<ReplayOptions, 'store'>;
  /** What each node runs. @default one that serves MCP 2026-07-28 */
  readonly program?: 'node' | 'legacy-node';
}

/** A process that serves, one of several. */
export class ClusterNode {
  readonly name: string;
  #messages: Message[] = [];
  #url: string | undefined;
  readonly #child: ChildProcess;
  readonly #closed: Promise<unknown>;
  readonly #listeners = new Set<() => void>();
  #ended = false;
  #stderr = '';

  constructor(name: string, keys: string, { redisUrl, replay, program = 'node' }: ClusterOptions) {
    this.name = name;
    this.#child = fork(`spec/support/cluster/${program}.ts`, {
      cwd: ROOT,
      execArgv: ['--import', 'tsx'],
      stdio: ['ignore', 'ignore', 'pipe', 'ipc'],
      env: {
        ...process.env,
        NODE_ENV: 'production',
        NODE_NAME: name,
        MRTR_KEYS: keys,
        REDIS_URL: redisUrl,
        REPLAY: JSON.stringify(replay ?? {}),
      },
    });
    this.#child.stderr?.on('data', (chunk) => (this.#stderr += String(chunk)));
    this.#child.on('message', (message) => {
      this.#take(message as Message);
    });
    this.#closed = once(this.#child, 'close').then(() => {
      this.#ended = true;
      this.#changed();
    });
  }

  get url(): string {
    if (this.#url === undefined) throw new Error(`Node ${this.name} does not serve yet.`);
    return this.#url;
  }

  all<K extends Message['kind']>(kind: K): Extract<Message, { kind: K }>[] {
    return this.#messages.filter((message): message is Extract<Message, { kind: K }> => message.kind === kind);
  }

  /** Resolves once the node has told something; rejects if it ends without. */
  async told(expected: Message | { readonly kind: 'ready' }): Promise<void> {
    const wanted = Object.entries(expected);
    const found = (): boolean =>
      this.#messages.some((message) => wanted.every(([name, value]) => Reflect.get(message, name) === value));
    while (!found()) {
      if (this.#ended) throw new Error(`Node ${this.name} ended without ${JSON.stringify(expected)}: ${this.#stderr}`);
      await new Promise<void>((resolve) => this.#listeners.add(resolve));
    }
  }

  /** So that a test that shares the node finds only what was told during itself. */
  forget(): void {
    this.#messages = [];
  }

  /** Lets a handler that holds go on. */
  open(flow: string): void {
    this.#child.send({ open: flow } satisfies Order);
  }

  /** Ends it in the middle of whatever it does. */
  async kill(): Promise<void> {
    if (!this.#ended) this.#child.kill('SIGKILL');
    await this.#closed;
  }

  /** Ends it as a deployment does: what runs is finished first. */
  async stop(): Promise<void> {
    if (!this.#ended) this.#child.kill('SIGTERM');
    await this.#closed;
  }

  #take(message: Message): void {
    if (message.kind === 'ready') this.#url = `http://127.0.0.1:${message.port}/mcp`;
    this.#messages.push(message);
    this.#changed();
  }

  #changed(): void {
    for (const listener of this.#listeners) listener();
    this.#listeners.clear();
  }
}

/** Nodes with one keyring between them, each a process of its own. */
export class Cluster {
  readonly #options: ClusterOptions;
  readonly #keys = generateKey();
  readonly #started: ClusterNode[] = [];
  #nodes: ClusterNode[] = [];

  private constructor(options: ClusterOptions) {
    this.#options = options;
  }

  static async start(size: number, options: ClusterOptions = {}): Promise<Cluster> {
    const cluster = new Cluster(options);
    const names = Array.from({ length: size }, (_none, i) => `node-${i + 1}`);
    cluster.#nodes = await Promise.all(names.map((name) => cluster.#start(name)));
    return cluster;
  }

  /** Those that have not been replaced, dead or alive. */
  get nodes(): readonly ClusterNode[] {
    return this.#nodes;
  }

  node(index: number): ClusterNode {
    const node = this.#nodes[index];
    if (node === undefined) throw new RangeError(`There is no node ${index}.`);
    return node;
  }

  /** Starts a new process in the place of one that was ended, under the same name and at another port. */
  async replace(node: ClusterNode): Promise<ClusterNode> {
    const fresh = await this.#start(node.name);
    this.#nodes = this.#nodes.map((each) => (each === node ? fresh : each));
    return fresh;
  }

  /** Everything of one kind that any node has told, the ended ones included. */
  all<K extends Message['kind']>(kind: K): Extract<Message, { kind: K }>[] {
    return this.#started.flatMap((node) => node.all(kind));
  }

  async close(): Promise<void> {
    await Promise.all(this.#started.map((node) => node.kill()));
  }

  async #start(name: string): Promise<ClusterNode> {
    const node = new ClusterNode(name, this.#keys, this.#options);
    this.#started.push(node);
    await node.told({ kind: 'ready' });
    return node;
  }
}
