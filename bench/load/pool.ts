import { firstBody, headersFor, retryBody, stateOf, TOOL } from '../wire.js';
import type { Listening } from '../servers/main.js';

const AT_ONCE = 16;

/** The two requests of one flow. */
export interface Exchange {
  readonly first: string;
  readonly retry: string;
}

/** Starts flows with a server, each with an order of its own, and prepares the answers with the states it gave. */
export async function exchanges({ port, headers }: Listening, count: number): Promise<readonly Exchange[]> {
  const made: Exchange[] = [];
  let next = 0;
  const worker = async (): Promise<void> => {
    while (next < count) {
      const orderId = `A-${10_000 + next++}`;
      const first = firstBody(orderId);
      const response = await fetch(`http://127.0.0.1:${port}/mcp`, {
        method: 'POST',
        headers: { ...headersFor('tools/call', TOOL), ...headers },
        body: first,
      });
      const text = await response.text();
      if (response.status !== 200) throw new Error(`HTTP ${response.status} to a first round: ${text.slice(0, 500)}`);
      made.push({ first, retry: retryBody(orderId, stateOf(text)) });
    }
  };
  await Promise.all(Array.from({ length: AT_ONCE }, worker));
  return made;
}
