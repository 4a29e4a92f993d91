import { z } from 'zod';
import { built } from '../built.js';
import { LocalServer } from '../local.js';
import { median } from '../statistics.js';
import type { Row } from '../table.js';
import { timed } from './time.js';

const KIBIBYTES = [1, 8, 64, 512] as const;
const FLOWS = 60;
const WARM_UP_FLOWS = 15;
const YES = { 'elicit-1': { action: 'accept', content: { confirm: true } } };

/** Time and state of both rounds of a confirmation, by the size of the call's arguments. */
export async function benchArguments(): Promise<readonly Row[]> {
  const { tool } = await built('index');
  const save = tool('save', { inputSchema: z.object({ text: z.string() }) }, async (_args, ctx) =>
    (await ctx.confirm('Save it?')) ? 'saved' : 'left',
  );
  const server = await LocalServer.start({ tools: [save], bodyLimit: '2mb' });
  const rows: Row[] = [];
  try {
    for (const size of KIBIBYTES) rows.push(await rowOf(server, size));
  } finally {
    await server.stop();
  }
  return rows;
}

async function rowOf(server: LocalServer, size: number): Promise<Row> {
  const call = { arguments: { text: 'x'.repeat(size * 1024) } };
  const firsts: number[] = [];
  const retries: number[] = [];
  let stateBytes = 0;
  for (let flow = -WARM_UP_FLOWS; flow < FLOWS; flow += 1) {
    const first = await timed(() => server.tool('save', call));
    const { requestState = '' } = first.value;
    const retry = await timed(() => server.tool('save', { ...call, requestState, inputResponses: YES }));
    if (retry.value.content?.[0]?.text !== 'saved') throw new Error('A flow did not complete.');
    stateBytes = requestState.length;
    if (flow < 0) continue;
    firsts.push(first.µs);
    retries.push(retry.µs);
  }
  return { 'arguments KiB': size, 'first µs': median(firsts), 'retry µs': median(retries), stateBytes };
}
