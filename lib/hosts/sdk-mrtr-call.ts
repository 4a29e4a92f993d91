import { ProtocolError, type ServerContext } from '@modelcontextprotocol/server';
import { codeOf, MrtrTypeError, type MrtrErrorCode } from '../errors.js';
import { publish } from '../events.js';
import { toPrincipal, type Principal } from '../principal.js';
import { MAX_ANSWER_DEPTH, nestsWithin } from '../protocol/depth.js';
import { execute } from './execution.js';
import type { MrtrRequest } from './express.js';
import { INTERNAL, invalidParams, UNAUTHENTICATED } from './faults.js';
import { report } from './report.js';
import { callOf, isModern, targetOf, type SdkCallInput } from './sdk-mrtr-input.js';
import { SdkReply } from './sdk-mrtr-reply.js';

// A round hands it on unread, and the handler gets the SDK's context in its place.
const NO_REQUEST = Object.freeze({}) as unknown as MrtrRequest;

const FOREIGN_HOOK =
  'McpServer was given a requestState.verify hook, which decoded a state that is not its own. Leave the requestState ' +
  'option out: withMrtr verifies its states by itself.';

/**
 * Serves one call through the same steps as the middleware: principal, state, one round, delivery. Gives what the
 * callback returns to the SDK; rejects with nothing but a `ProtocolError`, since the SDK sends any error's message.
 */
export async function serveSdkCall(input: SdkCallInput): Promise<Record<string, unknown>> {
  const { arrival, sdk } = input;
  const reply = new SdkReply(sdk, arrival.method, isModern(arrival));
  try {
    await answer(input, reply);
  } catch (error) {
    fail(input, reply, error, codeOf(error) ?? 'ERR_MRTR_INTERNAL');
  } finally {
    reply.end();
  }
  if (!(reply.outcome instanceof ProtocolError)) return reply.outcome;
  arrival.refusal = reply.outcome;
  throw reply.outcome;
}

async function answer(input: SdkCallInput, reply: SdkReply): Promise<void> {
  const { sdk, options, environment } = input;
  let principal: Principal | null;
  try {
    principal = toPrincipal(await options.principal(sdk));
  } catch (error) {
    return fail(input, reply, error, 'ERR_MRTR_PRINCIPAL');
  }
  if (principal === null && !options.shared.anonymous) {
    publish('mrtr:refused', () => ({ ...about(input), reason: 'ERR_MRTR_UNAUTHENTICATED' }));
    return reply.fault(undefined, UNAUTHENTICATED);
  }
  if (hasForeignState(sdk)) {
    return fail(input, reply, new MrtrTypeError('ERR_MRTR_OPTION', FOREIGN_HOOK), 'ERR_MRTR_OPTION');
  }
  if (!nestsWithin(sdk.mcpReq.inputResponses, MAX_ANSWER_DEPTH)) {
    return reply.fault(undefined, invalidParams('params.inputResponses must be an object of objects.'));
  }
  await execute({
    req: NO_REQUEST,
    reply,
    principal,
    call: callOf(input),
    target: targetOf(input),
    options: options.shared,
    environment,
    singleUse: undefined,
  });
}

/** The SDK itself takes only texts from the wire, so anything else was made of one by a hook. */
function hasForeignState({ mcpReq }: ServerContext): boolean {
  const state: unknown = mcpReq.requestState();
  return state !== undefined && typeof state !== 'string';
}

function fail(input: SdkCallInput, reply: SdkReply, error: unknown, code: MrtrErrorCode): void {
  report(input.options.shared.onError, error, { code, ...about(input) });
  reply.fault(undefined, INTERNAL);
}

function about(input: SdkCallInput): { method: string; target: string } {
  return { method: input.arrival.method, target: targetOf(input).name };
}
