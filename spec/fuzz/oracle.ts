import { isObject, jsonOf, memberOf, SENTINELS, type Expectation } from './input.js';
import type { Exchange, Reply } from './wire.js';

/**
 * What holds for every reply, whatever was sent:
 *
 * 1. It comes, whole, within 2 s, and it is one.
 * 2. It is JSON-RPC 2.0 in `application/json` or `text/event-stream`, or an empty 202, or Node's own refusal of broken HTTP.
 * 3. Status and error code are among those that MCP and this package know. -32603 is for declared faults, 500 for a
 *    principal that cannot be told.
 * 4. It answers the id that was sent.
 * 5. It shows no HTML, stack, path, key or secret.
 * 6. A request that nobody touched gets what it got when the corpus was built.
 */

export const TIMEOUT_MS = 2000;

/** Replies that Node gives by itself, before any application is asked. */
const BARE =
  /^HTTP\/1\.1 (400 Bad Request|413 Payload Too Large|417 Expectation Failed|431 Request Header Fields Too Large)\r\n/;
const BARE_HEADERS = new Set(['connection', 'keep-alive', 'date', 'transfer-encoding']);

const STATUSES: ReadonlySet<number> = new Set([200, 202, 400, 401, 403, 404, 405, 406, 413, 415, 500]);
const CODES: ReadonlySet<unknown> = new Set([-32700, -32600, -32601, -32602, -32603, -32000, -32020, -32021, -32022]);
const STATE = /^mrtr1\.[\w-]{6}\.[\w-]+$/;
const BEHIND = '{"behind":true}';
/** From here on the answers may make a state that is too large to seal. */
const LARGE_ANSWERS = 20_000;

