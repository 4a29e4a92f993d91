import type { Target } from '../catalog.js';
import type { Cancellations } from '../legacy/cancellation.js';
import { Conversation } from '../legacy/conversation.js';
import { Correspondence, type PostOffice } from '../legacy/correspondence.js';
import type { Correspondent } from '../legacy/correspondent.js';
import type { LegacyCall } from '../legacy/message.js';
import type { Session } from '../legacy/session.js';
import type { LegacyService } from '../option-types.js';
import type { ResolvedOptions } from '../options.js';
import type { Principal } from '../principal.js';
import { missingCapabilities } from '../protocol/capabilities.js';
import type { Validation } from '../protocol/schema.js';
import { isObject, type ClientCapabilities } from '../protocol/wire.js';
import { contextOf } from './context.js';
import type { Environment } from './environment.js';
import type { MrtrRequest } from './express.js';
import { CANCELLED, invalidParams } from './faults.js';
import { LegacyDelivery } from './legacy-delivery.js';
import type { Reply } from './reply.js';

/** What lets the calls of a session ask. */
export interface Asking {
  readonly session: Session;
  readonly office: PostOffice;
  readonly cancellations: Cancellations;
}

export interface LegacyCallInput {
  readonly call: LegacyCall;
  readonly target: Target;
  readonly req: MrtrRequest;
  readonly reply: Reply;
  readonly principal: Principal | null;
  /** `undefined` without a session: such a call can do everything but ask. */
  readonly asking: Asking | undefined;
  readonly service: LegacyService;
  readonly options: ResolvedOptions;
  readonly environment: Environment;
}

const MUTE: Correspondent = { put: () => Promise.resolve({ kind: 'withdrawn' }) };

/** Steps L5 to L8: the arguments, the handler, once, and the reply. */
export async function legacyCall(input: LegacyCallInput): Promise<void> {
  const { call, target, reply, options, environment } = input;
  const args = call.params['arguments'] ?? {};
  if (call.method !== 'resources/read' && !isObject(args)) {
    return reply.fault(call.id, invalidParams('params.arguments must be an object, or absent.'));
  }
  const capabilities = capabilitiesOf(input);
  const flowId = environment.random(16).toString('base64url');
  const now = (): number => environment.now();
  const cannotAsk = (names: string): string => refusalText(names, input);
  const delivery = new LegacyDelivery({ call, target, reply, options, flowId, arrivedAt: now(), now, cannotAsk });
  const missing = missingCapabilities(capabilities, target.requires);
  if (missing !== undefined) return delivery.missing(missing);
  let validation: Validation | undefined;
  try {
    validation = await target.input?.validate(args);
  } catch (error) {
    return delivery.broken(error);
  }
  if (validation?.ok === false) return delivery.badArguments(validation.problems);
  // A handler that nobody waits for has not begun yet, so it need not begin.
  if (reply.gone) return;
  return run(input, validation?.value ?? args, flowId, delivery);
}

/** Without a stream there is no way to ask. */
function capabilitiesOf({ reply, asking }: LegacyCallInput): ClientCapabilities {
  return (reply.streams ? asking?.session.capabilities : undefined) ?? {};
}

async function run(input: LegacyCallInput, args: unknown, flowId: string, delivery: LegacyDelivery): Promise<void> {
  const { call, target, reply, principal, asking, service, options, environment } = input;
  const correspondence = asking && new Correspondence({ ...asking, principal, send: (message) => reply.send(message) });
  const conversation = new Conversation({
    correspondent: correspondence ?? MUTE,
    capabilities: capabilitiesOf(input),
    maxAttempts: options.maxAttempts,
    handlerTimeoutMs: options.handlerTimeoutMs,
    elicitationTimeoutMs: service.elicitationTimeoutMs,
    samplingTimeoutMs: service.samplingTimeoutMs,
    timers: environment.timers,
    now: () => environment.now(),
    gone: () => reply.gone || reply.aborted,
  });
  const context = contextOf({ ...contextParts(input, flowId), engine: conversation });
  const { signal } = reply;
  const cancel = (): void => {
    reply.abort(new Error(CANCELLED.message));
    if (!reply.end()) reply.fault(call.id, CANCELLED);
  };
  const unwatch = asking?.cancellations.watch({ ...asking, principal, requestId: call.id, cancel });
  const release = (): void => {
    unwatch?.();
    correspondence?.close();
  };
  // At once, since a handler need not heed its signal.
  signal.addEventListener('abort', release);
  const outcome = await conversation.run(() => target.run(args, context));
  signal.removeEventListener('abort', release);
  release();
  if (outcome.kind === 'failed' && outcome.code === 'ERR_MRTR_HANDLER_TIMEOUT') reply.abort(outcome.error);
  const { answered, questions } = conversation;
  await delivery.deliver(outcome, { answered, questions });
}

function contextParts(input: LegacyCallInput, flowId: string): Omit<Parameters<typeof contextOf>[0], 'engine'> {
  const { call, req, reply, principal, asking, options, environment } = input;
  const version = req.headers['mcp-protocol-version'];
  return {
    req,
    principal,
    flowId,
    secret: environment.random(16).toString('base64url'),
    round: 1,
    clientInfo: asking?.session.clientInfo,
    capabilities: capabilitiesOf(input),
    protocolVersion: asking?.session.version ?? (typeof version === 'string' ? version : 'unknown'),
    progressToken: call.progressToken,
    // What logging/setLevel says lasts for its own request: there is no store to keep it in.
    logLevel: 'info',
    logger: options.server.name,
    notify: (method, params) => reply.notify(method, params),
    signal: () => reply.signal,
  };
}

function refusalText(names: string, { asking, reply }: LegacyCallInput): string {
  const needs = `This call needs what this client cannot be asked for: ${names}.`;
  if (asking === undefined) {
    return `${needs} Send initialize with that capability and its Mcp-Session-Id with each request, or use MCP protocol version 2026-07-28.`;
  }
  return reply.streams
    ? `${needs} It did not declare that in initialize.`
    : `${needs} It accepts no text/event-stream.`;
}
