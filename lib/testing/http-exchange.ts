import { createServer, request, type IncomingHttpHeaders, type RequestListener } from 'node:http';
import type { AddressInfo } from 'node:net';
import { systemTimers } from '../engine/timers.js';

/** A reply as it arrived. */
export interface HttpReply {
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  readonly body: string;
}

/** Serves on a free port of 127.0.0.1 for as long as `work` takes; then nothing is left open. */
export async function whileListening<T>(listener: RequestListener, work: (port: number) => Promise<T>): Promise<T> {
  const server = createServer(listener);
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject);
    server.listen(0, '127.0.0.1', resolve);
  });
  try {
    return await work((server.address() as AddressInfo).port);
  } finally {
    await new Promise<void>((resolve) => {
      server.close(() => resolve());
      server.closeAllConnections();
    });
    // The loop lets go of a closed handle at the end of a turn, which is after what was set for the end of that turn.
    for (let turn = 1; turn <= 2; turn += 1) await new Promise<void>((resolve) => systemTimers.endOfTurn(resolve));
  }
}

/** Posts a body and reads the whole reply. Rejects when the connection breaks. */
export function post(
  port: number,
  path: string,
  headers: Readonly<Record<string, string>>,
  body: string,
): Promise<HttpReply> {
  return new Promise((resolve, reject) => {
    let reply: HttpReply | undefined;
    // Without an agent the connection ends with its reply, and the end of the connection is waited for.
    const sent = request({ host: '127.0.0.1', port, path, method: 'POST', headers, agent: false }, (res) => {
      const chunks: Buffer[] = [];
      res.on('data', (chunk: Buffer) => chunks.push(chunk));
      res.once('error', reject);
      res.once('end', () => {
        reply = { status: res.statusCode ?? 0, headers: res.headers, body: Buffer.concat(chunks).toString() };
      });
    });
    sent.once('socket', (socket) =>
      socket.once('close', () =>
        reply === undefined ? reject(new Error('The connection ended before the reply did.')) : resolve(reply),
      ),
    );
    sent.once('error', reject);
    sent.end(body);
  });
}
