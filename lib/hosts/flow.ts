/**
 * The order of one request. Nothing later in this list is looked at before everything earlier has passed:
 *
 *  1. Path.
 *  2. `Host` and `Origin`.
 *  3. Method, content type, body.
 *  4. Era and
 *  5. ownership: ours, the SDK's, or whatever stands behind (`fallthrough`).
 *  6. Principal, before anything that this package serves; only `next()` is exempt.
 *  7. The form of the call: headers, arguments, required capabilities, answers.
 *  8. State: length, decoding, unsealing, bindings, expiry.
 *  9. Input schema.
 * 10. Single use, if `replay` is on.
 * 11. One round of the engine.
 * 12. Sealing.
 * 13. The reply: one, ever.
 *
 * Steps 1 to 7 are in this file, 8 to 11 in `execution.ts`, 12 and 13 in `delivery.ts`. What is of an earlier era goes on
 * after 6 in `legacy-host.ts`, which has a list of its own.
 */
import type { Target } from '../catalog.js';
import { isPending } from '../engine/maybe.js';
import { codeOf, type MrtrErrorCode } from '../errors.js';
import { publish } from '../events.js';
import type { ResolvedOptions } from '../options.js';
import { toPrincipal, type Principal } from '../principal.js';
import { missingCapabilities, missingCapabilityFault } from '../protocol/capabilities.js';
import { MAX_ANSWER_DEPTH, nestsWithin } from '../protocol/depth.js';
import { hostFault, originFault } from '../protocol/guard.js';
import { paramHeaderFault, standardHeaderFault } from '../protocol/headers.js';
import type { Call } from '../protocol/parse.js';
import { isObject, PROTOCOL_VERSION, type Fault, type JsonObject, type RequestId } from '../protocol/wire.js';
import { bodyReader, type BodyReader } from './body.js';
import type { Environment } from './environment.js';
import { execute } from './execution.js';
import type { MrtrRequest, NextFunction, Response } from './express.js';
import {
  INTERNAL,
  invalidParams,
  METHOD_NOT_ALLOWED,
  NOTIFICATION,
  PRINCIPAL_FAILED,
  UNAUTHENTICATED,
} from './faults.js';
import type { LegacyHost } from './legacy-host.js';
import { Reply } from './reply.js';
import { report } from './report.js';
import { routeOf, type Route } from './route.js';
import type { SdkHost } from './sdk.js';
import { SingleUse } from './single-use.js';

export class Flow {
  readonly #options: ResolvedOptions;
  readonly #environment: Environment;
  readonly #sdk: SdkHost;
  readonly #legacy: LegacyHost;
  readonly #singleUse: SingleUse | undefined;
  readonly #readBody: BodyReader;

  constructor(options: ResolvedOptions, environment: Environment, sdk: SdkHost, legacy: LegacyHost) {
    this.#options = options;
    this.#environment = environment;
    this.#sdk = sdk;
    this.#legacy = legacy;
    this.#singleUse = options.replay && new SingleUse(options.replay, environment);
    this.#readBody = bodyReader(options.bodyLimit);
  }

