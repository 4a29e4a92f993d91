import { RedisServer, redisAvailable } from '../spec/support/redis.js';
import { Child } from './processes/child.js';
import { say, type Report } from './report.js';
import type { Row } from './table.js';

const SECONDS = 120;

const SUITES = [
  ['seal', 'sealing, beside AES-256-GCM alone (processor time)'],
  ['engine', 'one execution of the handler (processor time)'],
  ['ledger', 'plaintext bytes of the ledger'],
  ['events', 'one event (processor time)'],
  ['step', 'steps, client included (processor time)'],
] as const;

/** The parts of the package by themselves, each in a process of its own: what one has warmed up must not help the next. */
export async function benchMicro(report: Report): Promise<void> {
  for (const [operation, title] of SUITES) await suite(report, operation, title, {});
  await withRedis((given) => suite(report, 'singleUse', 'single use (clock)', given));
}

async function suite(report: Report, operation: string, title: string, input: object): Promise<void> {
  say(`micro: ${title}`);
  const child = new Child('micro/main');
  try {
    const rows = await child.request<readonly Row[]>(operation, input, SECONDS);
    if (rows.length > 0) report.table('micro', title, rows);
  } finally {
    await child.stop();
  }
}

async function withRedis(use: (input: { readonly redisUrl?: string }) => Promise<void>): Promise<void> {
  if (!redisAvailable()) {
    say('micro: Redis is left out, redis-server is not installed here');
    return use({});
  }
  const redis = await RedisServer.start();
  try {
    await use({ redisUrl: redis.url });
  } finally {
    await redis.stop();
  }
}
