import { subscribe } from 'node:diagnostics_channel';
import type { AddressInfo } from 'node:net';
import express from 'express';
import express4 from 'express4';
import { mrtr, mrtrErrors, type Context, type MrtrOptions } from '../../lib/index.js';
import { MemoryReplayStore } from '../../lib/stores/memory.js';
import { definitions } from './definitions.js';
import { KEY, SENTINELS, TAG, type Mount } from './input.js';

/** The app under test, in a process of its own: it serves on 127.0.0.1 and reports to its parent. */

/** A handler that acted: on which input, in which flow. */
export interface Transfer {
  readonly tag: string;
  readonly mount: string;
  readonly flowId: string;
}

export type Report =
  | { readonly kind: 'ready'; readonly ports: readonly number[] }
  | { readonly kind: 'transfers'; readonly transfers: readonly Transfer[] }
  | { readonly kind: 'measured'; readonly heap: number; readonly resources: Readonly<Record<string, number>> };

export type Order = 'transfers' | 'measure';

const transfers: Transfer[] = [];
/** One for both servers: they are two nodes of one service. */
const store = new MemoryReplayStore({ maxEntries: 100_000 });

function tell(report: Report): void {
  process.send?.(report);
}

function die(what: string, error: unknown): never {
  process.stderr.write(`${what}: ${stackOf(error)}\n`);
  process.exit(70);
}

function stackOf(error: unknown): string {
  return error instanceof Error ? (error.stack ?? error.message) : String(error);
}

process.on('unhandledRejection', (reason) => die('unhandledRejection', reason));
process.on('uncaughtException', (error) => die('uncaughtException', error));
process.on('disconnect', () => process.exit());

for (const name of ['mrtr:round', 'mrtr:refused', 'mrtr:warning', 'mrtr:error']) {
  subscribe(name, (event) => {
    const text = JSON.stringify(event);
    const leaked = [KEY, ...SENTINELS].find((secret) => text.includes(secret));
    if (leaked !== undefined) die(`the event ${name} carries ${leaked}`, text);
  });
}

/** Authentication by header. `!fail` is a user that names nobody: a fault of the server, by declaration. */
const authenticate: express.RequestHandler = (req, _res, next) => {
  const user = req.get('x-user');
  if (user === '!fail') Object.assign(req, { user: { secret: SENTINELS[1] } });
  else if (user !== undefined && user !== '') Object.assign(req, { user: { sub: user, azp: 'fuzz' } });
  next();
};

function serve(make: typeof express): express.Express {
  const app = make();
  const mcp = (mount: Mount, options: Partial<MrtrOptions> = {}): express.RequestHandler =>
    mrtr({
      server: { name: `fuzz${mount}`, version: '1.0.0' },
      keys: KEY,
      ttlSeconds: 3600,
      onError(error, { code }) {
        // Nothing that this app serves explains such a fault: it is the library's.
        if (code === 'ERR_MRTR_INTERNAL') process.stderr.write(`${code}: ${stackOf(error)}\n`);
        throw new Error('the reporter fails, too');
      },
      ...definitions((ctx: Context) => {
        transfers.push({ tag: ctx.req.get(TAG) ?? '', mount, flowId: ctx.flowId });
      }, mount === '/once'),
      ...options,
    });
  app.use(authenticate);
  app.use('/bare', mcp('/bare'));
  app.use('/parsed', express.json({ limit: '1mb' }), mcp('/parsed'));
  app.use('/parsed', mrtrErrors());
  app.use('/behind', mcp('/behind', { fallthrough: true }));
  // Short-lived states, so that what the store remembers does not grow with the run.
  app.use('/once', mcp('/once', { replay: { store }, ttlSeconds: 2, clockSkewSeconds: 1 }));
  app.use((_req, res) => {
    res.status(404).set('x-behind', '1').json({ behind: true });
  });
  return app;
}

function measure(): void {
  for (let pass = 0; pass < 4; pass += 1) globalThis.gc?.();
  const resources: Record<string, number> = {};
  for (const name of process.getActiveResourcesInfo()) resources[name] = (resources[name] ?? 0) + 1;
  tell({ kind: 'measured', heap: process.memoryUsage().heapUsed, resources });
}

process.on('message', (order: Order) => {
  switch (order) {
    case 'measure':
      return measure();
    case 'transfers':
      return tell({ kind: 'transfers', transfers: transfers.splice(0) });
  }
});

const EXPRESSES: readonly (typeof express)[] = [express, express4 as never];

const servers = EXPRESSES.map((make) => serve(make).listen(0, '127.0.0.1'));
void Promise.all(servers.map((server) => new Promise((resolve) => server.once('listening', resolve)))).then(() => {
  tell({ kind: 'ready', ports: servers.map((server) => (server.address() as AddressInfo).port) });
});
