import { textOf } from './result-text.js';
import type { TestRound } from './test-round.js';

/** What differs first between the questions of two replies, in lines for a message; `undefined` for nothing. */
export function differenceOf(first: TestRound, second: TestRound): string | undefined {
  const before = Object.entries(first.inputRequests ?? {});
  const after = Object.entries(second.inputRequests ?? {});
  const lines = (at: number, entries: typeof before, round: TestRound): string => {
    const entry = entries[at];
    return entry === undefined ? endOf(round) : `${JSON.stringify(entry[0])}: ${JSON.stringify(entry[1])}`;
  };
  for (let at = 0; at < Math.max(before.length, after.length); at += 1) {
    const [one, other] = [lines(at, before, first), lines(at, after, second)];
    if (one !== other) return `  at first: ${one}\n  then:     ${other}`;
  }
  return undefined;
}

/** What stands in the place of a question. */
function endOf({ inputRequests, response, body }: TestRound): string {
  if (inputRequests !== undefined) return 'no further question';
  if (response?.error !== undefined) return `the error ${JSON.stringify(response.error)}`;
  if (response === undefined) return `no MCP, but ${JSON.stringify(body.slice(0, 200))}`;
  return `no question, but the result ${JSON.stringify(textOf(response.result))}`;
}
