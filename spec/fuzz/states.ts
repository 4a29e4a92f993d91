import { isDeepStrictEqual } from 'node:util';
import { isObject, jsonOf, memberOf, type Mount } from './input.js';

/** A state that the app handed out, and to which call. */
export interface Issued {
  readonly state: string;
  readonly mount: Mount;
  readonly user: string;
  readonly method: string;
  readonly params: Record<string, unknown>;
  /** The questions that it leaves open. */
  readonly requests: Readonly<Record<string, unknown>>;
}

/** All states that the app handed out to well-behaved clients: what is not among them is forged. */
export class States {
  readonly #issued = new Map<string, Issued>();

  /** Takes note of the ask in a reply, if it is one. */
  note(mount: Mount, user: string, request: unknown, reply: unknown): Issued | undefined {
    const state = memberOf(reply, 'result', 'requestState');
    const requests = memberOf(reply, 'result', 'inputRequests');
    const method = memberOf(request, 'method');
    const params = memberOf(request, 'params');
    if (typeof state !== 'string' || typeof method !== 'string' || !isObject(requests) || !isObject(params)) {
      return undefined;
    }
    const issued = { state, mount, user, method, params, requests };
    this.#issued.set(state, issued);
    return issued;
  }

  /**
   * Whether a request may lead to a transfer: a state of this very call, presented by its user on its mount, that leaves
   * the question `go` open, with a yes to it.
   */
  mayTransfer(mount: Mount, user: string | undefined, document: unknown): boolean {
    const state = memberOf(document, 'params', 'requestState');
    const issued = typeof state === 'string' ? this.#issued.get(state) : undefined;
    if (issued === undefined || issued.mount !== mount || issued.user !== user) return false;
    const params = memberOf(document, 'params');
    return (
      memberOf(document, 'method') === issued.method &&
      isDeepStrictEqual(salient(issued.method, params), salient(issued.method, issued.params)) &&
      Object.hasOwn(issued.requests, 'go') &&
      memberOf(params, 'inputResponses', 'go', 'action') === 'accept' &&
      memberOf(params, 'inputResponses', 'go', 'content', 'confirm') === true
    );
  }
}

/**
 * What makes two requests of one method the same call; everything else may change. By way of JSON, so that -0 is 0;
 * `undefined` when that nests too deeply.
 */
function salient(method: string, params: unknown): unknown {
  const name = [memberOf(params, 'name'), memberOf(params, 'arguments') ?? {}];
  const text = jsonOf(method === 'resources/read' ? memberOf(params, 'uri') : name);
  return text === undefined ? undefined : (JSON.parse(text) as unknown);
}
