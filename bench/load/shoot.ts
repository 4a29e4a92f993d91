import autocannon from 'autocannon';
import { headersFor, isFirstReply, isLastReply, TOOL } from '../wire.js';
import { percentile } from '../statistics.js';
import type { Listening } from '../servers/main.js';

/** What one run of the load came to. */
export interface Shots {
  readonly requests: number;
  readonly perSecond: number;
  readonly p50Ms: number;
  readonly p99Ms: number;
  readonly firsts: number;
  readonly lasts: number;
  /** Bytes of a reply on the wire, headers included, on average. */
  readonly replyBytes: number;
  /** Why the figures are worth nothing; empty when every reply was right. */
  readonly problems: readonly string[];
}

export interface Target extends Listening {
  readonly connections: number;
  /** Bodies that each connection sends over and over, a list for each. */
  readonly bodies: readonly (readonly string[])[];
}

export type Bound = { readonly seconds: number } | { readonly amount: number };

const SAMPLE_MS = 50;

/** Puts a server under load, and looks at every reply. */
export async function shoot({ port, headers, connections, bodies }: Target, bound: Bound): Promise<Shots> {
  let connection = 0;
  let firsts = 0;
  let lasts = 0;
  let wrong = '';
  let received = 0;
  const times: number[] = [];
  let startedAt = 0;
  let endedAt = 0;
  const result = await fire(
    {
      url: `http://127.0.0.1:${port}/mcp`,
      method: 'POST',
      headers: { ...headersFor('tools/call', TOOL), ...headers },
      connections,
      sampleInt: SAMPLE_MS,
      timeout: 10,
      ...('seconds' in bound ? { duration: bound.seconds } : { amount: bound.amount }),
      setupClient(client) {
        const own = bodies[connection++ % bodies.length] ?? [];
        client.setRequests(own.map((body) => ({ body })));
      },
      verifyBody(body) {
        const text = String(body);
        if (isFirstReply(text)) firsts += 1;
        else if (isLastReply(text)) lasts += 1;
        else wrong ||= text.slice(0, 500);
        return wrong === '';
      },
    },
    (running) => {
      running.on('start', () => {
        startedAt = performance.now();
      });
      running.on('response', (_client, _status, bytes, milliseconds) => {
        received += bytes;
        times.push(milliseconds);
        endedAt = performance.now();
      });
    },
  );
  const problems: string[] = [];
  if (result.non2xx > 0) problems.push(`${result.non2xx} replies with another status than 2xx`);
  if (result.errors > 0) problems.push(`${result.errors} errors, ${result.timeouts} of them time-outs`);
  if (result.mismatches > 0 || wrong !== '') problems.push(`${result.mismatches} wrong replies: ${wrong}`);
  if (times.length === 0) return { ...NOTHING, problems: [...problems, 'no reply at all'] };
  return {
    requests: times.length,
    perSecond: times.length / ((endedAt - startedAt) / 1000),
    p50Ms: percentile(times, 0.5),
    p99Ms: percentile(times, 0.99),
    firsts,
    lasts,
    replyBytes: received / times.length,
    problems,
  };
}

const NOTHING = { requests: 0, perSecond: 0, p50Ms: 0, p99Ms: 0, firsts: 0, lasts: 0, replyBytes: 0 };

function fire(options: autocannon.Options, watch: (running: autocannon.Instance) => void): Promise<autocannon.Result> {
  return new Promise((resolve, reject) => {
    watch(
      autocannon(options, (error: unknown, result) => {
        if (error === null || error === undefined) resolve(result);
        else reject(new Error('autocannon failed', { cause: error }));
      }),
    );
  });
}
