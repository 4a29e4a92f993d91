/** What of a round's result this example looks at. */
export interface Round {
  readonly requestState?: string;
  readonly inputRequests?: Readonly<Record<string, { readonly params: { readonly message: string } }>>;
  readonly content?: readonly { readonly text: string }[];
}

const META = {
  'io.modelcontextprotocol/protocolVersion': '2026-07-28',
  'io.modelcontextprotocol/clientCapabilities': { elicitation: {} },
};

/** Calls `transfer` at a node; with the round before, agrees to everything that it asked. */
export async function transferAt(url: string, before: Round = {}): Promise<Round> {
  const yes = { action: 'accept', content: { confirm: true } };
  const answers = Object.keys(before.inputRequests ?? {}).map((key) => [key, yes] as const);
  const params = {
    name: 'transfer',
    _meta: META,
    ...(before.requestState !== undefined && {
      requestState: before.requestState,
      inputResponses: Object.fromEntries(answers),
    }),
  };
  const response = await fetch(url, {
    method: 'POST',
    headers: {
      'content-type': 'application/json',
      accept: 'application/json, text/event-stream',
      'mcp-protocol-version': '2026-07-28',
      'mcp-method': 'tools/call',
      'mcp-name': 'transfer',
    },
    body: JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tools/call', params }),
  });
  const { result, error } = (await response.json()) as { result?: Round; error?: { message: string } };
  if (result === undefined) throw new Error(error?.message);
  return result;
}

/** The question of a round, or its text. */
export function said({ inputRequests = {}, content = [] }: Round): string {
  const [question] = Object.values(inputRequests);
  return question?.params.message ?? content[0]?.text ?? '';
}

/** The id of the key that a round's state was sealed under: readable for everybody, and no secret. */
export function keyIdOf({ requestState }: Round): string | undefined {
  return requestState?.split('.')[1];
}
