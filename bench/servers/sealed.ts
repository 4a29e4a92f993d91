import { createCipheriv, createDecipheriv, randomBytes } from 'node:crypto';
import type { ServerResponse } from 'node:http';
import { questionFor, REQUESTED_SCHEMA, resultFor, SERVER, TOOL, TTL_SECONDS } from '../wire.js';

/**
 * The floor: the work that nobody can leave out who keeps the state of this flow with the client. It seals with AES-256-GCM
 * under 12 random bytes, opens, compares the arguments and the time, looks at the answer, and replies with the same JSON and
 * headers. It checks no headers, capabilities, schemas, principals or forms.
 */

const KEY = Buffer.alloc(32, 7).fill(9, 16);
const NONCE_BYTES = 12;
const TAG_BYTES = 16;
/** Makes the state as long as that of the servers that are compared with this one. */
const FILLER = 'x'.repeat(207);

interface State {
  readonly orderId: string;
  readonly issuedAt: number;
  readonly filler: string;
}

interface Body {
  readonly id: number;
  readonly params: {
    readonly name: string;
    readonly arguments: { readonly orderId: string };
    readonly requestState?: string;
    readonly inputResponses?: {
      readonly confirm?: { readonly action: string; readonly content: { readonly reason: string } };
    };
  };
}

function seal(state: State): string {
  const nonce = randomBytes(NONCE_BYTES);
  const cipher = createCipheriv('aes-256-gcm', KEY, nonce);
  const sealed = cipher.update(JSON.stringify(state), 'utf8');
  cipher.final();
  return Buffer.concat([nonce, sealed, cipher.getAuthTag()]).toString('base64url');
}

function unseal(token: string): State {
  const bytes = Buffer.from(token, 'base64url');
  const decipher = createDecipheriv('aes-256-gcm', KEY, bytes.subarray(0, NONCE_BYTES), { authTagLength: TAG_BYTES });
  decipher.setAuthTag(bytes.subarray(-TAG_BYTES));
  const text = decipher.update(bytes.subarray(NONCE_BYTES, -TAG_BYTES)).toString();
  decipher.final();
  return JSON.parse(text) as State;
}

const META = { 'io.modelcontextprotocol/serverInfo': SERVER };

/** Answers a parsed request of either round. */
export function answerSealed(body: unknown, res: ServerResponse): void {
  const { id, params } = body as Body;
  const { orderId } = params.arguments;
  if (params.name !== TOOL) return refuse(res);
  if (params.requestState === undefined) {
    const params = { mode: 'form', message: questionFor(orderId), requestedSchema: REQUESTED_SCHEMA };
    const result = {
      resultType: 'input_required',
      inputRequests: { confirm: { method: 'elicitation/create', params } },
      requestState: seal({ orderId, issuedAt: Date.now(), filler: FILLER }),
      _meta: META,
    };
    return reply(res, id, result, { 'Cache-Control': 'no-store' });
  }
  let state: State;
  try {
    state = unseal(params.requestState);
  } catch {
    return refuse(res);
  }
  const answer = params.inputResponses?.confirm;
  if (state.orderId !== orderId || Date.now() > state.issuedAt + TTL_SECONDS * 1000 || answer?.action !== 'accept') {
    return refuse(res);
  }
  const content = [{ type: 'text', text: resultFor(orderId, answer.content.reason) }];
  return reply(res, id, { resultType: 'complete', content, _meta: META });
}

export function refuse(res: ServerResponse): void {
  res.writeHead(400).end();
}

function reply(res: ServerResponse, id: number, result: object, headers: Readonly<Record<string, string>> = {}): void {
  const text = JSON.stringify({ jsonrpc: '2.0', id, result });
  res.writeHead(200, { ...headers, 'Content-Type': 'application/json', 'Content-Length': Buffer.byteLength(text) });
  res.end(text);
}
