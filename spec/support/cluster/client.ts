/** The body of a reply, with the members that the tests look at. */
export interface Reply {
  readonly result?: {
    readonly resultType: string;
    readonly inputRequests?: Readonly<Record<string, unknown>>;
    readonly requestState?: string;
    readonly content?: readonly { readonly text: string }[];
  };
  readonly error?: { readonly code: number; readonly message: string; readonly data?: { readonly reason?: string } };
}

/** One HTTP reply. */
export interface Answered {
  readonly status: number;
  readonly node: string;
  /** On a 502 of the proxy. */
  readonly lost: string | null;
  readonly reply: Reply;
}

const META = {
  'io.modelcontextprotocol/protocolVersion': '2026-07-28',
  'io.modelcontextprotocol/clientCapabilities': { elicitation: {} },
};

/** Calls a tool, once. Rejects when the connection breaks. */
export async function post(url: string, name: string, params: object, signal?: AbortSignal): Promise<Answered> {
  const response = await fetch(url, {
    method: 'POST',
    headers: {
      'content-type': 'application/json',
      accept: 'application/json, text/event-stream',
      'mcp-protocol-version': '2026-07-28',
      'mcp-method': 'tools/call',
      'mcp-name': name,
    },
    body: JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tools/call', params: { name, _meta: META, ...params } }),
    ...(signal !== undefined && { signal }),
  });
  const { status, headers } = response;
  const text = await response.text();
  const reply = (text === '' ? {} : JSON.parse(text)) as Reply;
  return { status, node: headers.get('x-node') ?? '', lost: headers.get('x-lost'), reply };
}

export function textOf({ reply }: Answered): string | undefined {
  return reply.result?.content?.[0]?.text;
}
