import { serve } from '../processes/serve.js';
import type { Listening } from '../servers/main.js';
import { firstBody } from '../wire.js';
import { exchanges } from './pool.js';
import { shoot, type Shots, type Target } from './shoot.js';

const CONNECTIONS = 32;
const FLOWS_EACH = 16;

const targets = new Map<number, Target>();

serve({
  /** Makes the requests of a server: on each connection first rounds and retries take turns. */
  async prepare(listening: Listening): Promise<void> {
    const flows = await exchanges(listening, CONNECTIONS * FLOWS_EACH);
    const bodies = Array.from({ length: CONNECTIONS }, (_, connection) => {
      const own = flows.slice(connection * FLOWS_EACH, (connection + 1) * FLOWS_EACH);
      // Half the connections begin with a retry, so that the rounds do not march in step.
      const order = own.flatMap(({ first, retry }) => (connection % 2 === 0 ? [first, retry] : [retry, first]));
      return order;
    });
    targets.set(listening.port, { ...listening, connections: CONNECTIONS, bodies });
  },

  async run({ port, seconds }: { readonly port: number; readonly seconds: number }): Promise<Shots> {
    const target = targets.get(port);
    if (target === undefined) throw new Error(`nothing is prepared for port ${port}`);
    const shots = await shoot(target, { seconds });
    // What was under way when a run ended is missing, one request a connection at most, and one more for the turn it was at.
    const uneven = Math.abs(shots.firsts - shots.lasts) > 2 * CONNECTIONS;
    const problem = `${shots.firsts} first and ${shots.lasts} last rounds`;
    return uneven ? { ...shots, problems: [...shots.problems, problem] } : shots;
  },

  /** First rounds that nobody comes back to. */
  async abandon({ amount, ...listening }: Listening & { readonly amount: number }): Promise<Shots> {
    const bodies = [Array.from({ length: FLOWS_EACH }, (_, index) => firstBody(`A-${10_000 + index}`))];
    return shoot({ ...listening, connections: CONNECTIONS, bodies }, { amount });
  },
});
