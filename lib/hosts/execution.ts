import { codeOf } from '../errors.js';
import { publish } from '../events.js';
import type { Call } from '../protocol/parse.js';
import { about, Delivery, type DeliveryInput, type Served } from './delivery.js';
import { internal } from './failure.js';
import { INVALID_STATE, invalidParams } from './faults.js';
import { isFresh, openFlow } from './opening.js';
import { report } from './report.js';
import { answerOf, runRound } from './round.js';
import { bindingOf, sealedParams } from './state.js';

/** Steps 8 to 13 of one call: from its state to its reply. */
export async function execute(served: Served): Promise<void> {
  const { req, reply, principal, call, target, options, environment, singleUse } = served;
  const params = sealedParams(salientParams(call));
  if (params === undefined) {
    return reply.fault(
      call.id,
      invalidParams('The parameters hold a number that JSON cannot carry, or nest too deeply.'),
    );
  }
  const bindings = { binding: bindingOf(options.audience, call.method, call.target, principal), principal, params };
  const opening = await openFlow(call.params['requestState'], bindings, options, environment);
  switch (opening.kind) {
    case 'refused':
      publish('mrtr:refused', () => ({ ...about(served), reason: opening.reason }));
      return reply.fault(call.id, INVALID_STATE);
    case 'broken':
      report(options.onError, opening.error, { ...about(served), code: codeOf(opening.error) ?? 'ERR_MRTR_CODEC' });
      return reply.fault(call.id, internal(opening.error, options.exposeErrors));
    case 'flow': {
      const { flow } = opening;
      const answered = flow.ledger.entries.some(
        ({ status, key }) => status === 'open' && answerOf(call, key) !== undefined,
      );
      // Member by member: an object that begins with a spread costs microseconds.
      return run({
        req,
        reply,
        principal,
        call,
        target,
        options,
        environment,
        singleUse,
        bindings,
        flow,
        round: flow.rounds + (answered ? 2 : 1),
        arrivedAt: environment.now(),
      });
    }
  }
}

/** Steps 9 to 11, then whatever came of them is delivered. */
async function run(input: DeliveryInput): Promise<void> {
  const { call, target } = input;
  const delivery = new Delivery(input);
  const validating = target.input?.validate(call.params['arguments'] ?? {});
  // Here as elsewhere on this path only promises are awaited: waiting for what is there costs a turn of the microtasks.
  const validated = validating instanceof Promise ? await validating : validating;
  if (validated?.ok === false) return delivery.badArguments(validated.problems);
  const spending = spend(input);
  const spent = spending === undefined ? undefined : await spending;
  switch (spent?.kind) {
    case 'refused':
      return delivery.spent(spent.reason);
    case 'broken':
      return delivery.broken(spent.error);
    case 'done':
      return delivery.repeated(spent.result);
    case 'run':
    case undefined:
      return delivery.deliver(await runRound(input, validated?.value ?? {}, spent?.hold), spent?.hold);
  }
}

function spend({
  call,
  flow,
  principal,
  reply,
  options,
  singleUse,
}: DeliveryInput): ReturnType<NonNullable<typeof singleUse>['spend']> | undefined {
  if (isFresh(flow)) return undefined;
  return singleUse?.spend({
    tokenId: flow.tokenId,
    principal,
    answers: call.params['inputResponses'],
    expiresAt: flow.issuedAt + options.ttlMs + options.clockSkewMs,
    gone: () => reply.gone,
  });
}

/** What makes two requests the same call. */
function salientParams({ method, target, params }: Call): Record<string, unknown> {
  return method === 'resources/read' ? { uri: target } : { arguments: params['arguments'] ?? {}, name: target };
}
