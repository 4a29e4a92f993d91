import { brotliCompressSync, deflateSync, gzipSync } from 'node:zlib';
import { setHeader, type Draft, type Mutator } from './draft.js';
import { TAG } from './input.js';
import { ODD_VALUES } from './values.js';

/** Mutations of bytes, headers and framing. */

const bytes: Mutator = (draft) => {
  const { random, body } = draft;
  if (body.length === 0) return undefined;
  const at = random.below(body.length);
  const [name, changed] = random.pick<() => [string, Buffer]>([
    () => ['a byte changed', Buffer.concat([body.subarray(0, at), random.bytes(1), body.subarray(at + 1)])],
    () => [
      'bytes inserted',
      Buffer.concat([body.subarray(0, at), random.bytes(1 + random.below(8)), body.subarray(at)]),
    ],
    () => ['bytes cut out', Buffer.concat([body.subarray(0, at), body.subarray(at + 1 + random.below(20))])],
    () => ['the end cut off', body.subarray(0, at)],
    () => ['a part repeated', Buffer.concat([body.subarray(0, at), body.subarray(random.below(at + 1))])],
    () => ['no UTF-8', Buffer.concat([body.subarray(0, at), Buffer.from([0xc3, 0x28, 0xff]), body.subarray(at)])],
    () => ['no body', Buffer.alloc(0)],
    () => ['noise', random.bytes(random.below(200))],
  ])();
  draft.body = changed;
  return name;
};

export const BYTE_MUTATIONS: readonly Mutator[] = [bytes];

const encoding: Mutator = (draft) => {
  const { random, body } = draft;
  const [header, encoded] = random.pick<() => [string, Buffer]>([
    () => ['gzip', gzipSync(body)],
    () => ['deflate', deflateSync(body)],
    () => ['br', brotliCompressSync(body)],
    () => ['gzip', body],
    () => ['deflate', random.bytes(50)],
    () => ['br', random.bytes(50)],
    () => ['gzip', gzipSync(body).subarray(0, 1 + random.below(30))],
    () => ['gzip', gzipSync(Buffer.alloc(8 * 1024 * 1024, ' '))],
    () => ['gzip, gzip', gzipSync(gzipSync(body))],
    () => ['zstd', body],
    () => ['identity', body],
    () => ['', body],
    () => ['GZIP', gzipSync(body)],
  ])();
  setHeader(draft, 'content-encoding', header);
  draft.body = encoded;
  return `content-encoding ${JSON.stringify(header)}`;
};

const charset: Mutator = (draft) => {
  const { random, body } = draft;
  const name = random.pick(['utf-16le', 'utf-16', 'utf-32', 'utf-7', 'us-ascii', 'utf-8']);
  setHeader(draft, 'content-type', `application/json; charset=${name}`);
  if (name.startsWith('utf-16')) draft.body = Buffer.from(`\ufeff${body.toString()}`, 'utf16le');
  return `charset ${name}`;
};

const dropHeader: Mutator = ({ headers, random }) => {
  const at = random.below(headers.length);
  const [name = ''] = headers[at] ?? [];
  if (name === TAG) return undefined;
  headers.splice(at, 1);
  return `no ${name}`;
};

const doubleHeader: Mutator = ({ headers, random }) => {
  const [name, value] = random.pick(headers);
  if (name === TAG) return undefined;
  const other = random.chance(0.5) ? value : random.pick(ODD_VALUES);
  headers.splice(random.below(headers.length + 1), 0, [random.pick([name, name.toUpperCase()]), other]);
  return `${name} twice`;
};

const changeHeader: Mutator = ({ headers, random }) => {
  const header = random.pick(headers);
  if (header[0] === TAG) return undefined;
  header[1] = random.pick(ODD_VALUES);
  return `${header[0]}: ${header[1].slice(0, 40)}`;
};

const otherUser: Mutator = (draft) => {
  const user = draft.random.pick(['ann', 'bob', 'ann ', 'Ann', 'ann\u00a0', '']);
  setHeader(draft, 'x-user', user);
  return `user ${JSON.stringify(user)}`;
};

const EXTRA = [
  'origin',
  'mcp-session-id',
  'last-event-id',
  'mcp-param-region',
  'mcp-param-x',
  'cookie',
  'x-forwarded-host',
];

const addHeader: Mutator = ({ headers, random }) => {
  const name = random.pick(EXTRA);
  const value = random.pick(ODD_VALUES);
  headers.push([name, value]);
  return `${name}: ${value.slice(0, 40)}`;
};

