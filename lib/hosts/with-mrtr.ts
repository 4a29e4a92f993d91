import type {
  CallToolResult,
  GetPromptResult,
  InputRequiredResult,
  ReadResourceResult,
  ServerContext,
} from '@modelcontextprotocol/server';
import type { Asking, ClientView, Telling } from '../engine/context.js';
import type { Stepping } from '../engine/stepping.js';
import type { Principal } from '../principal.js';

/** Everything that a handler inside the official SDK's server has beside its arguments. */
export interface SdkContext extends Asking, Stepping, Telling {
  /** Names this flow in events; the same in all its rounds, on every node. */
  readonly flowId: string;
  /** Which execution of the handler this is: 1, then one more for each round that brought an answer. */
  readonly round: number;
  /** Aborts when the request is cancelled or the handler's time is up. Pass it to what you wait for. */
  readonly signal: AbortSignal;
  /** Whose flow it is; `null` for a caller without one under `anonymous`. */
  readonly principal: Principal | null;
  readonly client: ClientView;
  /** The protocol revision of this request. */
  readonly protocolVersion: string;
  /** What the SDK gives its handlers: session, HTTP request, `authInfo`. */
  readonly sdk: ServerContext;
}

/** What a handler returns, by what it is registered as. A string stands for one text in each of them. */
export type SdkResult = CallToolResult | GetPromptResult | ReadResourceResult;

/**
 * Makes a callback for `registerTool`, `registerPrompt` or `registerResource` out of a handler that asks. The handler
 * gets what the SDK would give the callback, with {@link SdkContext} in place of the SDK's context.
 *
 * Throws `MrtrTypeError` `ERR_MRTR_DEFINITION` for anything that is no function. A server that `attach` has not
 * prepared answers every call of the callback with an error that says so.
 *
 * @example
 * ```ts
 * server.registerTool('close', { inputSchema }, withMrtr(async ({ shop }, ctx) => {
 *   return (await ctx.confirm(`Close ${shop}?`)) ? 'Closed.' : 'Still open.';
 * }));
 * ```
 */
export type WithMrtr = <Returned extends MaybePromise<SdkResult | string>, Args extends unknown[] = []>(
  handler: (...params: [...args: Args, ctx: SdkContext]) => Returned,
) => (
  ...params: [...args: Args, sdk: ServerContext]
) => Promise<Exclude<Awaited<Returned>, string> | InputRequiredResult>;

type MaybePromise<T> = T | Promise<T>;
