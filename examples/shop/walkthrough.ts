export interface Step {
  readonly says: string;
  /** One line of shell that needs nothing but curl and node. */
  readonly line: string;
}

const META = {
  'io.modelcontextprotocol/protocolVersion': '2026-07-28',
  'io.modelcontextprotocol/clientCapabilities': { elicitation: {} },
};
const CALL = { name: 'refund', arguments: { orderId: 'A-1' }, _meta: META };
const ANSWER = { confirm: { action: 'accept', content: { reason: 'It does not ring.' } } };

/** Both rounds of `refund`, and what another user gets out of the first one's state, as lines to paste into a shell. */
export function walkthrough(url: string, tokens: { readonly ann: string; readonly bob: string }): readonly Step[] {
  const first = quoted({ jsonrpc: '2.0', id: 1, method: 'tools/call', params: CALL });
  const retry = quoted({
    jsonrpc: '2.0',
    id: 2,
    method: 'tools/call',
    params: { ...CALL, inputResponses: ANSWER, requestState: '$STATE' },
  }).replace('$STATE', `'"$STATE"'`);
  return [
    { says: 'The token of each user:', line: `ANN=${tokens.ann}` },
    { says: '', line: `BOB=${tokens.bob}` },
    {
      says: 'Round 1: Ann asks for a refund and gets a question and a state.',
      line: `REPLY=$(${curl(url, 'ANN', first)})`,
    },
    { says: '', line: `printf '%s\\n' "$REPLY"` },
    { says: '', line: `STATE=$(node -pe 'JSON.parse(process.argv[1]).result.requestState' "$REPLY")` },
    { says: 'Bob tries to answer in her place: the state is not his.', line: curl(url, 'BOB', retry) },
    { says: 'Round 2: Ann answers, and the refund is made.', line: curl(url, 'ANN', retry) },
  ];
}

function curl(url: string, user: 'ANN' | 'BOB', body: string): string {
  const headers = [
    `"authorization: Bearer $${user}"`,
    `'content-type: application/json'`,
    `'accept: application/json, text/event-stream'`,
    `'mcp-protocol-version: 2026-07-28'`,
    `'mcp-method: tools/call'`,
    `'mcp-name: refund'`,
  ];
  return `curl -sS -w '\\n' ${url} ${headers.map((header) => `-H ${header}`).join(' ')} -d ${body}`;
}

/** JSON as one word of a shell; none of it holds an apostrophe. */
function quoted(body: object): string {
  return `'${JSON.stringify(body)}'`;
}
