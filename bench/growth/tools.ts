import { z } from 'zod';
import { built } from '../built.js';
import { LocalServer } from '../local.js';
import { median } from '../statistics.js';
import type { Row } from '../table.js';
import { timed } from './time.js';

const TOOLS = [10, 100, 1000] as const;
const CALLS = 400;
const LISTS = 25;
const WARM_UP_SHARE = 0.25;

/** Time of a call and of a list, by the number of registered tools. */
export async function benchTools(): Promise<readonly Row[]> {
  const rows: Row[] = [];
  for (const count of TOOLS) rows.push(await rowOf(count));
  return rows;
}

async function rowOf(count: number): Promise<Row> {
  const { tool } = await built('index');
  const inputSchema = z.object({ orderId: z.string() });
  const tools = Array.from({ length: count }, (_, index) =>
    tool(`tool-${index}`, { description: `Tool ${index}`, inputSchema }, ({ orderId }) => `ran for ${orderId}`),
  );
  const server = await LocalServer.start({ tools });
  try {
    const call = { arguments: { orderId: 'A-1' } };
    let next = 0;
    const callTime = await medianOf(CALLS, () => server.tool(`tool-${next++ % count}`, call));
    const listTime = await medianOf(LISTS, async () => {
      const { tools: listed } = await server.call('tools/list', {});
      if (listed?.length !== count) throw new Error(`${listed?.length ?? 0} of ${count} tools were listed.`);
    });
    return { tools: count, 'call µs': callTime, 'list µs': listTime, 'list µs a tool': listTime / count };
  } finally {
    await server.stop();
  }
}

async function medianOf(times: number, call: () => Promise<unknown>): Promise<number> {
  const all: number[] = [];
  for (let time = -Math.ceil(times * WARM_UP_SHARE); time < times; time += 1) {
    const { µs } = await timed(call);
    if (time >= 0) all.push(µs);
  }
  return median(all);
}
