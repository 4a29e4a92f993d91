import { answersTo } from './answers.js';
import { isObject, memberOf, type Header, type Mount, type Seed } from './input.js';
import { outcomeOf } from './oracle.js';
import { headersOf, IN_SESSION, INITIALIZE, LEGACY, legacyHeaders, OTHERS, OWNED, type Request } from './requests.js';
import type { States } from './states.js';
import type { Exchange } from './wire.js';

/** Sends a well-formed request and gives back what came. */
export type Ask = (seed: Seed) => Promise<Exchange>;

export interface Corpus {
  readonly seeds: readonly Seed[];
  /** States and answers, to be presented where they do not belong. */
  readonly states: readonly string[];
  readonly answers: readonly unknown[];
}

const USERS = ['ann', 'bob'] as const;
const MAX_ROUNDS = 8;

/** Drives every flow to its end, on every mount, and keeps each request of it. */
export async function buildCorpus(ask: Ask, states: States): Promise<Corpus> {
  const seeds: Seed[] = [];
  for (const mount of ['/bare', '/parsed', '/behind'] as const) {
    for (const user of USERS) {
      for (const request of OWNED) seeds.push(...(await driveFlow(ask, states, mount, user, request)));
    }
    for (const request of OTHERS) seeds.push(await single(ask, mount, request, headersOf(request, 'ann')));
    for (const request of LEGACY) seeds.push(await single(ask, mount, request, legacyHeaders('ann')));
    seeds.push(...(await driveSession(ask, mount)));
    seeds.push(await single(ask, mount, OWNED[0] ?? {}, headersOf(OWNED[0] ?? {}, '!fail')));
  }
  const all = (member: string): unknown[] =>
    seeds.map(({ document }) => memberOf(document, 'params', member)).filter((value) => value !== undefined);
  return {
    seeds,
    states: all('requestState').filter((state) => typeof state === 'string'),
    answers: all('inputResponses'),
  };
}

let lastId = 0;

/** The requests of one flow, from the first to the one that completed it. */
export async function driveFlow(
  ask: Ask,
  states: States,
  mount: Mount,
  user: string,
  request: Request,
  rounds = MAX_ROUNDS,
): Promise<Seed[]> {
  const seeds: Seed[] = [];
  let extra: object = {};
  for (let round = 1; round <= rounds; round += 1) {
    const document = { jsonrpc: '2.0', id: ++lastId, ...request, params: { ...request.params, ...extra } };
    const { seed, exchange } = await first(ask, mount, document, headersOf(request, user), round);
    seeds.push(seed);
    const issued = states.note(mount, user, document, lastMessage(exchange));
    if (issued === undefined) return seeds;
    extra = { requestState: issued.state, inputResponses: answersTo(issued.requests) };
    if (round === rounds) seeds.push(retry(seed, extra));
  }
  return seeds;
}

/** The next round of a flow, not sent yet. */
function retry(seed: Seed, extra: object): Seed {
  const { document } = seed;
  const params = { ...(memberOf(document, 'params') as object), ...extra };
  return { ...seed, name: `${seed.name}, retried`, document: { ...(document as object), params }, outcome: '' };
}

/** The messages of one session of an earlier revision. A mount that serves none of its own has none. */
async function driveSession(ask: Ask, mount: Mount): Promise<Seed[]> {
  const document = { jsonrpc: '2.0', id: ++lastId, ...INITIALIZE };
  const { seed, exchange } = await first(ask, mount, document, legacyHeaders('ann'), 1);
  const session = exchange.kind === 'replied' ? exchange.replies[0]?.headers.get('mcp-session-id') : undefined;
  if (session === undefined) return [seed];
  const headers: Header[] = [
    ...legacyHeaders('ann'),
    ['mcp-session-id', session],
    ['mcp-protocol-version', '2025-11-25'],
  ];
  const seeds = [seed];
  for (const message of IN_SESSION) seeds.push(await single(ask, mount, message, headers));
  return seeds;
}

async function single(ask: Ask, mount: Mount, request: object, headers: Header[]): Promise<Seed> {
  return (await first(ask, mount, { jsonrpc: '2.0', id: ++lastId, ...request }, headers, 1)).seed;
}

async function first(
  ask: Ask,
  mount: Mount,
  document: object,
  headers: Header[],
  round: number,
): Promise<{ seed: Seed; exchange: Exchange }> {
  const target = memberOf(document, 'params', 'name') ?? memberOf(document, 'params', 'uri');
  const name = [mount, memberOf(document, 'method'), target, `round ${round}`].filter(Boolean).join(' ');
  const seed: Seed = { name, mount, headers, document, outcome: '' };
  const exchange = await ask(seed);
  return { seed: { ...seed, outcome: outcomeOf(exchange) }, exchange };
}

/** The JSON-RPC response in an exchange, be it a body or the last event of a stream. */
function lastMessage(exchange: Exchange): unknown {
  const body = exchange.kind === 'replied' ? exchange.replies[0]?.body : undefined;
  const text =
    body?.startsWith('{') === true ? body : [...(body ?? '').matchAll(/(?:^|\n)data: ([^\r\n]*)/g)].at(-1)?.[1];
  const message: unknown = text === undefined ? undefined : JSON.parse(text);
  return isObject(message) ? message : undefined;
}
