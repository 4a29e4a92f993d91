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

/** Puts together what a handler sees of its request. */
export function contextOf(input: ContextInput): Context {
  const { engine, req, principal, flowId, round, protocolVersion } = input;
  return {
    ...asking(engine),
    ...stepping(engine, input.secret),
    ...telling(input),
    flowId,
    round,
    get signal() {
      return input.signal();
    },
    principal,
    user: (req as { user?: unknown }).user as RequestUser,
    req,
    client: clientView(input),
    protocolVersion,
  };
}

function clientView({ clientInfo, capabilities }: ContextInput): ClientView {
  return { info: clientInfo, capabilities, supports: (name) => supports(capabilities, name) };
}
