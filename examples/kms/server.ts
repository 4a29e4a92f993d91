import { createServer, type IncomingMessage, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { generateKey } from 'express-mrtr';

/** A stand-in for a KMS, over real HTTP: it keeps numbered versions of one key, one of them the current one. */
export interface Kms {
  readonly url: string;
  readonly token: string;
  readonly close: () => Promise<void>;
}

interface Answer {
  readonly status: number;
  readonly body?: object;
}

const KEY = '/keys/mrtr';

/** Starts the KMS on the loopback address, with version 1 of the key. */
export async function startKms(): Promise<Kms> {
  const token = generateKey();
  const versions = new Map([[1, generateKey()]]);
  const server = createServer((req, res) => {
    const { status, body } = req.headers.authorization === `Bearer ${token}` ? answer(req, versions) : { status: 401 };
    res.writeHead(status, { 'content-type': 'application/json', 'cache-control': 'no-store' });
    res.end(JSON.stringify(body));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  return { url: `http://127.0.0.1:${port}`, token, close: () => closed(server) };
}

/**
 * `GET /keys/mrtr` lists the versions, `GET /keys/mrtr/versions/1` reads one, `POST /keys/mrtr/versions` makes a new one and the
 * current one of it, `DELETE /keys/mrtr/versions/1` destroys one.
 */
function answer({ method, url }: IncomingMessage, versions: Map<number, string>): Answer {
  const newest = Math.max(...versions.keys());
  const version = Number(url?.split('/').at(-1));
  switch (`${method} ${url?.replace(/\d+$/, '<n>')}`) {
    case `GET ${KEY}`:
      return { status: 200, body: { current: newest, versions: [...versions.keys()] } };
    case `POST ${KEY}/versions`:
      versions.set(newest + 1, generateKey());
      return { status: 201, body: { version: newest + 1 } };
    case `GET ${KEY}/versions/<n>`:
      return versions.has(version) ? { status: 200, body: { key: versions.get(version) } } : { status: 404 };
    case `DELETE ${KEY}/versions/<n>`:
      return { status: version !== newest && versions.delete(version) ? 204 : 404 };
    default:
      return { status: 404 };
  }
}

function closed(server: Server): Promise<void> {
  return new Promise((resolve) => {
    server.close(() => resolve());
    server.closeAllConnections();
  });
}