  /** Serves one request. Never rejects: whatever goes wrong is answered here. */
  async handle(req: MrtrRequest, res: Response, next: NextFunction): Promise<void> {
    if (!isAt(this.#options.path, req)) return next();
    const reply = new Reply(res, req.headers.accept);
    try {
      await this.#serve(req, res, next, reply);
    } catch (error) {
      this.#fail(reply, undefined, INTERNAL, error, { method: 'unknown', target: '' });
    }
  }

  async #serve(req: MrtrRequest, res: Response, next: NextFunction, reply: Reply): Promise<void> {
    const { fallthrough, hostRules, catalog } = this.#options;
    const foreign =
      hostFault(req.headers.host, req.socket.localAddress, hostRules) ?? originFault(req.headers.origin, hostRules);
    if (foreign !== undefined) return reply.fault(undefined, foreign);
    if (req.method !== 'POST') {
      return fallthrough ? next() : reply.fault(undefined, METHOD_NOT_ALLOWED, { Allow: 'POST' });
    }
    const reading = await this.#readBody(req, res);
    switch (reading.kind) {
      case 'gone':
        return;
      case 'fault':
        return fallthrough && reading.fault.status === 415 ? next() : reply.fault(undefined, reading.fault);
      case 'body':
        break;
    }
    const route = routeOf(reading.body, req.headers, catalog);
    if (fallthrough && !isOurs(route)) return next();
    const principal = await this.#principal(req, reply, route);
    if (principal === undefined) return;
    switch (route.kind) {
      case 'call':
        return this.#call(req, reply, principal, route.call, route.target);
      case 'notification':
        return reply.fault(undefined, NOTIFICATION);
      case 'rejected':
        return reply.fault(route.id, route.fault);
      case 'other':
        return this.#sdk.serve(req, res, reading.body);
      case 'legacy':
        return this.#legacy.serve({ req, res, reply, body: reading.body, principal });
    }
  }

  /** `undefined` once the request has been answered for want of a principal. */
  async #principal(req: MrtrRequest, reply: Reply, route: Route): Promise<Principal | null | undefined> {
    const about = route.kind === 'call' ? { method: route.call.method, target: route.target.name } : ABOUT_OTHERS;
    const id = route.kind === 'call' ? route.call.id : undefined;
    try {
      const found: unknown = this.#options.principal(req);
      const principal = toPrincipal(isPending(found) ? await found : found);
      if (principal !== null || this.#options.anonymous) return principal;
    } catch (error) {
      this.#fail(reply, id, PRINCIPAL_FAILED, error, about, 'ERR_MRTR_PRINCIPAL');
      return undefined;
    }
    publish('mrtr:refused', () => ({ ...about, reason: 'ERR_MRTR_UNAUTHENTICATED' }));
    reply.fault(undefined, UNAUTHENTICATED, { 'WWW-Authenticate': 'Bearer' });
    return undefined;
  }

  async #call(req: MrtrRequest, reply: Reply, principal: Principal | null, call: Call, target: Target): Promise<void> {
    const fault = callFault(req, call, target);
    if (fault !== undefined) return reply.fault(call.id, fault);
    const options = this.#options;
    const environment = this.#environment;
    const singleUse = this.#singleUse;
    try {
      await execute({ req, reply, principal, call, target, options, environment, singleUse });
    } catch (error) {
      this.#fail(reply, call.id, INTERNAL, error, { method: call.method, target: target.name });
    }
  }

  #fail(
    reply: Reply,
    id: RequestId | undefined,
    fault: Fault,
    error: unknown,
    about: { readonly method: string; readonly target: string },
    code: MrtrErrorCode = codeOf(error) ?? 'ERR_MRTR_INTERNAL',
  ): void {
    report(this.#options.onError, error, { code, ...about });
    reply.fault(id, fault);
  }
}

const ABOUT_OTHERS = { method: 'other', target: '' };

/** Step 7: everything about a call that can be refused without its state and its handler. */
function callFault(req: MrtrRequest, call: Call, target: Target): Fault | undefined {
  const { method, params, capabilities } = call;
  const headers = standardHeaderFault(req.headers, req.rawHeaders, method, call.target, PROTOCOL_VERSION);
  if (headers !== undefined) return headers;
  const args = params['arguments'];
  const param = paramHeaderFault(target.paramHeaders, args, req.headers, req.rawHeaders);
  if (param !== undefined) return param;
  if (method !== 'resources/read' && args !== undefined && !isObject(args)) {
    return invalidParams('params.arguments must be an object, or absent.');
  }
  const missing = missingCapabilities(capabilities, target.requires);
  if (missing !== undefined) return missingCapabilityFault(missing);
  const answers = params['inputResponses'];
  if (answers !== undefined && !isAnswers(answers)) {
    return invalidParams('params.inputResponses must be an object of objects.');
  }
  return undefined;
}

function isAnswers(value: unknown): value is Record<string, JsonObject> {
  return isObject(value) && Object.values(value).every(isObject) && nestsWithin(value, MAX_ANSWER_DEPTH);
}

function isOurs(route: Route): boolean {
  switch (route.kind) {
    case 'call':
    case 'notification':
      return true;
    case 'rejected':
      return route.ours;
    case 'other':
    case 'legacy':
      return false;
  }
}

function isAt(path: string, req: MrtrRequest): boolean {
  // A route, as of app.post('/mcp', mcp), has chosen the path already and leaves it in place.
  if (path === '/' && (req.route as unknown) !== undefined) return true;
  return req.path === path || (req.path.endsWith('/') && req.path.slice(0, -1) === path);
}
