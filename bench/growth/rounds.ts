import { built } from '../built.js';
import { LocalServer } from '../local.js';
import { median } from '../statistics.js';
import type { Row } from '../table.js';
import { timed } from './time.js';

const ROUNDS = 16;
const FLOWS = 300;
const WARM_UP_FLOWS = 50;

/** Time and state of each round of a flow that asks one question a round. */
export async function benchRounds(): Promise<readonly Row[]> {
  const { field, form, tool } = await built('index');
  const name = form({ name: field.string({ maxLength: 100 }) });
  const interview = tool('interview', {}, async (_args, { elicit }) => {
    for (let guest = 1; guest <= ROUNDS; guest += 1) {
      await elicit({ key: `guest-${guest}`, message: `What is the name of guest ${guest}?`, form: name });
    }
    return 'done';
  });
  const server = await LocalServer.start({ tools: [interview], maxRounds: ROUNDS + 1 });
  const times = Array.from({ length: ROUNDS }, (): number[] => []);
  const sizes: number[] = [];
  try {
    for (let flow = -WARM_UP_FLOWS; flow < FLOWS; flow += 1) {
      let params: Record<string, unknown> = {};
      for (let round = 0; round < ROUNDS; round += 1) {
        const { µs, value } = await timed(() => server.tool('interview', params));
        const [key] = Object.keys(value.inputRequests ?? {});
        if (key === undefined || value.requestState === undefined) throw new Error(`Round ${round + 1} asked nothing.`);
        if (flow >= 0) times[round]?.push(µs);
        sizes[round] = value.requestState.length;
        const inputResponses = { [key]: { action: 'accept', content: { name: 'Ann Example' } } };
        params = { requestState: value.requestState, inputResponses };
      }
    }
  } finally {
    await server.stop();
  }
  return times.map((all, index) => ({ round: index + 1, µs: median(all), stateBytes: sizes[index] ?? 0 }));
}
