import type { Server } from 'node:http';
import { setTimeout as pause } from 'node:timers/promises';

const COLLECTIONS = 6;
const CLOSING_MS = 5000;

/** Bytes of heap that are in use when nobody is connected and all garbage is gone. Needs `--expose-gc`. */
export async function heapUsed(server: Server | undefined): Promise<number> {
  const { gc } = globalThis;
  if (gc === undefined) throw new Error('The heap is measured with --expose-gc.');
  const deadline = Date.now() + CLOSING_MS;
  while (server !== undefined && (await connections(server)) > 0) {
    if (Date.now() > deadline) throw new Error('Clients stayed connected.');
    await pause(20);
  }
  for (let collection = 0; collection < COLLECTIONS; collection += 1) {
    gc();
    // Finalisers run between collections.
    await pause(20);
  }
  return process.memoryUsage().heapUsed;
}

function connections(server: Server): Promise<number> {
  return new Promise((resolve, reject) => {
    server.getConnections((error, count) => (error === null ? resolve(count) : reject(error)));
  });
}
