import { ProtocolError, type ServerContext } from '@modelcontextprotocol/server';
import type { Target } from '../catalog.js';
import { Round } from '../engine/engine.js';
import { EMPTY_LEDGER } from '../engine/ledger.js';
import { codeOf, type MrtrErrorCode } from '../errors.js';
import type { ResolvedOptions } from '../options.js';
import type { Principal } from '../principal.js';
import { toolFailure } from '../protocol/result.js';
import type { Validation } from '../protocol/schema.js';
import { CODE, type OwnedMethod } from '../protocol/wire.js';
import { completeResult } from './completion.js';
import { contextOf } from './context.js';
import type { Environment } from './environment.js';
import type { MrtrRequest } from './express.js';
import { failureReply, internal } from './failure.js';
import { report } from './report.js';

export interface LegacyCallInput {
  readonly method: OwnedMethod;
  readonly target: Target;
  readonly args: unknown;
  readonly req: MrtrRequest;
  readonly principal: Principal | null;
  readonly sdk: ServerContext;
  readonly options: ResolvedOptions;
  readonly environment: Environment;
}

const CANNOT_ASK =
  'This call needs input from the user, which this server can ask for only under MCP protocol version 2026-07-28.';

/**
 * Runs a handler for a client of an earlier revision, on one request and without a session: it can do everything but
 * ask. What a validator says and what a handler throws is answered as ever, since the SDK would send either as it is.
 */
export async function legacyCall(input: LegacyCallInput): Promise<Record<string, unknown>> {
  const { target, options, environment } = input;
  if (target.requires.length > 0) return refusal(target, CANNOT_ASK);
  const validated = await validatedArguments(input);
  if (!validated.ok) {
    const text = `Invalid arguments for ${target.kind} ${JSON.stringify(target.name)}: ${validated.problems}`;
    return refusal(target, text, CODE.invalidParams);
  }
  const round = new Round({
    ledger: EMPTY_LEDGER,
    answer: () => undefined,
    fresh: false,
    upFront: true,
    capabilities: {},
    onLedgerMismatch: options.onLedgerMismatch,
    maxAttempts: options.maxAttempts,
    handlerTimeoutMs: options.handlerTimeoutMs,
    timers: environment.timers,
    gone: () => input.sdk.mcpReq.signal.aborted,
  });
  const context = contextOf({ ...contextParts(input), engine: round });
  const outcome = await round.run(() => target.run(validated.value, context));
  switch (outcome.kind) {
    case 'complete':
      return completed(input, outcome.result);
    case 'input_required':
      return refusal(target, CANNOT_ASK);
    case 'failed': {
      if (outcome.code === 'ERR_MRTR_CAPABILITY') return refusal(target, CANNOT_ASK);
      const answer = failureReply(outcome, target, options.exposeErrors);
      if (answer.kind !== 'refused' && answer.report !== undefined) tell(input, outcome.error, answer.report);
      if (answer.kind === 'tool_error') return answer.result;
      throw new ProtocolError(answer.fault.code, answer.fault.message, answer.fault.data);
    }
  }
}

async function validatedArguments(input: LegacyCallInput): Promise<Validation> {
  const { target, args = {} } = input;
  try {
    return (await target.input?.validate(args)) ?? { ok: true, value: args };
  } catch (error) {
    return fail(input, error, codeOf(error) ?? 'ERR_MRTR_INTERNAL');
  }
}

function contextParts(input: LegacyCallInput): Omit<Parameters<typeof contextOf>[0], 'engine'> {
  const { req, principal, sdk, options, environment } = input;
  const version = req.headers['mcp-protocol-version'];
  return {
    req,
    principal,
    flowId: environment.random(16).toString('base64url'),
    secret: environment.random(16).toString('base64url'),
    round: 1,
    clientInfo: undefined,
    capabilities: {},
    protocolVersion: typeof version === 'string' ? version : 'unknown',
    progressToken: sdk.mcpReq._meta?.progressToken,
    logLevel: 'info',
    logger: options.server.name,
    notify: (method, params) => void sdk.mcpReq.notify({ method, params } as never).catch(() => undefined),
    signal: () => sdk.mcpReq.signal,
  };
}

async function completed(input: LegacyCallInput, value: unknown): Promise<Record<string, unknown>> {
  try {
    const { ttlMs: _ttlMs, cacheScope: _cacheScope, ...result } = await completeResult(input.target, value, false);
    // Once the SDK has the result, one that JSON cannot carry would end the stream without a response.
    return JSON.parse(JSON.stringify(result)) as Record<string, unknown>;
  } catch (error) {
    return fail(input, error, codeOf(error) ?? 'ERR_MRTR_RESULT');
  }
}

function fail(input: LegacyCallInput, error: unknown, code: MrtrErrorCode): never {
  tell(input, error, code);
  const fault = internal(error, input.options.exposeErrors);
  throw new ProtocolError(fault.code, fault.message);
}

function refusal(target: Target, text: string, code: number = CODE.invalidRequest): Record<string, unknown> {
  if (target.kind === 'tool') return toolFailure(text);
  throw new ProtocolError(code, text);
}

function tell({ options, method, target }: LegacyCallInput, error: unknown, code: MrtrErrorCode): void {
  report(options.onError, error, { code, method, target: target.name });
}
