export interface Flow {
  readonly payee: string;
  /** Who served each round. */
  readonly nodes: readonly string[];
  /** How often a request was sent again. */
  readonly repeats: number;
  readonly text: string;
}

interface Result {
  readonly inputRequests?: Readonly<Record<string, unknown>>;
  readonly requestState?: string;
  readonly content?: readonly { readonly text: string }[];
}

const META = {
  'io.modelcontextprotocol/protocolVersion': '2026-07-28',
  'io.modelcontextprotocol/clientCapabilities': { elicitation: {} },
};

const MAX_REPEATS = 100;

/** A whole flow: calls `pay` and answers what is asked, until there is a result. */
export async function pay(url: string, token: string, payee: string, amount: number): Promise<Flow> {
  const answers: Readonly<Record<string, object>> = {
    details: { action: 'accept', content: { amount, reference: `invoice ${amount}` } },
    sure: { action: 'accept', content: { confirm: true } },
  };
  const nodes: string[] = [];
  let repeats = 0;
  let more: object = {};
  for (;;) {
    const body = JSON.stringify({
      jsonrpc: '2.0',
      id: nodes.length + 1,
      method: 'tools/call',
      params: { name: 'pay', arguments: { payee }, _meta: META, ...more },
    });
    let response = await post(url, token, body);
    // The same bytes again: under single use a request that was served already gets its recorded result.
    for (; response === undefined; repeats += 1) {
      if (repeats === MAX_REPEATS) throw new Error(`No node has served ${payee} in ${MAX_REPEATS} attempts.`);
      response = await post(url, token, body);
    }
    nodes.push(response.headers.get('x-node') ?? '');
    const text = await response.text();
    const { result } = JSON.parse(text) as { result?: Result };
    if (result === undefined) throw new Error(`${payee}: ${text}`);
    const { inputRequests, requestState, content } = result;
    if (inputRequests === undefined) return { payee, nodes, repeats, text: content?.[0]?.text ?? '' };
    const inputResponses = Object.fromEntries(Object.keys(inputRequests).map((key) => [key, answers[key]]));
    more = { inputResponses, requestState };
  }
}

/** `undefined` when no node has served it, or nobody can tell. */
async function post(url: string, token: string, body: string): Promise<Response | undefined> {
  const headers = {
    authorization: `Bearer ${token}`,
    'content-type': 'application/json',
    accept: 'application/json, text/event-stream',
    'mcp-protocol-version': '2026-07-28',
    'mcp-method': 'tools/call',
    'mcp-name': 'pay',
  };
  const response = await fetch(url, { method: 'POST', headers, body }).catch(() => undefined);
  if (response?.status !== 502) return response;
  await response.text();
  return undefined;
}
