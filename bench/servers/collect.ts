import type { IncomingMessage } from 'node:http';

/** Reads a body to its end and parses it, with the least ado. */
export function collectJson(req: IncomingMessage, done: (body: unknown) => void, failed: (error: Error) => void): void {
  const chunks: Buffer[] = [];
  req.on('data', (chunk: Buffer) => void chunks.push(chunk));
  req.once('error', failed);
  req.once('end', () => {
    const first = chunks[0];
    const bytes = first !== undefined && chunks.length === 1 ? first : Buffer.concat(chunks);
    let body: unknown;
    try {
      body = JSON.parse(bytes.toString());
    } catch (error) {
      failed(error as Error);
      return;
    }
    done(body);
  });
}
