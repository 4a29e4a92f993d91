import { classifyInboundRequest, type InboundHttpRequest } from '@modelcontextprotocol/server';
import type { Catalog, Target } from '../catalog.js';
import { nestsWithin } from '../protocol/depth.js';
import { aimOf, parseCall, type Call } from '../protocol/parse.js';
import { CODE, isObject, PROTOCOL_VERSION, type Fault, type JsonObject, type RequestId } from '../protocol/wire.js';
import { invalidParams, TOO_DEEP } from './faults.js';
import { sdkParamsFault } from './sdk-params.js';

/** Where one message goes. */
export type Route =
  /** A well-formed call of a registered target. */
  | { readonly kind: 'call'; readonly call: Call; readonly target: Target }
  /** Aimed at a registered target, but without an id, so that nobody waits for a result. */
  | { readonly kind: 'notification' }
  /** Cannot be served as it is. `ours` when it aims at a registered target. */
  | { readonly kind: 'rejected'; readonly ours: boolean; readonly id: RequestId | undefined; readonly fault: Fault }
  /** A message of this revision that the SDK answers. */
  | { readonly kind: 'other' }
  /** A message of an earlier revision. */
  | { readonly kind: 'legacy' };

type Headers = Readonly<Record<string, string | string[] | undefined>>;

const MAX_DEPTH = 256;

/** Decides where a message goes: a strict look of our own first, the SDK's classifier for whatever that does not cover. */
export function routeOf(body: unknown, headers: Headers, catalog: Catalog): Route {
  const call = parseCall(body);
  const target = call && catalog.find(call.method, call.target);
  if (call !== undefined && target !== undefined) return { kind: 'call', call, target };
  const ours = (Array.isArray(body) ? (body as unknown[]) : [body]).some((message) => isAimedAt(message, catalog));
  // The SDK reads, checks and writes messages by recursion.
  if (!nestsWithin(body, MAX_DEPTH)) return { kind: 'rejected', ours, id: idOf(body), fault: TOO_DEEP };
  if (call !== undefined) return forSdk('other', body);
  const outcome = classifyInboundRequest(inbound(body, headers));
  switch (outcome.kind) {
    case 'legacy':
      return forSdk('legacy', body);
    case 'reject':
      return { kind: 'rejected', ours, id: idOf(body), fault: rejectionFault(outcome) };
    case 'modern':
      if (!ours) return forSdk('other', body);
      if (outcome.messageKind === 'notification') return { kind: 'notification' };
      return { kind: 'rejected', ours, id: outcome.message.id, fault: callFault(outcome.classification.revision) };
  }
}

function forSdk(kind: 'other' | 'legacy', body: unknown): Route {
  const fault = sdkParamsFault(kind === 'legacy' ? 'legacy' : 'modern', body);
  return fault === undefined ? { kind } : { kind: 'rejected', ours: false, id: idOf(body), fault };
}

function isAimedAt(message: unknown, catalog: Catalog): boolean {
  const aim = aimOf(message);
  return aim !== undefined && catalog.find(aim.method, aim.target) !== undefined;
}

/** Why the classifier lets a call pass that the strict look did not. */
function callFault(revision: string | undefined): Fault {
  if (revision === PROTOCOL_VERSION)
    return invalidParams('The request is not of the form that this method takes.', 400);
  return {
    code: CODE.unsupportedVersion,
    message: 'Unsupported protocol version.',
    status: 400,
    data: { supported: [PROTOCOL_VERSION], requested: revision ?? 'unknown' },
  };
}

function rejectionFault({
  code,
  message,
  httpStatus,
  data,
}: {
  code: number;
  message: string;
  httpStatus: number;
  data?: unknown;
}): Fault {
  return { code, message, status: httpStatus, ...(isObject(data) && { data: data as JsonObject }) };
}

function inbound(body: unknown, headers: Headers): InboundHttpRequest {
  const protocolVersion = headers['mcp-protocol-version'];
  const method = headers['mcp-method'];
  const name = headers['mcp-name'];
  return {
    httpMethod: 'POST',
    body,
    ...(typeof protocolVersion === 'string' && { protocolVersionHeader: protocolVersion }),
    ...(typeof method === 'string' && { mcpMethodHeader: method }),
    ...(typeof name === 'string' && { mcpNameHeader: name }),
  };
}

/** The id that a reply to a request owes; none where it is no id. */
export function idOf(body: unknown): RequestId | undefined {
  const id = isObject(body) && typeof body['method'] === 'string' ? body['id'] : undefined;
  return typeof id === 'string' || Number.isSafeInteger(id) ? (id as RequestId) : undefined;
}
