import { memberOf, VERSION, type Header } from './input.js';

/** The well-formed requests from which flows begin, without their headers. */

const META = {
  'io.modelcontextprotocol/protocolVersion': VERSION,
  'io.modelcontextprotocol/clientCapabilities': {
    elicitation: { form: {}, url: {} },
    sampling: { tools: {} },
    roots: {},
  },
  'io.modelcontextprotocol/clientInfo': { name: 'fuzz', version: '1.0.0' },
};
const TELLING = { progressToken: 'p', 'io.modelcontextprotocol/logLevel': 'debug' };

export interface Request {
  readonly method: string;
  readonly params: Record<string, unknown>;
}

const call = (name: string, args?: unknown): Request => ({
  method: 'tools/call',
  params: { name, ...(args !== undefined && { arguments: args }), _meta: META },
});
const get = (name: string, args?: unknown): Request => ({ ...call(name, args), method: 'prompts/get' });
const read = (uri: string): Request => ({ method: 'resources/read', params: { uri, _meta: META } });
const other = (method: string, params: object = {}): Request => ({ method, params: { ...params, _meta: META } });

/** Calls that this package serves itself. */
export const OWNED: readonly Request[] = [
  call('pay', { amount: 10, to: 'bob' }),
  call('pay', { amount: -1.5 }),
  call('pay-slowly', { amount: 3, to: 'größe 😀' }),
  call('pay-at-once', { n: 1, deep: { b: [1, { c: null }], a: 'x' } }),
  call('pay-by-key', { n: 7, deep: { constructor: 1 } }),
  call('pay-twin'),
  call('ask-client'),
  call('ask-up-front', {}),
  call('ask-swallowed'),
  call('ask-needing-url'),
  call('headers', { region: 'größe', size: 42, nested: { dry: true } }),
  call('headers', { region: '', size: -7 }),
  call('headers', {}),
  call('structured', { n: 1 }),
  { method: 'tools/call', params: { name: 'stream', _meta: { ...META, ...TELLING } } },
  call('slow'),
  call('tells'),
  call('throws'),
  call('throws-late'),
  call('fault-junk'),
  call('fault-cycle'),
  call('fault-output'),
  call('fault-keys'),
  get('pay', { topic: 'x' }),
  get('pay-twin'),
  get('pay größe', {}),
  get('plain'),
  get('fault-prompt'),
  read('fuzz://plain'),
  read('fuzz://fault'),
  read('fuzz://pay/7'),
  read('fuzz://item/a%20b?page=2'),
];

/** Calls that the official SDK answers. */
export const OTHERS: readonly Request[] = [
  other('server/discover'),
  other('tools/list'),
  other('prompts/list'),
  other('resources/list'),
  other('resources/templates/list'),
  other('completion/complete', {
    ref: { type: 'ref/resource', uri: 'fuzz://item/{id}{?page}' },
    argument: { name: 'id', value: '4' },
  }),
  other('subscriptions/listen', { notifications: { toolsListChanged: true } }),
  other('no/such/method'),
  call('no-such-tool', {}),
  read('fuzz://no/such/thing'),
];

/** Messages of the 2025 revisions; the headers are their own, too. */
export const LEGACY: readonly object[] = [
  {
    method: 'initialize',
    params: { protocolVersion: '2025-11-25', capabilities: {}, clientInfo: { name: 'old', version: '1' } },
  },
  { method: 'tools/list', params: {} },
  { method: 'tools/call', params: { name: 'pay', arguments: { amount: 1 } } },
  { method: 'tools/call', params: { name: 'structured', arguments: { n: 1 } } },
  { method: 'tools/call', params: { name: 'throws', arguments: {} } },
  { method: 'tools/call', params: { name: 'fault-cycle', arguments: {} } },
  { method: 'prompts/get', params: { name: 'plain' } },
  { method: 'resources/read', params: { uri: 'fuzz://item/3' } },
  { method: 'ping' },
];

/** Begins a session of which nothing can be asked, so that no call of it waits. */
export const INITIALIZE = {
  method: 'initialize',
  params: { protocolVersion: '2025-11-25', capabilities: {}, clientInfo: { name: 'old', version: '1' } },
};

/** Messages within a session. The last four are no requests: they get no more than a receipt. */
export const IN_SESSION: readonly object[] = [
  { method: 'tools/call', params: { name: 'pay', arguments: { amount: 1 } } },
  { method: 'tools/call', params: { name: 'structured', arguments: { n: 1 }, _meta: { progressToken: 'p' } } },
  { method: 'prompts/get', params: { name: 'plain' } },
  { method: 'resources/read', params: { uri: 'fuzz://item/3' } },
  { method: 'tools/list', params: {} },
  { method: 'logging/setLevel', params: { level: 'debug' } },
  { id: undefined, method: 'notifications/initialized' },
  { id: undefined, method: 'notifications/cancelled', params: { requestId: 1, reason: 'x' } },
  { id: 'elicit-1', result: { action: 'accept', content: { confirm: true } } },
  { id: 7, error: { code: -1, message: 'no' } },
];

/** The headers that this revision wants beside a body. */
export function headersOf(request: object, user: string): Header[] {
  const method = memberOf(request, 'method');
  const target = memberOf(request, 'params', 'name') ?? memberOf(request, 'params', 'uri');
  const args = memberOf(request, 'params', 'arguments');
  const headers: Header[] = [...legacyHeaders(user), ['mcp-protocol-version', VERSION], ['mcp-method', String(method)]];
  if (typeof target === 'string') headers.push(['mcp-name', encoded(target)]);
  for (const [header, value] of [
    ['mcp-param-region', memberOf(args, 'region')],
    ['mcp-param-size', memberOf(args, 'size')],
    ['mcp-param-dry', memberOf(args, 'nested', 'dry')],
  ] as const) {
    if (value !== undefined) headers.push([header, encoded(typeof value === 'string' ? value : JSON.stringify(value))]);
  }
  return headers;
}

export function legacyHeaders(user: string): Header[] {
  return [
    ['host', '127.0.0.1'],
    ['content-type', 'application/json'],
    ['accept', 'application/json, text/event-stream'],
    ['x-user', user],
    ['connection', 'close'],
  ];
}

function encoded(value: string): string {
  return /^[\x21-\x7e]*$/.test(value) ? value : `=?base64?${Buffer.from(value).toString('base64')}?=`;
}