const LEAKS: readonly (readonly [string, RegExp])[] = [
  ['HTML', /<(!doctype|html|pre|body)\b/i],
  ['a stack', /\n\s+at |\bat (async )?[\w.<>]+ \(|(Type|Range|Syntax|Reference)Error\b/],
  ['a path', /node_modules|\/(lib|spec|dist|src)\/[\w-]+|\.(ts|js|mjs):\d+|file:\/\/\/(?!work)/],
  ['a key', /mrtrk_/],
  ['a secret', new RegExp(SENTINELS.join('|'))],
];

/** Everything that is wrong with what came back for an input; empty when nothing is. */
export function judge(expectation: Expectation, exchange: Exchange): string[] {
  const { http } = expectation;
  switch (exchange.kind) {
    case 'silent':
      return http === 'gone' ? [] : [`no complete reply within ${TIMEOUT_MS} ms`];
    case 'garbled':
      return ['the reply is not HTTP'];
    case 'closed':
      return http === 'sound' && !expectation.large ? ['the connection ended without a reply'] : [];
    case 'replied': {
      if (http === 'gone') return [];
      const [reply, ...others] = exchange.replies;
      if (reply === undefined) return ['the reply is not HTTP'];
      const surplus = others.filter((other) => http === 'sound' || !isBare(other));
      return [
        ...(exchange.ms > TIMEOUT_MS ? [`the reply took ${Math.round(exchange.ms)} ms`] : []),
        ...surplus.map(({ status }) => `another reply, ${status}, came behind the first`),
        ...judgeReply(expectation, reply),
        ...judgeOutcome(expectation, exchange),
      ];
    }
  }
}

/** The class of an exchange, for counting and for comparison with an unmutated one. */
export function outcomeOf(exchange: Exchange): string {
  const reply = exchange.kind === 'replied' ? exchange.replies[0] : undefined;
  if (reply === undefined) return exchange.kind;
  if (isBare(reply)) return `${reply.status} of Node`;
  if (reply.body === BEHIND) return 'passed on';
  const messages = messagesOf(reply);
  const last = messages?.at(-1);
  if (last === undefined) return `${reply.status} ${reply.body === '' ? 'empty' : 'unreadable'}`;
  const result = memberOf(last, 'result');
  const stream = isStream(reply) ? ' (stream)' : '';
  if (memberOf(last, 'method') !== undefined) return `open stream`;
  if (result === undefined) {
    const reason = memberOf(last, 'error', 'data', 'reason');
    const code = String(memberOf(last, 'error', 'code'));
    return `${reply.status} ${code}${typeof reason === 'string' ? ` ${reason}` : ''}${stream}`;
  }
  const type = memberOf(result, 'resultType');
  return `${typeof type === 'string' ? type : 'earlier revision'}${memberOf(result, 'isError') === true ? ', isError' : ''}${stream}`;
}

function judgeReply(expectation: Expectation, reply: Reply): string[] {
  const { http, astray, mount, method } = expectation;
  const leaks = LEAKS.filter(([, pattern]) => pattern.test(`${reply.head}\n${reply.body}`)).map(
    ([what]) => `it shows ${what}`,
  );
  if (isBare(reply)) return http === 'sound' ? [`Node refused sound HTTP with ${reply.status}`] : leaks;
  if (reply.body === BEHIND && reply.headers.get('x-behind') === '1') {
    return astray || mount === '/behind' ? leaks : [`${mount} passed a request on`];
  }
  const problems = [...leaks];
  if (!STATUSES.has(reply.status)) problems.push(`status ${reply.status}`);
  if (reply.status === 500 && !isPrincipalFault(expectation)) problems.push('status 500 without a declared fault');
  if (method === 'HEAD') return problems;
  if (reply.body === '')
    return reply.status === 202 ? problems : [...problems, `status ${reply.status} without a body`];
  const type = reply.headers.get('content-type');
  if (type !== 'application/json' && type !== 'text/event-stream') problems.push(`content type ${type ?? 'missing'}`);
  const messages = messagesOf(reply);
  if (messages === undefined || messages.length === 0) return [...problems, 'the body is not JSON-RPC'];
  if (!reply.complete && !mayStream(expectation.document)) problems.push('the reply has no end');
  messages.forEach((message, at) => {
    problems.push(...judgeMessage(expectation, reply, message, at === messages.length - 1));
  });
  return problems;
}

function judgeMessage(expectation: Expectation, reply: Reply, message: unknown, isLast: boolean): string[] {
  if (!isObject(message) || message['jsonrpc'] !== '2.0') return ['a message is not JSON-RPC 2.0'];
  const { method, result, error } = message;
  const kinds = [method, result, error].filter((member) => member !== undefined).length;
  if (kinds !== 1) return ['a message is not one of notification, result and error'];
  if (method !== undefined) {
    const open = isLast && reply.complete && !mayStream(expectation.document);
    return [
      ...(isStream(reply) ? [] : ['a notification is no reply']),
      ...(open ? ['the stream ended without a response'] : []),
    ];
  }
  const { document } = expectation;
  const problems = isLast || Array.isArray(document) ? [] : ['something follows the response'];
  const id = message['id'] ?? null;
  const sent = memberOf(document, 'id') ?? null;
  if (!Array.isArray(document) && (result !== undefined || id !== null) && id !== sent) {
    problems.push(`it answers id ${JSON.stringify(id)} instead of ${JSON.stringify(sent)}`);
  }
  return [
    ...problems,
    ...(error !== undefined ? judgeError(expectation, error) : judgeResult(expectation, reply, result)),
  ];
}

function judgeError(expectation: Expectation, error: unknown): string[] {
  const code = memberOf(error, 'code');
  if (!CODES.has(code) || typeof memberOf(error, 'message') !== 'string') return [`error ${JSON.stringify(error)}`];
  if (code !== -32603 || isDeclaredFault(expectation) || isPrincipalFault(expectation)) return [];
  // The SDK checks the messages of an earlier revision's batch one by one, and takes their faults for its own.
  if (Array.isArray(expectation.document)) return [];
  if (expectation.mount === '/once' && memberOf(error, 'data', 'reason') === 'request_in_flight') return [];
  return ['-32603 without a declared fault'];
}

function judgeResult(expectation: Expectation, reply: Reply, result: unknown): string[] {
  if (!isObject(result)) return ['the result is no object'];
  const { resultType } = result;
  if (reply.status !== 200) return [`a result with status ${reply.status}`];
  if (!isModern(expectation.document)) return resultType === undefined ? [] : [`resultType for an earlier revision`];
  switch (resultType) {
    case 'complete':
      return result['requestState'] === undefined ? [] : ['a state beside a complete result'];
    case 'input_required': {
      const { requestState, inputRequests } = result;
      const sealed = typeof requestState === 'string' && STATE.test(requestState) && isObject(inputRequests);
      const kept = reply.headers.get('cache-control') !== 'no-store';
      return [...(sealed ? [] : ['an ask without sealed state']), ...(kept ? ['an ask that may be cached'] : [])];
    }
    default:
      return [`resultType ${JSON.stringify(resultType)}`];
  }
}

function judgeOutcome({ outcome }: Expectation, exchange: Exchange): string[] {
  const actual = outcomeOf(exchange);
  return outcome === undefined || outcome === actual ? [] : [`untouched, it gets "${actual}" instead of "${outcome}"`];
}

function isBare(reply: Reply): boolean {
  return (
    BARE.test(`${reply.head}\r\n`) &&
    reply.body === '' &&
    [...reply.headers.keys()].every((name) => BARE_HEADERS.has(name))
  );
}

function isStream(reply: Reply): boolean {
  return reply.headers.get('content-type') === 'text/event-stream';
}

/** The messages of a reply; `undefined` when some text in it is none. */
function messagesOf(reply: Reply): unknown[] | undefined {
  const texts = isStream(reply)
    ? // Only CR and LF end a line of an event stream; `.` and `$` would also stop at U+2028, which JSON text may hold.
      [...reply.body.matchAll(/(?:^|\n)data: ?([^\r\n]+)/g)].map(([, text = '']) => text)
    : [reply.body];
  try {
    return texts.map((text) => JSON.parse(text) as unknown).flat(1);
  } catch {
    return undefined;
  }
}

/** Whether a request may be answered by a stream that stays open. */
export function mayStream(document: unknown): boolean {
  return memberOf(document, 'method') === 'subscriptions/listen';
}

function isModern(document: unknown): boolean {
  return memberOf(document, 'params', '_meta', 'io.modelcontextprotocol/protocolVersion') === '2026-07-28';
}

/** The app names what fails by the server's fault; and a client may answer more than a state can hold. */
function isDeclaredFault({ document }: Expectation): boolean {
  const messages: unknown[] = Array.isArray(document) ? document : [document];
  return messages.some((message) => {
    const targets = [memberOf(message, 'params', 'name'), memberOf(message, 'params', 'uri')];
    const answers = memberOf(message, 'params', 'inputResponses');
    return (
      targets.some((target) => typeof target === 'string' && target.includes('fault')) ||
      (jsonOf(answers)?.length ?? 0) > LARGE_ANSWERS
    );
  });
}

function isPrincipalFault({ user }: Expectation): boolean {
  return user === '!fail' || (user !== undefined && user.length > 1024);
}
