import { PassThrough } from 'node:stream';
import type { IncomingMessage } from 'node:http';
import { bodyReader, type BodyReading, type BodyRequest } from '../../lib/hosts/body.js';
import { plainLength } from '../../lib/hosts/plain-body.js';

const LIMIT = 100;
const NO_RESPONSE = {} as never;
const read = bodyReader(LIMIT);
const NOT_JSON = { kind: 'fault', fault: { code: -32700, status: 400 } };

/** A request that declares so many bytes. */
function request(length: string | undefined, headers: Record<string, string> = {}): BodyRequest & PassThrough {
  const stream = new PassThrough({ autoDestroy: false });
  const declared = length === undefined ? {} : { 'content-length': length };
  return Object.assign(stream, { headers: { 'content-type': 'application/json', ...declared, ...headers } }) as never;
}

function start(req: BodyRequest): Promise<BodyReading> {
  return Promise.resolve(read(req, NO_RESPONSE));
}

describe('a body of a declared length', () => {
  it.each<[string, (string | Buffer)[], unknown]>([
    ['in one piece', ['{"a":[1]}'], { a: [1] }],
    [
      'in pieces that cut a character',
      [Buffer.from('"\u00e9').subarray(0, 2), Buffer.from('"\u00e9"').subarray(2)],
      'é',
    ],
    ['that begins with a byte order mark', ['\uFEFF{"a":1}'], { a: 1 }],
    ['that is no object', ['7'], 7],
    ['that is not UTF-8', [Buffer.from([0x22, 0xff, 0x22])], '\uFFFD'],
  ])('is read: %s', async (_title, pieces, body) => {
    const bytes = pieces.map((piece) => Buffer.from(piece));
    const req = request(String(Buffer.concat(bytes).length));
    expect(plainLength(req, LIMIT)).toBe(Buffer.concat(bytes).length);
    const reading = start(req);
    for (const piece of bytes) req.write(piece);
    req.end();
    expect(await reading).toEqual({ kind: 'body', body });
    expect([req.body, req._body]).toEqual([body, true]);
    expect(req.eventNames().filter((name) => ['data', 'aborted'].includes(String(name)))).toEqual([]);
  });

  it.each<[string, string, string]>([
    ['shorter than declared', '5', '{}'],
    ['longer than declared', '2', '{} {}'],
    ['no JSON', '2', '{a'],
    ['a byte order mark twice', '8', '\uFEFF\uFEFF{}'],
  ])('is refused when it is %s', async (_title, length, text) => {
    const req = request(length);
    const reading = start(req);
    req.end(text);
    expect(await reading).toMatchObject(NOT_JSON);
    expect(req.body).toBeUndefined();
  });

  it.each(['aborted', 'close'])('is nobody’s once the request emits %s', async (event) => {
    const req = request('9');
    const reading = start(req);
    req.emit(event);
    expect(await reading).toEqual({ kind: 'gone' });
  });

  it('is refused when the stream fails, and holds on to no listener', async () => {
    const req = request('9');
    const reading = start(req);
    req.emit('error', new Error('broken'));
    expect(await reading).toMatchObject(NOT_JSON);
    expect(req.listenerCount('data') + req.listenerCount('aborted')).toBe(0);
    expect(req.isPaused()).toBe(true);
  });
});

describe('a body that needs a parser', () => {
  it.each<[string, IncomingMessage]>([
    ['none', request('0')],
    ['of no declared length', request(undefined)],
    ['sent in chunks', request(undefined, { 'transfer-encoding': 'chunked' })],
    ['chunked and of a length', request('2', { 'transfer-encoding': 'chunked' })],
    ['compressed', request('2', { 'content-encoding': 'gzip' })],
    ['over the limit', request(String(LIMIT + 1))],
    ['of a length that is none', request('2.5')],
    ['decoded by somebody in front', request('2').setEncoding('utf8')],
  ])('is told: %s', (_title, req) => {
    expect(plainLength(req, LIMIT)).toBeUndefined();
  });
});
