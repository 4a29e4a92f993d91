import type { ErrorRequestHandler, Request, RequestHandler } from 'express';
import type { Asking, ClientView, Telling } from '../engine/context.js';
import type { Stepping } from '../engine/stepping.js';
import { resolveOptions, type MrtrOptions, type ResolvedOptions } from '../options.js';
import type { Principal } from '../principal.js';
import { bodyFault } from './body.js';
import { systemEnvironment, type Environment } from './environment.js';
import { Flow } from './flow.js';
import { LegacyHost } from './legacy-host.js';
import type { Notifier } from './notifier.js';
import { Reply } from './reply.js';
import { SdkHost } from './sdk.js';

export type { NextFunction, Response } from 'express';

/** The request that handlers and the `principal` option see: Express's own. */
export type MrtrRequest = Request;

/** What `req.user` is: your `Express.User` where Passport's types are installed. */
export type RequestUser = Request extends { user?: infer User } ? User : unknown;

/** Everything that a handler has beside its arguments. */
export interface Context extends Asking, Stepping, Telling {
  /** Names this flow in events; the same in all its rounds, on every node. */
  readonly flowId: string;
  /** Which execution of the handler this is: 1, then one more for each round that brought an answer. */
  readonly round: number;
  /** Aborts when the client goes away or the handler's time is up. Pass it to what you wait for. */
  readonly signal: AbortSignal;
  /** Whose flow it is; `null` for a caller without one under `anonymous`. */
  readonly principal: Principal | null;
  /** `req.user` as it is now: rights that were taken away since the last round are gone here, too. */
  readonly user: RequestUser;
  readonly req: MrtrRequest;
  readonly client: ClientView;
  /** The protocol revision of this request. */
  readonly protocolVersion: string;
}

/** What `mrtr()` returns: the middleware, and two members for the server's own use. */
export interface MrtrHandler extends RequestHandler {
  /** Tells subscribed clients of changes: tools, prompts, resources, one resource. */
  readonly notify: Notifier;
  /** Ends the subscription streams that are open, and what waits for clients of earlier revisions. */
  close(this: void): Promise<void>;
}

/**
 * Makes the middleware that serves MCP 2026-07-28 with Multi Round-Trip Requests. Mount it behind the authentication.
 *
 * Throws `MrtrTypeError` or `MrtrRangeError` `ERR_MRTR_OPTION` for an unusable option, `ERR_MRTR_DEFINITION` for an
 * unusable definition.
 *
 * @example
 * ```ts
 * const mcp = mrtr({ server: { name: 'shop', version: '1.0.0' }, tools: [refund] });
 * app.use('/mcp', passport.authenticate('jwt', { session: false }), mcp);
 * ```
 */
export function mrtr(options: MrtrOptions): MrtrHandler {
  return createHandler(resolveOptions(options), systemEnvironment);
}

/**
 * The middleware on a given clock and chance.
 * @internal
 */
export function createHandler(options: ResolvedOptions, environment: Environment): MrtrHandler {
  const sdk = new SdkHost(options);
  const legacy = new LegacyHost(options, environment, sdk);
  const flow = new Flow(options, environment, sdk, legacy);
  const handler: RequestHandler = (req, res, next) => void flow.handle(req, res, next);
  const close = async (): Promise<void> => {
    await Promise.all([sdk.close(), legacy.close()]);
  };
  return Object.assign(handler, { notify: sdk.notify, close });
}

/**
 * An error-handling middleware that answers an upstream body parser's error as JSON-RPC instead of HTML. Mount it last,
 * when `express.json()` stands in front: below a path it answers for that path, else for requests that carry MCP's headers
 * or accept both JSON and an event stream.
 *
 * @example
 * ```ts
 * app.use(express.json());
 * app.use('/mcp', mcp);
 * app.use('/mcp', mrtrErrors());
 * ```
 */
export function mrtrErrors(): ErrorRequestHandler {
  return (error: unknown, req, res, next) => {
    const fault = bodyFault(error);
    if (fault === undefined || res.headersSent || !isMcp(req)) return next(error);
    new Reply(res, undefined).fault(undefined, fault);
  };
}

function isMcp(req: Request): boolean {
  const { accept = '', ...headers } = req.headers;
  if (req.baseUrl !== '' || headers['mcp-protocol-version'] !== undefined || headers['mcp-method'] !== undefined)
    return true;
  return accept.includes('application/json') && accept.includes('text/event-stream');
}