const manyHeaders: Mutator = ({ headers, random }) => {
  const count = random.pick([50, 500, 1900]);
  for (let at = 0; at < count; at += 1) headers.push([`x-${at}`, '']);
  return `${count} more headers`;
};

export const HEADER_MUTATIONS: readonly Mutator[] = [
  dropHeader,
  doubleHeader,
  changeHeader,
  changeHeader,
  changeHeader,
  addHeader,
  addHeader,
  manyHeaders,
  otherUser,
  otherUser,
  encoding,
  encoding,
  charset,
];

const method: Mutator = (draft) => {
  draft.method = draft.random.pick([
    'GET',
    'PUT',
    'DELETE',
    'PATCH',
    'OPTIONS',
    'HEAD',
    'TRACE',
    'CONNECT',
    'QUERY',
    'post',
  ]);
  draft.http = 'odd';
  return `method ${draft.method}`;
};

const path: Mutator = (draft) => {
  const { mount, random } = draft;
  draft.path = random.pick([
    `${mount}/`,
    `${mount}//`,
    `${mount}?x=1`,
    `${mount}#x`,
    `${mount}/x`,
    `${mount}/%zz`,
    `${mount}%00`,
    `${mount};x`,
    mount.toUpperCase(),
    `/${mount}`,
    `/x/..${mount}`,
    `http://127.0.0.1${mount}`,
    '*',
    '',
    `${mount}?${'a'.repeat(4000)}`,
  ]);
  draft.http = 'odd';
  draft.astray = true;
  return `path ${draft.path.slice(0, 40)}`;
};

const length: Mutator = (draft) => {
  const { random, body } = draft;
  const size = body.length;
  const lines = random.pick<string[]>([
    [`content-length: ${size + 1 + random.below(50)}`],
    [`content-length: ${Math.max(0, size - 1 - random.below(50))}`],
    ['content-length: 0'],
    ['content-length: -1'],
    ['content-length: 0x10'],
    ['content-length: 99999999999999999999'],
    [`content-length: ${size}`, `content-length: ${size + 1}`],
    [`content-length: ${size}`, 'transfer-encoding: chunked'],
    ['transfer-encoding: gzip'],
    ['transfer-encoding: chunked'],
    [],
  ]);
  draft.framing = lines;
  draft.http = 'odd';
  return `framing ${lines.join(' | ') || 'none'}`;
};

const chunked: Mutator = (draft) => {
  const { random, body } = draft;
  const parts: Buffer[] = [];
  for (let at = 0; at < body.length;) {
    const chunk = body.subarray(at, at + 1 + random.below(300));
    parts.push(Buffer.from(`${chunk.length.toString(16)}\r\n`), chunk, Buffer.from('\r\n'));
    at += chunk.length;
    if (parts.length > 600) {
      parts.push(Buffer.from(`${(body.length - at).toString(16)}\r\n`), body.subarray(at), Buffer.from('\r\n'));
      break;
    }
  }
  const broken = random.chance(0.3);
  parts.push(
    Buffer.from(broken ? random.pick(['', '0', '0\r\n', 'zz\r\n', '-1\r\n\r\n', 'ffffffffffffffff\r\n']) : '0\r\n\r\n'),
  );
  draft.body = Buffer.concat(parts);
  draft.framing = ['transfer-encoding: chunked'];
  if (broken) draft.http = 'odd';
  return broken ? 'chunks without end' : 'chunks';
};

const connection: Mutator = (draft) => {
  const [name, value] = draft.random.pick<[string, string]>([
    ['connection', 'keep-alive'],
    ['connection', 'upgrade'],
    ['expect', '100-continue'],
    ['expect', '200-ok'],
    ['upgrade', 'h2c'],
    ['trailer', 'x'],
  ]);
  setHeader(draft, name, value);
  draft.http = 'odd';
  return `${name}: ${value}`;
};

const old: Mutator = (draft) => {
  draft.protocol = draft.random.pick(['HTTP/1.0', 'HTTP/1.2', 'HTTP/2.0', 'HTTPS/1.1', '']);
  draft.http = 'odd';
  return `protocol ${draft.protocol}`;
};

const leave: Mutator = (draft: Draft) => {
  draft.cut = draft.random.pick([0.2, 0.5, 0.9, 1]);
  draft.http = 'gone';
  return `client leaves after ${draft.cut} of the request`;
};

export const FRAMING_MUTATIONS: readonly Mutator[] = [
  method,
  path,
  length,
  length,
  chunked,
  chunked,
  connection,
  old,
  leave,
  leave,
];
