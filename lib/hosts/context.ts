import { asking, type Asker, type ClientView } from '../engine/context.js';
import { stepping, type Stepper } from '../engine/stepping.js';
import type { Principal } from '../principal.js';
import { supports } from '../protocol/capabilities.js';
import type { ClientCapabilities, Implementation } from '../protocol/wire.js';
import type { Context, MrtrRequest, RequestUser } from './express.js';
import { telling, type TellingInput } from './telling.js';

export interface ContextInput extends TellingInput {
  readonly engine: Asker & Stepper;
  readonly req: MrtrRequest;
  readonly principal: Principal | null;
  readonly flowId: string;
  /** The flow's secret, from which idempotency keys are made. */
  readonly secret: string;
  readonly round: number;
  readonly clientInfo: Implementation | undefined;
  readonly capabilities: ClientCapabilities;
  readonly protocolVersion: string;
  readonly signal: () => AbortSignal;
}

/** Where a context keeps what its `signal` comes from. */
const SIGNAL = Symbol('signal');

/**
 * `signal` is made when first asked for, and an own member, so that a copy of the context has it. One getter for all: with a
 * getter of its own in a literal, each context would have a shape of its own, which costs as much as all the rest of a call.
 */
const LAZY_SIGNAL: PropertyDescriptor & ThisType<{ readonly [SIGNAL]: () => AbortSignal }> = {
  enumerable: true,
  get() {
    return this[SIGNAL]();
  },
};

/** Puts together what a handler sees of its request. */
export function contextOf(input: ContextInput): Context {
  const { engine, req, principal, flowId, round, protocolVersion } = input;
  const asks = asking(engine);
  const steps = stepping(engine, input.secret);
  const tells = telling(input);
  // One by one: objects that are spread together do not share a shape.
  const context = {
    elicit: asks.elicit,
    elicitUrl: asks.elicitUrl,
    confirm: asks.confirm,
    /* eslint-disable @typescript-eslint/no-deprecated -- whoever calls them is told */
    sample: asks.sample,
    listRoots: asks.listRoots,
    /* eslint-enable @typescript-eslint/no-deprecated */
    step: steps.step,
    idempotencyKey: steps.idempotencyKey,
    progress: tells.progress,
    log: tells.log,
    flowId,
    round,
    principal,
    user: (req as { user?: unknown }).user as RequestUser,
    req,
    client: clientView(input),
    protocolVersion,
    [SIGNAL]: input.signal,
  };
  return Object.defineProperty(context, 'signal', LAZY_SIGNAL) as typeof context & Pick<Context, 'signal'>;
}

function clientView({ clientInfo, capabilities }: ContextInput): ClientView {
  return { info: clientInfo, capabilities, supports: (name) => supports(capabilities, name) };
}
