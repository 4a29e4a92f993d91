import type { RequestHandler } from 'express';

const MODERN = new Set(['resultType', 'ttlMs', 'cacheScope', 'inputRequests', 'requestState']);
const MODERN_META = 'io.modelcontextprotocol/';

/** Everything that a server wrote to its clients, as the middleware in front of it sees it. */
export class WireRecord {
  readonly #bodies: { readonly chunks: Buffer[]; readonly type: () => string }[] = [];

  readonly middleware: RequestHandler = (_req, res, next) => {
    const chunks: Buffer[] = [];
    this.#bodies.push({ chunks, type: () => String(res.getHeader('content-type')) });
    const keep = (chunk: unknown): void => {
      if (typeof chunk === 'string') chunks.push(Buffer.from(chunk));
      else if (chunk instanceof Uint8Array) chunks.push(Buffer.from(chunk));
    };
    for (const name of ['write', 'end'] as const) {
      const original = res[name].bind(res) as (...args: unknown[]) => never;
      res[name] = (...args: unknown[]): never => {
        keep(args[0]);
        return original(...args);
      };
    }
    next();
  };

  /** Every JSON-RPC message that was written. */
  get messages(): unknown[] {
    return this.#bodies.flatMap(({ chunks, type }) => {
      const text = Buffer.concat(chunks).toString();
      if (type().startsWith('application/json')) return text === '' ? [] : [JSON.parse(text) as unknown];
      return [...text.matchAll(/^data: (.+)$/gm)].map(([, data]) => JSON.parse(String(data)) as unknown);
    });
  }

  /** Members of the messages, at any depth, that only later revisions know. */
  get modernMembers(): string[] {
    return this.messages.flatMap(modernIn);
  }
}

function modernIn(value: unknown): string[] {
  if (typeof value !== 'object' || value === null) return [];
  const own = Array.isArray(value)
    ? []
    : Object.keys(value).filter((name) => MODERN.has(name) || name.startsWith(MODERN_META));
  return [...own, ...Object.values(value).flatMap(modernIn)];
}
