import type { ServerResponse } from 'node:http';
import type { Fault, RequestId } from '../protocol/wire.js';

const KEEP_ALIVE_MS = 15_000;

/** What a call needs of its reply, whoever sends it. */
export type CallReply = Pick<Reply, 'gone' | 'signal' | 'abort' | 'notify' | 'result' | 'fault'>;

/** The reply to one request: one JSON body, or an event stream once a notification was sent. It is given once. */
export class Reply {
  readonly #res: ServerResponse & { flush?: () => void };
  readonly #streams: boolean;
  #keepAlive: NodeJS.Timeout | undefined;
  #done = false;
  #abort: AbortController | undefined;

  constructor(res: ServerResponse, accept: string | undefined) {
    this.#res = res;
    this.#streams = accept !== undefined && accept.includes('text/event-stream');
  }

  /** Whether the client went away before the reply was complete. */
  get gone(): boolean {
    return this.#res.closed && !this.#res.writableFinished;
  }

  /** Aborts when the client goes away, or when `abort` is called. Made when first asked for. */
  get signal(): AbortSignal {
    if (this.#abort === undefined) {
      const abort = new AbortController();
      this.#abort = abort;
      if (this.gone) abort.abort();
      // `req` emits close as soon as its body was read, so only `res` tells a disconnect.
      else this.#res.once('close', () => !this.#res.writableFinished && abort.abort());
    }
    return this.#abort.signal;
  }

  /** Whether {@link signal} has aborted. */
  get aborted(): boolean {
    return this.#abort?.signal.aborted === true;
  }

  abort(reason: unknown): void {
    this.#abort ??= new AbortController();
    this.#abort.abort(reason);
  }

  /** Whether the client takes an event stream. */
  get streams(): boolean {
    return this.#streams;
  }

  /** Sends a notification, if the client takes an event stream. */
  notify(method: string, params: object): void {
    this.send({ jsonrpc: '2.0', method, params });
  }

  /** Sends a message ahead of the reply, if the client takes an event stream; opens the stream at the first. */
  send(message: object): void {
    if (!this.#streams || this.#done || this.gone) return;
    const text = JSON.stringify(message);
    this.#openStream();
    this.#event(text);
  }

  /** Ends the stream without a reply, as for a request that its client has cancelled; `false` if there is no stream. */
  end(): boolean {
    if (this.#done || !this.#res.headersSent) return this.#done;
    this.#done = true;
    clearInterval(this.#keepAlive);
    if (!this.gone) this.#res.end();
    return true;
  }

  /** Accepts a message that gets no reply. */
  accepted(): void {
    if (this.#done) return;
    this.#done = true;
    if (!this.gone) this.#res.writeHead(202).end();
  }

  /** Answers a result that is JSON text already. */
  result(id: RequestId, result: string, headers?: Readonly<Record<string, string>>): void {
    this.#finish(200, `{"jsonrpc":"2.0","id":${JSON.stringify(id)},"result":${result}}`, headers);
  }

  /** Answers a fault; without an `id` where none is owed. */
  fault(id: RequestId | undefined, fault: Fault, headers?: Readonly<Record<string, string>>): void {
    const { code, message, data, status } = fault;
    const error = { code, message, ...(data !== undefined && { data }) };
    const body = id === undefined ? { jsonrpc: '2.0', error } : { jsonrpc: '2.0', id, error };
    this.#finish(status, JSON.stringify(body), headers);
  }

  #finish(status: number, body: string, headers: Readonly<Record<string, string>> = {}): void {
    if (this.#done) return;
    this.#done = true;
    clearInterval(this.#keepAlive);
    if (this.gone) return;
    if (this.#res.headersSent) {
      this.#event(body);
      this.#res.end();
      return;
    }
    const own = { 'Content-Type': 'application/json', 'Content-Length': Buffer.byteLength(body) };
    // A spread before other members costs ten times as much.
    this.#res.writeHead(status, Object.assign({}, headers, own));
    this.#res.end(body);
  }

  #openStream(): void {
    if (this.#res.headersSent) return;
    this.#res.writeHead(200, {
      'Content-Type': 'text/event-stream',
      'Cache-Control': 'no-store',
      'X-Accel-Buffering': 'no',
    });
    this.#keepAlive = setInterval(() => this.#write(':\n\n'), KEEP_ALIVE_MS).unref();
    this.#res.once('close', () => clearInterval(this.#keepAlive));
  }

  #event(message: string): void {
    this.#write(`event: message\ndata: ${message}\n\n`);
  }

  #write(chunk: string): void {
    if (this.gone) return;
    this.#res.write(chunk);
    // compression() holds back what it was not told to flush.
    this.#res.flush?.();
  }
}
