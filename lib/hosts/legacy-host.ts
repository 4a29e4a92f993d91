/**
 * Requests of earlier revisions (MCP 2025-11-25 and 2025-06-18), from step 7 of `flow.ts` on, in this order:
 *
 * L1. Batch: refused. `initialize`: answered by the SDK, with a sealed session in `Mcp-Session-Id`.
 * L2. `MCP-Protocol-Version`.
 * L3. Session: opened for this principal, or 404. Without one nothing can be asked.
 * L4. Response or cancellation: to the mailbox, from where the node takes it that runs the call. Whatever is no call of
 *     something registered here: to the SDK.
 * L5. Required capabilities, arguments, input schema.
 * L6. The handler, once: it waits for what it asks.
 * L7. Whatever is still open is withdrawn.
 * L8. The reply: one, ever.
 *
 * L5 to L8 are in `legacy-call.ts` and `legacy-delivery.ts`.
 */
import { codeOf, type MrtrErrorCode } from '../errors.js';
import { publish } from '../events.js';
import { Cancellations } from '../legacy/cancellation.js';
import { post, type PostOffice } from '../legacy/correspondence.js';
import { declaredIn, negotiated } from '../legacy/declared.js';
import { legacyMessageOf, type LegacyMessage } from '../legacy/message.js';
import { newMailboxId, openRequestId } from '../legacy/request-id.js';
import { clientInfoOf, LEGACY_VERSIONS, openSession, sealSession, type Session } from '../legacy/session.js';
import type { LegacyService } from '../option-types.js';
import type { ResolvedOptions } from '../options.js';
import type { Principal } from '../principal.js';
import { quote } from '../protocol/quote.js';
import { CODE, type Fault, type RequestId } from '../protocol/wire.js';
import type { Environment } from './environment.js';
import type { MrtrRequest, Response } from './express.js';
import { internal } from './failure.js';
import { BATCH, SESSION_NOT_FOUND, SESSION_REQUIRED } from './faults.js';
import { legacyCall, type Asking } from './legacy-call.js';
import type { Reply } from './reply.js';
import { report } from './report.js';
import { idOf } from './route.js';
import type { SdkHost } from './sdk.js';

/** One request whose principal is known. */
export interface LegacyRequest {
  readonly req: MrtrRequest;
  readonly res: Response;
  readonly reply: Reply;
  readonly body: unknown;
  readonly principal: Principal | null;
}

type Opened =
  | { readonly kind: 'session'; readonly asking: Asking }
  | { readonly kind: 'none' }
  | { readonly kind: 'refused'; readonly reason: MrtrErrorCode };

const ABOUT = { method: 'other', target: '' };

export class LegacyHost {
  readonly #options: ResolvedOptions;
  readonly #environment: Environment;
  readonly #sdk: SdkHost;
  readonly #office: PostOffice | undefined;
  readonly #cancellations: Cancellations | undefined;

  constructor(options: ResolvedOptions, environment: Environment, sdk: SdkHost) {
    this.#options = options;
    this.#environment = environment;
    this.#sdk = sdk;
    const { legacy } = options;
    if (legacy?.sealing === undefined) return;
    const { mailbox, ownMailbox, sealing, maxParked, sessionTtlMs } = legacy;
    const { timers } = environment;
    const now = (): number => environment.now();
    const after = (ms: number, task: () => void): (() => void) => timers.after(ms, task);
    const random = (size: number): Uint8Array => environment.random(size);
    const { clockSkewMs } = options;
    this.#office = { mailbox, shared: !ownMailbox, sealing, maxParked, clockSkewMs, parked: 0, now, after, random };
    this.#cancellations = new Cancellations(this.#office, sessionTtlMs);
  }

  /** Ends what waits for clients, if the mailbox is this middleware's own. */
  async close(): Promise<void> {
    const { legacy } = this.#options;
    if (legacy?.ownMailbox === true) await legacy.mailbox.close?.();
  }

