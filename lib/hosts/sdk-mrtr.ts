import { ProtocolError, type ServerContext } from '@modelcontextprotocol/server';
import { MrtrTypeError } from '../errors.js';
import { isOwnedMethod } from '../protocol/parse.js';
import { CODE, isObject, type OwnedMethod } from '../protocol/wire.js';
import { systemEnvironment, type Environment } from './environment.js';
import { report } from './report.js';
import { serveSdkCall } from './sdk-mrtr-call.js';
import type { Arrival, AttachableServer } from './sdk-mrtr-input.js';
import { resolveSdkOptions, type ResolvedSdkOptions, type SdkMrtrOptions } from './sdk-mrtr-options.js';
import type { SdkContext, WithMrtr } from './with-mrtr.js';

/** What `sdkMrtr()` makes. Both members work destructured. */
export interface SdkMrtr {
  /**
   * Prepares a server for handlers made by {@link SdkMrtr.withMrtr}, and returns it. Call it before anything is
   * registered: the SDK tells its callbacks neither which tool was called nor with which arguments, nor lets a tool
   * refuse a call, so `attach` stands before them.
   *
   * Throws `MrtrTypeError` `ERR_MRTR_OPTION` when something was registered before.
   *
   * @example
   * ```ts
   * const server = attach(new McpServer({ name: 'shop', version: '1.0.0' }));
   * ```
   */
  attach<Server extends AttachableServer>(this: void, server: Server): Server;
  readonly withMrtr: WithMrtr;
}

/**
 * Multi Round-Trip Requests inside the official SDK's `McpServer`, over whichever transport it is connected to. Clients
 * of earlier revisions are asked by the SDK, where their connection has a way back to them.
 *
 * Throws `MrtrTypeError` or `MrtrRangeError` `ERR_MRTR_OPTION` for an unusable option.
 *
 * @example
 * ```ts
 * const { attach, withMrtr } = sdkMrtr({ audience: 'shop' });
 * const server = attach(new McpServer({ name: 'shop', version: '1.0.0' }));
 * server.registerTool('close', {}, withMrtr(async (ctx) => ((await ctx.confirm('Close?')) ? 'Closed.' : 'Still open.')));
 * ```
 */
export function sdkMrtr(options: SdkMrtrOptions): SdkMrtr {
  return createSdkMrtr(resolveSdkOptions(options), systemEnvironment);
}

/**
 * The same on a given clock and chance.
 * @internal
 */
export function createSdkMrtr(options: ResolvedSdkOptions, environment: Environment): SdkMrtr {
  // Keyed by the context that the SDK makes for each request, so nothing outlives its request.
  const arrivals = new WeakMap<ServerContext, Arrival>();
  const withMrtr = (handler: (...params: unknown[]) => unknown) => {
    if (typeof handler !== 'function') {
      throw new MrtrTypeError('ERR_MRTR_DEFINITION', `withMrtr needs a handler; got ${typeof handler}.`);
    }
    return (...params: unknown[]): Promise<unknown> => {
      const sdk = params.at(-1) as ServerContext;
      const arrival = arrivals.get(sdk);
      if (arrival === undefined) return Promise.reject(notAttached(options, sdk));
      const args = params.slice(0, -1);
      const run = (ctx: SdkContext): unknown => handler(...args, ctx);
      return serveSdkCall({ arrival, sdk, fixed: args.length < 2, run, options, environment });
    };
  };
  const attach = <Server extends AttachableServer>(server: Server): Server => {
    prepare(server, arrivals);
    return server;
  };
  return { attach, withMrtr: withMrtr as never };
}

type Handler = (request: { readonly params?: unknown }, ctx: ServerContext) => unknown;

const METHODS: readonly OwnedMethod[] = ['tools/call', 'prompts/get', 'resources/read'];

function prepare({ server }: AttachableServer, arrivals: WeakMap<ServerContext, Arrival>): void {
  for (const method of METHODS) refuseLateness(server, method);
  const register = server.setRequestHandler.bind(server) as (method: string, ...rest: unknown[]) => void;
  const prepared = (method: string, ...rest: unknown[]): void => {
    if (!isOwnedMethod(method)) return register(method, ...rest);
    const handler = rest.pop() as Handler;
    register(method, ...rest, async (request: { readonly params?: unknown }, ctx: ServerContext) => {
      const params = isObject(request.params) ? request.params : {};
      const arrival: Arrival = { server, method, params, refusal: undefined };
      arrivals.set(ctx, arrival);
      const result = await handler(request, ctx);
      // The SDK makes a result of whatever a tool throws; what was to be a protocol error becomes one again here.
      if (arrival.refusal !== undefined) throw arrival.refusal;
      return result;
    });
  };
  server.setRequestHandler = prepared;
}

function refuseLateness(server: AttachableServer['server'], method: OwnedMethod): void {
  try {
    server.assertCanSetRequestHandler(method);
  } catch {
    throw new MrtrTypeError(
      'ERR_MRTR_OPTION',
      `attach came too late: the server handles ${method} already. Write attach(new McpServer(…)) before you register ` +
        'anything, and leave tools, prompts and resources out of the capabilities of McpServer: registering declares them.',
    );
  }
}

function notAttached({ shared }: ResolvedSdkOptions, sdk: ServerContext): ProtocolError {
  const text =
    'This server was not prepared for withMrtr: write attach(new McpServer(…)), with the attach that came from ' +
    'the same sdkMrtr() as this withMrtr.';
  const error = new MrtrTypeError('ERR_MRTR_OPTION', text);
  report(shared.onError, error, { code: error.code, method: sdk.mcpReq.method, target: '' });
  return new ProtocolError(CODE.internalError, text);
}
