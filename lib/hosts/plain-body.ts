import type { IncomingMessage } from 'node:http';

/** What came of reading bytes: all of them, none because the client went away, or others than it declared. */
export type BytesReading =
  { readonly kind: 'bytes'; readonly bytes: Buffer } | { readonly kind: 'gone' } | { readonly kind: 'broken' };

/**
 * The declared length of a body that can be read as it comes: identity-encoded, not empty, within the limit, and nobody has
 * begun to read it. `undefined` for every other request.
 */
export function plainLength(req: IncomingMessage, limit: number): number | undefined {
  const { headers, readable, readableEncoding } = req;
  if (headers['content-encoding'] !== undefined || headers['transfer-encoding'] !== undefined) return undefined;
  if (!readable || readableEncoding !== null) return undefined;
  const length = Number(headers['content-length']);
  return Number.isSafeInteger(length) && length > 0 && length <= limit ? length : undefined;
}

/** Reads a body of a declared length, and not one byte more into memory. */
export function readPlain(req: IncomingMessage, length: number): Promise<BytesReading> {
  return new Promise((resolve) => {
    const chunks: Buffer[] = [];
    let received = 0;
    const settle = (reading: BytesReading): void => {
      req.off('data', take).off('end', end).off('error', broken).off('aborted', gone).off('close', gone);
      resolve(reading);
    };
    const take = (chunk: Buffer): void => {
      received += chunk.length;
      if (received > length) broken();
      else chunks.push(chunk);
    };
    const end = (): void => {
      if (received !== length) return broken();
      const [first] = chunks;
      settle({ kind: 'bytes', bytes: first !== undefined && chunks.length === 1 ? first : Buffer.concat(chunks) });
    };
    const broken = (): void => {
      req.unpipe().pause();
      settle({ kind: 'broken' });
    };
    const gone = (): void => settle({ kind: 'gone' });
    req.on('data', take).on('end', end).on('error', broken).on('aborted', gone).on('close', gone);
  });
}
