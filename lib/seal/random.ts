import { randomBytes, randomFillSync } from 'node:crypto';

const POOL_SIZE = 4096;

const pool = Buffer.allocUnsafeSlow(POOL_SIZE);
let used = POOL_SIZE;

/**
 * Random bytes of the operating system's generator, drawn 4 KiB at a time: a call of the generator costs more than sealing.
 * Every byte is handed out once, as a copy, and erased from the pool.
 */
export function pooledRandom(size: number): Buffer {
  if (size > POOL_SIZE) return randomBytes(size);
  if (used + size > POOL_SIZE) {
    randomFillSync(pool);
    used = 0;
  }
  const bytes = Buffer.from(pool.subarray(used, used + size));
  pool.fill(0, used, used + size);
  used += size;
  return bytes;
}
