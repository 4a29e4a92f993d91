import { KEY, SENTINELS, type Expectation } from './input.js';
import { judge, outcomeOf } from './oracle.js';
import { parse, type Exchange } from './wire.js';

const DOCUMENT = {
  jsonrpc: '2.0',
  id: 1,
  method: 'tools/call',
  params: { name: 'pay', _meta: { 'io.modelcontextprotocol/protocolVersion': '2026-07-28' } },
};
const SOUND: Expectation = {
  mount: '/bare',
  http: 'sound',
  large: false,
  astray: false,
  method: 'POST',
  user: 'ann',
  document: DOCUMENT,
  mayTransfer: false,
};
const ODD: Expectation = { ...SOUND, http: 'odd' };
const FAULTY: Expectation = { ...SOUND, document: { ...DOCUMENT, params: { ...DOCUMENT.params, name: 'fault-junk' } } };

const COMPLETE = '{"jsonrpc":"2.0","id":1,"result":{"resultType":"complete","content":[]}}';
const ASK =
  '{"jsonrpc":"2.0","id":1,"result":{"resultType":"input_required","inputRequests":{},"requestState":"mrtr1.abcdef.AA"}}';
const INTERNAL = '{"jsonrpc":"2.0","id":1,"error":{"code":-32603,"message":"Internal error."}}';
const BARE = 'HTTP/1.1 400 Bad Request\r\nConnection: close\r\n\r\n';

function http(body: string, status = 200, headers: Record<string, string> = {}): string {
  const all = { 'Content-Type': 'application/json', 'Content-Length': String(Buffer.byteLength(body)), ...headers };
  const lines = Object.entries(all).map(([name, value]) => `${name}: ${value}`);
  return `HTTP/1.1 ${status} X\r\n${lines.join('\r\n')}\r\n\r\n${body}`;
}

function came(text: string, ms = 3): Exchange {
  const { replies, rest } = parse(Buffer.from(text));
  return rest > 0 ? { kind: 'garbled', received: text, ms } : { kind: 'replied', replies, ms };
}

const events = (...data: string[]): string =>
  http(data.map((each) => `event: message\ndata: ${each}\n\n`).join(''), 200, { 'Content-Type': 'text/event-stream' });

