import { connect } from 'node:net';

/** One HTTP response, as it came. */
export interface Reply {
  readonly status: number;
  readonly head: string;
  readonly headers: ReadonlyMap<string, string>;
  readonly body: string;
  /** Whether the body came to its end. */
  readonly complete: boolean;
}

/** What came back for one request. */
export type Exchange =
  | { readonly kind: 'replied'; readonly replies: readonly Reply[]; readonly ms: number }
  /** The connection ended without a byte. */
  | { readonly kind: 'closed'; readonly ms: number }
  /** No complete reply in time. */
  | { readonly kind: 'silent'; readonly received: string; readonly ms: number }
  /** No HTTP. */
  | { readonly kind: 'garbled'; readonly received: string; readonly ms: number };

export interface SendOptions {
  readonly port: number;
  readonly raw: Buffer;
  /** Bytes after which the client destroys the connection. */
  readonly cut?: number | undefined;
  /** The request may be incomplete: its end is sent after a while. */
  readonly mayBeIncomplete: boolean;
  /** The reply may be a stream without end: one event of it is enough. */
  readonly mayStream: boolean;
  readonly timeoutMs: number;
}

const CRLF2 = Buffer.from('\r\n\r\n');
const PATIENCE_MS = 100;

/** Writes raw bytes to 127.0.0.1 and reads what comes back. */
export function send({ port, raw, cut, mayBeIncomplete, mayStream, timeoutMs }: SendOptions): Promise<Exchange> {
  return new Promise((resolve) => {
    const started = performance.now();
    const received: Buffer[] = [];
    const socket = connect({ port, host: '127.0.0.1', noDelay: true });
    const timers: NodeJS.Timeout[] = [];
    let done = false;

    const finish = (why: 'end' | 'time' | 'enough'): void => {
      if (done) return;
      done = true;
      timers.forEach(clearTimeout);
      socket.destroy();
      resolve(exchangeOf(Buffer.concat(received), why, performance.now() - started));
    };
    socket.on('connect', () => {
      socket.write(cut === undefined ? raw : raw.subarray(0, cut), () => cut !== undefined && finish('enough'));
      timers.push(setTimeout(() => finish('time'), timeoutMs));
      if (mayBeIncomplete) timers.push(setTimeout(() => socket.end(), PATIENCE_MS));
    });
    socket.on('data', (chunk) => {
      received.push(chunk);
      const { replies } = parse(Buffer.concat(received));
      const [first] = replies;
      if (mayStream && first?.headers.get('content-type') === 'text/event-stream' && first.body !== '') {
        finish('enough');
      } else if (first?.complete === true && first.headers.get('connection') !== 'close') {
        timers.push(setTimeout(() => finish('enough'), 2));
      }
    });
    socket.on('end', () => finish('end'));
    socket.on('error', () => finish('end'));
    socket.on('close', () => finish('end'));
  });
}

function exchangeOf(bytes: Buffer, why: 'end' | 'time' | 'enough', ms: number): Exchange {
  const { replies, rest } = parse(bytes);
  const received = bytes.toString('latin1').slice(0, 4000);
  if (rest > 0) return { kind: 'garbled', received, ms };
  if (why === 'time') return { kind: 'silent', received, ms };
  return bytes.length === 0 ? { kind: 'closed', ms } : { kind: 'replied', replies, ms };
}

/** Reads as many responses as there are; `rest` counts bytes that are no response. */
export function parse(bytes: Buffer): { readonly replies: Reply[]; readonly rest: number } {
  const replies: Reply[] = [];
  let at = 0;
  while (at < bytes.length) {
    const headEnd = bytes.indexOf(CRLF2, at);
    if (headEnd === -1) return { replies, rest: bytes.length - at };
    const head = bytes.toString('latin1', at, headEnd);
    const status = Number(/^HTTP\/1\.1 (\d{3}) /.exec(head)?.[1]);
    if (Number.isNaN(status)) return { replies, rest: bytes.length - at };
    at = headEnd + CRLF2.length;
    if (status < 200) continue;
    const headers = new Map<string, string>();
    for (const line of head.split('\r\n').slice(1)) {
      const colon = line.indexOf(':');
      headers.set(line.slice(0, colon).toLowerCase(), line.slice(colon + 1).trim());
    }
    const body = bodyOf(bytes.subarray(at), headers);
    at += body.size;
    replies.push({ status, head, headers, body: body.text, complete: body.complete });
  }
  return { replies, rest: 0 };
}

function bodyOf(
  bytes: Buffer,
  headers: ReadonlyMap<string, string>,
): { readonly text: string; readonly size: number; readonly complete: boolean } {
  const length = headers.get('content-length');
  if (headers.get('transfer-encoding') === 'chunked') return chunksOf(bytes);
  // With neither, the end of the connection is the end of the body; Node's own bare refusals have none.
  const size = length === undefined ? bytes.length : Math.min(Number(length), bytes.length);
  return { text: bytes.toString('utf8', 0, size), size, complete: length === undefined || size === Number(length) };
}

function chunksOf(bytes: Buffer): { text: string; size: number; complete: boolean } {
  const parts: Buffer[] = [];
  let at = 0;
  for (;;) {
    const lineEnd = bytes.indexOf('\r\n', at);
    const size = lineEnd === -1 ? NaN : parseInt(bytes.toString('latin1', at, lineEnd), 16);
    const whole = lineEnd + 2 + size + 2 <= bytes.length;
    if (Number.isNaN(size) || !whole) return { text: text(parts), size: bytes.length, complete: false };
    parts.push(bytes.subarray(lineEnd + 2, lineEnd + 2 + size));
    at = lineEnd + 2 + size + 2;
    if (size === 0) return { text: text(parts), size: at, complete: true };
  }
}

function text(parts: readonly Buffer[]): string {
  return Buffer.concat(parts).toString('utf8');
}
