/** The two-round confirmation flow as it goes over the wire: the same for every server. */

export const PROTOCOL = '2026-07-28';
export const SERVER = { name: 'bench', version: '1.0.0' };
export const TOOL = 'refund';
export const REASON = 'It arrived broken.';
export const FIRST_ID = 1;
export const RETRY_ID = 2;
export const TTL_SECONDS = 3600;

export const questionFor = (orderId: string): string => `Refund ${orderId}?`;
export const resultFor = (orderId: string, reason: string): string => `Refunded ${orderId}: ${reason}`;

export const REQUESTED_SCHEMA = {
  type: 'object' as const,
  properties: {
    reason: { type: 'string' as const, maxLength: 200 },
    full: { type: 'boolean' as const, default: true },
  },
  required: ['reason'],
};

const META = {
  'io.modelcontextprotocol/protocolVersion': PROTOCOL,
  'io.modelcontextprotocol/clientInfo': { name: 'bench-client', version: '1.0.0' },
  'io.modelcontextprotocol/clientCapabilities': { elicitation: {} },
};

export function headersFor(method: string, target?: string): Record<string, string> {
  return {
    'content-type': 'application/json',
    accept: 'application/json, text/event-stream',
    'mcp-protocol-version': PROTOCOL,
    'mcp-method': method,
    ...(target !== undefined && { 'mcp-name': target }),
  };
}

export function bodyOf(id: number, method: string, params: Readonly<Record<string, unknown>>): string {
  return JSON.stringify({ jsonrpc: '2.0', id, method, params: { ...params, _meta: META } });
}

/** The first round of a flow. */
export function firstBody(orderId: string): string {
  return bodyOf(FIRST_ID, 'tools/call', { name: TOOL, arguments: { orderId } });
}

/** The second round: the same call with the answer and the state. */
export function retryBody(orderId: string, requestState: string): string {
  const inputResponses = { confirm: { action: 'accept', content: { reason: REASON, full: true } } };
  return bodyOf(RETRY_ID, 'tools/call', { name: TOOL, arguments: { orderId }, inputResponses, requestState });
}

/** Whether a reply is the question. */
export function isFirstReply(body: string): boolean {
  return body.includes('"id":1') && body.includes('"resultType":"input_required"') && body.includes('"requestState":"');
}

/** Whether a reply is the result of a flow. */
export function isLastReply(body: string): boolean {
  return body.includes('"id":2') && body.includes('"resultType":"complete"') && body.includes('"text":"Refunded A-');
}

/** The state that a first round was answered with. */
export function stateOf(body: string): string {
  const parsed = JSON.parse(body) as { result?: { requestState?: unknown } };
  const state = parsed.result?.requestState;
  if (typeof state !== 'string' || !isFirstReply(body)) throw new Error(`No question but ${body.slice(0, 500)}`);
  return state;
}