  async serve(request: LegacyRequest): Promise<void> {
    const { legacy } = this.#options;
    if (legacy === undefined) return this.#toSdk(request);
    const message = legacyMessageOf(request.body);
    if (message.kind === 'batch') return request.reply.fault(undefined, BATCH);
    const id = idOf(request.body);
    try {
      await this.#serve(request, message, id, legacy);
    } catch (error) {
      report(this.#options.onError, error, { ...this.#about(message), code: codeOf(error) ?? 'ERR_MRTR_INTERNAL' });
      const fault = internal(error, this.#options.exposeErrors);
      request.reply.fault(id, id === undefined ? { ...fault, status: 500 } : fault);
    }
  }

  async #serve(
    request: LegacyRequest,
    message: Exclude<LegacyMessage, { kind: 'batch' }>,
    id: RequestId | undefined,
    legacy: LegacyService,
  ): Promise<void> {
    const { req, reply, principal } = request;
    if (message.kind === 'initialize') return this.#initialize(request, message.params);
    const unsupported = versionFault(req.headers['mcp-protocol-version']);
    if (unsupported !== undefined) return reply.fault(id, unsupported);
    // What belongs to a call that waits is taken for as long as the call can wait; ids of questions expire by themselves.
    const begins = message.kind === 'call' || message.kind === 'other';
    const graceMs = begins ? 0 : Math.max(legacy.elicitationTimeoutMs, legacy.samplingTimeoutMs);
    const opened = await this.#open(req.headers['mcp-session-id'], principal, legacy.sessionTtlMs + graceMs);
    if (opened.kind === 'refused') {
      publish('mrtr:refused', () => ({ ...this.#about(message), reason: opened.reason }));
      return reply.fault(id, SESSION_NOT_FOUND);
    }
    return this.#dispatch(request, message, opened.kind === 'session' ? opened.asking : undefined, legacy);
  }

  async #dispatch(
    request: LegacyRequest,
    message: Exclude<LegacyMessage, { kind: 'batch' | 'initialize' }>,
    asking: Asking | undefined,
    service: LegacyService,
  ): Promise<void> {
    const { reply, principal } = request;
    switch (message.kind) {
      case 'response':
        if (asking === undefined) return reply.fault(undefined, SESSION_REQUIRED);
        await this.#deliver(message, asking, principal);
        return reply.accepted();
      case 'cancelled':
        await asking?.cancellations.cancel(asking.session, principal, message.requestId);
        return reply.accepted();
      case 'call': {
        const { call } = message;
        const target = this.#options.catalog.find(call.method, call.target);
        if (target === undefined) return this.#toSdk(request);
        const own = { options: this.#options, environment: this.#environment, service };
        return legacyCall({ ...request, ...own, call, target, asking });
      }
      case 'other':
        return this.#toSdk(request);
    }
  }

  #toSdk({ req, res, body }: LegacyRequest): Promise<void> {
    return this.#sdk.serve(req, res, body);
  }

  async #initialize(request: LegacyRequest, params: Readonly<Record<string, unknown>>): Promise<void> {
    const { res, principal } = request;
    if (this.#office !== undefined) {
      const version = negotiated(params['protocolVersion']);
      const session: Session = {
        version,
        clientInfo: clientInfoOf(params['clientInfo']),
        capabilities: declaredIn(params['capabilities'], version),
        sessionId: newMailboxId((size) => this.#environment.random(size)),
        issuedAt: this.#environment.now(),
      };
      await this.#office.sealing.session.ready?.();
      res.setHeader('Mcp-Session-Id', await sealSession(session, principal, this.#office.sealing));
    }
    return this.#toSdk(request);
  }

  async #open(header: unknown, principal: Principal | null, ttlMs: number): Promise<Opened> {
    if (header === undefined) return { kind: 'none' };
    const [office, cancellations] = [this.#office, this.#cancellations];
    if (typeof header !== 'string' || office === undefined || cancellations === undefined) {
      return { kind: 'refused', reason: 'ERR_MRTR_SESSION' };
    }
    const limits = { ttlMs, clockSkewMs: this.#options.clockSkewMs };
    const now = this.#environment.now();
    const session = await openSession(header, principal, now, office.sealing, limits);
    if (session !== undefined) return { kind: 'session', asking: { session, office, cancellations } };
    const timeless = { ttlMs: Infinity, clockSkewMs: Infinity };
    const stale = await openSession(header, principal, now, office.sealing, timeless);
    return { kind: 'refused', reason: stale === undefined ? 'ERR_MRTR_SESSION' : 'ERR_MRTR_SESSION_EXPIRED' };
  }

  async #deliver(
    { id, response }: Extract<LegacyMessage, { kind: 'response' }>,
    { session, office }: Asking,
    principal: Principal | null,
  ): Promise<void> {
    const mailboxId = await openRequestId(id, session.sessionId, principal, office.now(), office.sealing);
    if (mailboxId !== undefined) return post(office, mailboxId, JSON.stringify(response), principal);
    publish('mrtr:refused', () => ({ ...ABOUT, reason: 'ERR_MRTR_REQUEST_ID' }));
  }

  #about(message: LegacyMessage): { method: string; target: string } {
    if (message.kind !== 'call') return ABOUT;
    const { method, target } = message.call;
    return { method, target: this.#options.catalog.find(method, target)?.name ?? '' };
  }
}

function versionFault(header: string | string[] | undefined): Fault | undefined {
  if (header === undefined || LEGACY_VERSIONS.some((version) => version === header)) return undefined;
  return {
    code: CODE.invalidRequest,
    message: `MCP-Protocol-Version ${quote(String(header))} is not served; this server speaks 2026-07-28, ${LEGACY_VERSIONS.join(' and ')}.`,
    status: 400,
  };
}
