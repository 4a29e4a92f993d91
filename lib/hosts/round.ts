import { Round } from '../engine/engine.js';
import type { RoundOutcome } from '../engine/outcome.js';
import type { StepResults } from '../engine/steps.js';
import type { Call } from '../protocol/parse.js';
import { isObject, PROTOCOL_VERSION, type JsonObject } from '../protocol/wire.js';
import { contextOf } from './context.js';
import type { DeliveryInput } from './delivery.js';
import { checkedOutcome } from './determinism.js';
import { isFresh } from './opening.js';
import type { Hold } from './single-use.js';

/** Step 11: the handler runs from the top, on what its flow remembers and this request brought. */
export async function runRound(input: DeliveryInput, args: unknown, hold: Hold | undefined): Promise<RoundOutcome> {
  const { call, options, reply } = input;
  // A handler may change its arguments; the second execution needs them as they came.
  const untouched: unknown = options.checkDeterminism ? structuredClone(call.params['arguments'] ?? {}) : undefined;
  const outcome = await execution(input, args, hold);
  if (outcome.kind === 'failed' && outcome.code === 'ERR_MRTR_HANDLER_TIMEOUT') reply.abort(outcome.error);
  if (!options.checkDeterminism || outcome.kind !== 'input_required') return outcome;
  const validated = await input.target.input?.validate(untouched);
  const again = validated?.ok === true ? validated.value : untouched;
  return checkedOutcome(outcome, await execution(input, again, hold, outcome.ledger.steps));
}

function execution(
  input: DeliveryInput,
  args: unknown,
  hold: Hold | undefined,
  recorded?: StepResults,
): Promise<RoundOutcome> {
  const { call, target, options, environment, reply, flow } = input;
  const round = new Round({
    ledger: recorded === undefined ? flow.ledger : { ...flow.ledger, steps: recorded },
    recordedStepsOnly: recorded !== undefined,
    answer: (key) => answerOf(call, key),
    fresh: isFresh(flow),
    upFront: options.replay === undefined,
    capabilities: call.capabilities,
    onLedgerMismatch: options.onLedgerMismatch,
    maxAttempts: options.maxAttempts,
    handlerTimeoutMs: options.handlerTimeoutMs,
    timers: environment.timers,
    // Under single use the result is recorded for the client to fetch, so the handler goes on without it.
    gone: () => hold === undefined && reply.gone,
  });
  const context = contextOf({
    engine: round,
    clientInfo: call.clientInfo,
    capabilities: call.capabilities,
    progressToken: call.progressToken,
    logLevel: call.logLevel,
    req: input.req,
    principal: input.principal,
    flowId: flow.flowId,
    secret: flow.secret,
    round: input.round,
    logger: options.server.name,
    protocolVersion: PROTOCOL_VERSION,
    notify: (method, params) => reply.notify(method, params),
    signal: () => reply.signal,
  });
  return round.run(() => target.run(args, context));
}

/** Own members only: a question may well be called "constructor". */
export function answerOf(call: Call, key: string): JsonObject | undefined {
  const answers = call.params['inputResponses'];
  return isObject(answers) && Object.hasOwn(answers, key) ? (answers[key] as JsonObject) : undefined;
}
