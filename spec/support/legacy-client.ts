/** A client of MCP 2025-11-25 and 2025-06-18 that shows every message as it came. */

export interface Message {
  readonly id?: string | number;
  readonly method?: string;
  readonly params?: Record<string, unknown>;
  readonly result?: Record<string, unknown>;
  readonly error?: { readonly code: number; readonly message: string };
}

export interface ClientSetup {
  readonly capabilities?: object;
  readonly version?: string;
  readonly user?: string;
  readonly headers?: Record<string, string>;
}

const ACCEPT = { 'content-type': 'application/json', accept: 'application/json, text/event-stream' };
const EVERYTHING = { elicitation: { form: {}, url: {} }, sampling: { tools: {}, context: {} }, roots: {} };

/** One POST and what comes back on it. */
export class Exchange {
  readonly response: Response;
  readonly id: string | number;
  readonly messages: Message[] = [];
  readonly #abort: AbortController;
  readonly #events: AsyncGenerator<Message>;

  constructor(response: Response, id: string | number, abort: AbortController) {
    this.response = response;
    this.id = id;
    this.#abort = abort;
    this.#events = read(response);
  }

  get streamed(): boolean {
    return this.response.headers.get('content-type') === 'text/event-stream';
  }

  /** The next message; fails the test when there is none. */
  async next(): Promise<Message> {
    const { done, value } = await this.#events.next();
    if (done === true) throw new Error('The stream has ended.');
    this.messages.push(value);
    return value;
  }

  /** Whether the stream ends here. */
  async ended(): Promise<boolean> {
    return (await this.#events.next()).done === true;
  }

  /** The reply of the call, nothing before it and nothing after it. */
  async reply(): Promise<Message> {
    const message = await this.next();
    expect(message.id).toBe(this.id);
    expect(message.method).toBeUndefined();
    expect(await this.ended()).toBe(true);
    return message;
  }

  disconnect(): void {
    this.#abort.abort();
  }
}

export class LegacyClient {
  readonly url: string;
  readonly headers: Record<string, string>;
  #lastId = 0;

  constructor(url: string, headers: Record<string, string>) {
    this.url = url;
    this.headers = headers;
  }

  /** Initializes; `at` names another node of the same service later. */
  static async connect(url: string, setup: ClientSetup = {}): Promise<LegacyClient> {
    const { capabilities = EVERYTHING, version = '2025-11-25', user = 'ann', headers = {} } = setup;
    const client = new LegacyClient(url, { ...ACCEPT, 'x-user': user, ...headers });
    const params = { protocolVersion: version, capabilities, clientInfo: { name: 'raw', version: '1' } };
    const exchange = await client.open('initialize', params);
    const { result } = await exchange.reply();
    const session = exchange.response.headers.get('mcp-session-id') ?? '';
    expect(session).toMatch(/^[\x21-\x7e]{1,2048}$/);
    return client.with({ 'mcp-session-id': session, 'mcp-protocol-version': String(result?.['protocolVersion']) });
  }

  get session(): string {
    return this.headers['mcp-session-id'] ?? '';
  }

  with(headers: Record<string, string>): LegacyClient {
    return new LegacyClient(this.url, { ...this.headers, ...headers });
  }

  at(url: string): LegacyClient {
    return new LegacyClient(url, this.headers);
  }

  async open(method: string, params: object = {}, id: string | number = ++this.#lastId): Promise<Exchange> {
    const abort = new AbortController();
    const response = await this.post({ jsonrpc: '2.0', id, method, params }, abort.signal);
    return new Exchange(response, id, abort);
  }

  tool(name: string, args: object = {}, meta?: object): Promise<Exchange> {
    return this.open('tools/call', { name, arguments: args, ...(meta !== undefined && { _meta: meta }) });
  }

  /** Answers a request of the server; the status tells what became of it. */
  async respond(asked: Message, result: unknown): Promise<number> {
    return (await this.post({ jsonrpc: '2.0', id: asked.id, result })).status;
  }

  async notify(method: string, params: object): Promise<number> {
    return (await this.post({ jsonrpc: '2.0', method, params })).status;
  }

  post(body: unknown, signal?: AbortSignal): Promise<Response> {
    const options = { method: 'POST', headers: this.headers, body: JSON.stringify(body) };
    return fetch(`${this.url}/mcp`, signal === undefined ? options : { ...options, signal });
  }
}

async function* read(response: Response): AsyncGenerator<Message> {
  if (response.headers.get('content-type') !== 'text/event-stream') {
    const text = await response.text();
    if (text !== '') yield JSON.parse(text) as Message;
    return;
  }
  const decoder = new TextDecoder();
  let buffered = '';
  for await (const chunk of response.body ?? []) {
    buffered += decoder.decode(chunk as Uint8Array, { stream: true });
    const events = buffered.split('\n\n');
    buffered = events.pop() ?? '';
    for (const event of events) {
      const data = /^data: (.*)$/m.exec(event)?.[1];
      if (data !== undefined && data !== '') yield JSON.parse(data) as Message;
    }
  }
}