describe('the oracle of the fuzz run', () => {
  it.each<[string, Expectation, string]>([
    ['a result', SOUND, http(COMPLETE)],
    ['an ask that nobody may cache', SOUND, http(ASK, 200, { 'Cache-Control': 'no-store' })],
    ['a refusal', SOUND, http('{"jsonrpc":"2.0","error":{"code":-32600,"message":"No."}}', 400)],
    ['a fault that the app declared', FAULTY, http(INTERNAL)],
    ['a fault of the principal', { ...SOUND, user: '!fail' }, http(INTERNAL, 500)],
    ['a stream', SOUND, events('{"jsonrpc":"2.0","method":"notifications/progress"}', COMPLETE)],
    ['a stream whose text holds a line separator', SOUND, events(COMPLETE.replace('[]', '["\u2028"]'))],
    ['an accepted notification', SOUND, 'HTTP/1.1 202 Accepted\r\nContent-Length: 0\r\n\r\n'],
    ["Node's refusal of broken HTTP", ODD, BARE],
    ["Node's refusal of what follows", ODD, http(COMPLETE) + BARE],
    ['what stands behind', { ...SOUND, mount: '/behind' }, http('{"behind":true}', 404, { 'x-behind': '1' })],
  ])('accepts %s', (_name, expectation, text) => {
    expect(judge(expectation, came(text))).toEqual([]);
  });

  it.each<[string, Expectation, string, string]>([
    ['HTML', SOUND, http('<!DOCTYPE html><html></html>', 400, { 'Content-Type': 'text/html' }), 'it shows HTML'],
    ['another content type', SOUND, http(COMPLETE, 200, { 'Content-Type': 'text/plain' }), 'content type text/plain'],
    ['a stack', SOUND, http(COMPLETE.replace('[]', '"x\\n    at f (a:1)"')), 'it shows a stack'],
    ['a path', SOUND, http(COMPLETE.replace('[]', '"node_modules"')), 'it shows a path'],
    ['a key', SOUND, http(COMPLETE.replace('[]', JSON.stringify(KEY))), 'it shows a key'],
    ['a secret', SOUND, http(COMPLETE.replace('[]', JSON.stringify(SENTINELS[0]))), 'it shows a secret'],
    ['a secret in a header', SOUND, http(COMPLETE, 200, { 'X-Why': SENTINELS[1] }), 'it shows a secret'],
    ['a fault nobody declared', SOUND, http(INTERNAL), '-32603 without a declared fault'],
    ['HTTP 500', FAULTY, http(INTERNAL, 500), 'status 500 without a declared fault'],
    ['an unknown status', SOUND, http(COMPLETE, 418), 'status 418'],
    [
      'an error with an unknown code',
      SOUND,
      http(INTERNAL.replace('-32603', '-32002')),
      'error {"code":-32002,"message":"Internal error."}',
    ],
    ['a result on another status', SOUND, http(COMPLETE, 400), 'a result with status 400'],
    ['another protocol', SOUND, http(COMPLETE.replace('2.0', '1.0')), 'a message is not JSON-RPC 2.0'],
    [
      'result and error at once',
      SOUND,
      http(COMPLETE.replace('"result"', '"error":1,"result"')),
      'a message is not one of notification, result and error',
    ],
    ['the id of another request', SOUND, http(COMPLETE.replace('"id":1', '"id":2')), 'it answers id 2 instead of 1'],
    ['a result without type', SOUND, http(COMPLETE.replace('"resultType":"complete",', '')), 'resultType undefined'],
    [
      'a state that nobody sealed',
      SOUND,
      http(ASK.replace('mrtr1.', ''), 200, { 'Cache-Control': 'no-store' }),
      'an ask without sealed state',
    ],
    ['an ask that may be cached', SOUND, http(ASK), 'an ask that may be cached'],
    ['no JSON', SOUND, http('{"jsonrpc":'), 'the body is not JSON-RPC'],
    ['no body', SOUND, http(''), 'status 200 without a body'],
    ['a body that breaks off', SOUND, http(COMPLETE, 200, { 'Content-Length': '9999' }), 'the reply has no end'],
    ['two replies', SOUND, http(COMPLETE) + http(COMPLETE), 'another reply, 200, came behind the first'],
    [
      'another reply after broken HTTP',
      ODD,
      http(COMPLETE) + http(COMPLETE),
      'another reply, 200, came behind the first',
    ],
    ['a refusal by Node of sound HTTP', SOUND, BARE, 'Node refused sound HTTP with 400'],
    [
      'an event after the response',
      SOUND,
      events(COMPLETE, '{"jsonrpc":"2.0","method":"x"}'),
      'something follows the response',
    ],
    [
      'a stream without response',
      SOUND,
      events('{"jsonrpc":"2.0","method":"x"}'),
      'the stream ended without a response',
    ],
    ['a request passed on', SOUND, http('{"behind":true}', 404, { 'x-behind': '1' }), '/bare passed a request on'],
    ['something else than HTTP', ODD, 'Hello.', 'the reply is not HTTP'],
    [
      'another outcome than before',
      { ...SOUND, outcome: 'input_required' },
      http(COMPLETE),
      'untouched, it gets "complete" instead of "input_required"',
    ],
  ])('flags %s', (_name, expectation, text, problem) => {
    expect(judge(expectation, came(text))).toContain(problem);
  });

  it('flags silence, lateness, and a connection that ends', () => {
    expect(judge(SOUND, { kind: 'silent', received: '', ms: 2001 })).toEqual(['no complete reply within 2000 ms']);
    expect(judge(ODD, { kind: 'silent', received: '', ms: 2001 })).toEqual(['no complete reply within 2000 ms']);
    expect(judge(SOUND, came(http(COMPLETE), 2300))).toEqual(['the reply took 2300 ms']);
    expect(judge(SOUND, { kind: 'closed', ms: 1 })).toEqual(['the connection ended without a reply']);
    expect(judge(ODD, { kind: 'closed', ms: 1 })).toEqual([]);
    expect(judge({ ...SOUND, http: 'gone' }, { kind: 'closed', ms: 1 })).toEqual([]);
    expect(judge({ ...SOUND, large: true }, { kind: 'closed', ms: 1 })).toEqual([]);
  });

  it('tells outcomes apart', () => {
    expect([http(COMPLETE), http(INTERNAL), events(COMPLETE), BARE].map((text) => outcomeOf(came(text)))).toEqual([
      'complete',
      '200 -32603',
      'complete (stream)',
      '400 of Node',
    ]);
  });
});
