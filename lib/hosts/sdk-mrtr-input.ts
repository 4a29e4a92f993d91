import type { ProtocolError, ServerContext } from '@modelcontextprotocol/server';
import type { Target } from '../catalog.js';
import { TARGET_MEMBER, type Call } from '../protocol/parse.js';
import { promptResult, resourceResult, toolResult } from '../protocol/result.js';
import { META, PROTOCOL_VERSION, type OwnedMethod } from '../protocol/wire.js';
import type { Environment } from './environment.js';
import type { Context } from './express.js';
import type { ResolvedSdkOptions } from './sdk-mrtr-options.js';
import type { SdkContext } from './with-mrtr.js';

/** What `attach` needs of the SDK's `McpServer`, whichever copy of the SDK it comes from. */
export interface AttachableServer {
  readonly server: {
    setRequestHandler: (...params: never[]) => void;
    assertCanSetRequestHandler(method: string): void;
    getNegotiatedProtocolVersion(): string | undefined;
    /** What a client of an earlier revision declared when it connected. */
    getClientCapabilities(): object | undefined;
    getClientVersion(): object | undefined;
  };
}

/** A request of one of the three methods, as it came to a server that `attach` prepared. */
export interface Arrival {
  readonly server: AttachableServer['server'];
  readonly method: OwnedMethod;
  readonly params: Readonly<Record<string, unknown>>;
  /** The protocol error that the request is answered with, whatever the SDK makes of its being thrown. */
  refusal: ProtocolError | undefined;
}

export interface SdkCallInput {
  readonly arrival: Arrival;
  readonly sdk: ServerContext;
  /** Whether a resource's URI is the server's own, and not made of what the client chose. */
  readonly fixed: boolean;
  readonly run: (ctx: SdkContext) => unknown;
  readonly options: ResolvedSdkOptions;
  readonly environment: Environment;
}

/** By what the server negotiated: the envelope alone is the client's word for it. */
export function isModern({ server }: Arrival): boolean {
  return (server.getNegotiatedProtocolVersion() ?? '') >= PROTOCOL_VERSION;
}

/** What the SDK made of a request, put together again as the middleware reads it. */
export function callOf(input: SdkCallInput): Call {
  const { arrival, sdk } = input;
  const { method, params } = arrival;
  const { id, _meta, inputResponses } = sdk.mcpReq;
  return {
    id,
    method,
    target: nameOf(arrival),
    // The SDK has taken the members of a retry out of the parameters.
    params: { ...params, inputResponses, requestState: sdk.mcpReq.requestState() },
    progressToken: _meta?.progressToken,
    ...declarations(input),
  };
}

/** What the client declared, per request or, in earlier revisions, when it connected. */
function declarations({ arrival, sdk }: SdkCallInput): Pick<Call, 'capabilities' | 'clientInfo' | 'logLevel'> {
  if (isModern(arrival)) {
    // The SDK has checked it.
    const envelope = (sdk.mcpReq.envelope ?? {}) as Readonly<Record<string, unknown>>;
    return {
      capabilities: (envelope[META.clientCapabilities] ?? {}) as Call['capabilities'],
      clientInfo: envelope[META.clientInfo] as Call['clientInfo'],
      logLevel: envelope[META.logLevel] as Call['logLevel'],
    };
  }
  return {
    capabilities: (arrival.server.getClientCapabilities() ?? {}) as Call['capabilities'],
    clientInfo: arrival.server.getClientVersion() as Call['clientInfo'],
    // The SDK knows which level the client set.
    logLevel: 'debug',
  };
}

/** What the call runs. Its arguments were validated by the SDK, which also checks the result against `outputSchema`. */
export function targetOf(input: SdkCallInput): Target {
  const { arrival, fixed } = input;
  const name = nameOf(arrival);
  const shared = {
    requires: [],
    input: undefined,
    output: undefined,
    paramHeaders: [],
    caching: undefined,
    run: (_args: unknown, context: Context) => input.run(contextOf(context, input)),
  };
  switch (arrival.method) {
    case 'tools/call':
      return { ...shared, kind: 'tool', name, readResult: toolResult };
    case 'prompts/get':
      return { ...shared, kind: 'prompt', name, readResult: promptResult };
    case 'resources/read': {
      const resource = { ...shared, caching: cachingOf(input), readResult: resourceResult(name, undefined) };
      // A URI that the client made up may hold what events must not.
      return fixed ? { ...resource, kind: 'resource', name } : { ...resource, kind: 'resourceTemplate', name: '' };
    }
  }
}

function nameOf({ method, params }: Arrival): string {
  return String(params[TARGET_MEMBER[method]]);
}

/** A result that input had a part in is for that person, once; of others the server's own hints say how to keep them. */
function cachingOf({ arrival, sdk }: SdkCallInput): Target['caching'] {
  const { inputResponses } = sdk.mcpReq;
  const usedInput = sdk.mcpReq.requestState() !== undefined || inputResponses !== undefined;
  return usedInput && isModern(arrival) ? { ttlMs: 0, cacheScope: 'private' } : undefined;
}

function contextOf({ req: _req, user: _user, ...context }: Context, { arrival, sdk }: SdkCallInput): SdkContext {
  const protocolVersion = arrival.server.getNegotiatedProtocolVersion() ?? context.protocolVersion;
  return { ...context, protocolVersion, sdk };
}
