import type { Target } from '../catalog.js';
import type { RoundOutcome } from '../engine/outcome.js';
import { codeOf, LedgerMismatchError, type MrtrErrorCode } from '../errors.js';
import { publish, type RefusedEvent, type RoundEvent } from '../events.js';
import type { ResolvedOptions } from '../options.js';
import type { Principal } from '../principal.js';
import type { Call } from '../protocol/parse.js';
import { toolFailure } from '../protocol/result.js';
import { isObject, META } from '../protocol/wire.js';
import { completeResult } from './completion.js';
import type { Environment } from './environment.js';
import type { MrtrRequest } from './express.js';
import { failureReply, internal, type Failed } from './failure.js';
import { IN_FLIGHT, INVALID_STATE, invalidParams } from './faults.js';
import { isFresh, sealFlow, type Bindings } from './opening.js';
import type { CallReply } from './reply.js';
import { report } from './report.js';
import type { Hold, SingleUse, SpentReason } from './single-use.js';
import type { FlowState } from './state.js';
import { publishWarnings } from './warnings.js';

/** A call on its way to a reply. */
export interface Served {
  readonly req: MrtrRequest;
  readonly reply: CallReply;
  readonly principal: Principal | null;
  readonly call: Call;
  readonly target: Target;
  readonly options: ResolvedOptions;
  readonly environment: Environment;
  readonly singleUse: SingleUse | undefined;
}

/** A call whose flow is open. */
export interface DeliveryInput extends Served {
  readonly bindings: Bindings;
  readonly flow: FlowState;
  readonly round: number;
  /** Milliseconds of the epoch. */
  readonly arrivedAt: number;
}

type Completed = Extract<RoundOutcome, { kind: 'complete' }>;
type InputRequired = Extract<RoundOutcome, { kind: 'input_required' }>;
type Refusal = Pick<RefusedEvent, 'reason' | 'expected' | 'actual'>;

const NO_STORE = { 'Cache-Control': 'no-store' };

/** Steps 12 and 13: seals what the next round needs, records what single use must remember, replies and reports. */
export class Delivery {
  readonly #input: DeliveryInput;

  constructor(input: DeliveryInput) {
    this.#input = input;
  }

  deliver(outcome: RoundOutcome, hold: Hold | undefined): Promise<void> {
    switch (outcome.kind) {
      case 'complete':
        return this.#complete(outcome, hold);
      case 'input_required':
        return this.#inputRequired(outcome, hold);
      case 'failed':
        return this.#failed(outcome, hold);
    }
  }

  badArguments(problems: string): void {
    const { call, target, reply } = this.#input;
    const text = `Invalid arguments for ${target.kind} ${JSON.stringify(target.name)}: ${problems}`;
    if (target.kind !== 'tool') return reply.fault(call.id, invalidParams(text));
    reply.result(call.id, this.#text({ resultType: 'complete', ...toolFailure(text) }));
  }

  /** The state was spent by another request, or the same one is still at it. */
  spent(reason: SpentReason): void {
    this.#refuse({ reason }, reason === 'ERR_MRTR_STATE_IN_FLIGHT' ? IN_FLIGHT : INVALID_STATE);
  }

  broken(error: unknown): void {
    this.#serverFault(error, codeOf(error) ?? 'ERR_MRTR_INTERNAL');
  }

  /** The round ran before: its recorded result goes out again. */
  repeated(result: string): void {
    this.#input.reply.result(this.#input.call.id, result, NO_STORE);
    this.#publishRound('repeated');
  }

  async #complete({ result, answered, warnings }: Completed, hold: Hold | undefined): Promise<void> {
    const { call, target, reply } = this.#input;
    const usedInput = !isFresh(this.#input.flow) || isObject(call.params['inputResponses']);
    let text: string;
    try {
      const completing = completeResult(target, result, usedInput);
      const completed = completing instanceof Promise ? await completing : completing;
      text = this.#text({ resultType: 'complete', ...completed });
    } catch (error) {
      return this.#fail(error, codeOf(error) ?? 'ERR_MRTR_RESULT', hold);
    }
    if (hold !== undefined) await this.#record(text, hold);
    reply.result(call.id, text);
    if (warnings.length > 0) publishWarnings(this.#about(), warnings);
    this.#publishRound('complete', () => ({ answered }));
  }

  async #inputRequired(outcome: InputRequired, hold: Hold | undefined): Promise<void> {
    const { call, reply, options, environment, bindings, flow } = this.#input;
    const { requests, ledger, answered, warnings } = outcome;
    const rounds = flow.rounds + (answered > 0 ? 1 : 0);
    if (rounds >= options.maxRounds) {
      await this.#release(hold);
      return this.#refuse({ reason: 'ERR_MRTR_STATE_ROUNDS' });
    }
    let text: string;
    let requestState: string;
    try {
      const sealing = sealFlow(flow, { rounds, ledger }, bindings, options, environment);
      requestState = sealing instanceof Promise ? await sealing : sealing;
      text = this.#text({ resultType: 'input_required', inputRequests: Object.fromEntries(requests), requestState });
    } catch (error) {
      return this.#fail(error, codeOf(error) ?? 'ERR_MRTR_INTERNAL', hold);
    }
    if (hold !== undefined) await this.#record(text, hold);
    reply.result(call.id, text, NO_STORE);
    if (warnings.length > 0) publishWarnings(this.#about(), warnings);
    this.#publishRound('input_required', () => {
      const asked = ledger.entries.filter(({ key }) => requests.has(key));
      const questions = asked.map(({ key, kind, fingerprint }) => ({ key, kind, fingerprint }));
      return { answered, stateBytes: requestState.length, questions };
    });
  }

  async #failed(failed: Failed, hold: Hold | undefined): Promise<void> {
    const answer = failureReply(failed, this.#input.target, this.#input.options.exposeErrors);
    switch (answer.kind) {
      case 'refused': {
        await this.#release(hold);
        const { error } = failed;
        const named = error instanceof LedgerMismatchError && { expected: error.expected, actual: error.actual };
        return this.#refuse({ reason: answer.reason, ...named }, answer.fault);
      }
      case 'fault':
        return this.#fail(failed.error, failed.code, hold);
      case 'tool_error': {
        if (answer.report !== undefined) this.#report(failed.error, answer.report);
        // A tool may have acted before it failed, so this result spends the state like any other.
        const text = this.#text({ resultType: 'complete', ...answer.result });
        if (hold !== undefined) await this.#record(text, hold);
        this.#input.reply.result(this.#input.call.id, text);
        return this.#publishRound('failed');
      }
    }
  }

  /** Records a result before it goes out; a client that misses it can fetch it again. */
  async #record(result: string, hold: Hold): Promise<void> {
    try {
      await hold.settle(result);
    } catch (error) {
      // The handler has run. Keeping its result from the client would only make it try again.
      this.#report(error, codeOf(error) ?? 'ERR_MRTR_STORE');
    }
  }

  async #fail(error: unknown, code: MrtrErrorCode, hold: Hold | undefined): Promise<void> {
    await this.#release(hold);
    this.#serverFault(error, code);
  }

  async #release(hold: Hold | undefined): Promise<void> {
    try {
      await hold?.release();
    } catch (error) {
      this.#report(error, codeOf(error) ?? 'ERR_MRTR_STORE');
    }
  }

  #refuse(why: Refusal, fault = INVALID_STATE): void {
    publish('mrtr:refused', () => ({ ...this.#about(), ...why }));
    this.#input.reply.fault(this.#input.call.id, fault);
  }

  #serverFault(error: unknown, code: MrtrErrorCode): void {
    const { call, reply, options } = this.#input;
    this.#report(error, code);
    reply.fault(call.id, internal(error, options.exposeErrors));
    this.#publishRound('failed');
  }

  #report(error: unknown, code: MrtrErrorCode): void {
    report(this.#input.options.onError, error, { ...this.#about(), code });
  }

  #publishRound(outcome: RoundEvent['outcome'], details?: () => Partial<RoundEvent>): void {
    const { environment, flow, arrivedAt } = this.#input;
    publish('mrtr:round', () => ({
      ...this.#about(),
      outcome,
      durationMs: environment.now() - arrivedAt,
      ...(!isFresh(flow) && { answerMs: arrivedAt - flow.issuedAt }),
      answered: 0,
      questions: [],
      ...details?.(),
    }));
  }

  #about(): { method: string; target: string; flowId: string; round: number } {
    const { call, target, flow, round } = this.#input;
    return { method: call.method, target: target.name, flowId: flow.flowId, round };
  }

  /** The result as it goes out: an app's JSON settings never touch it. */
  #text(result: Record<string, unknown>): string {
    // Every caller has just made the object, so it may take one more member.
    const meta = result['_meta'] as object | undefined;
    const { server } = this.#input.options;
    result['_meta'] = meta === undefined ? { [META.serverInfo]: server } : { ...meta, [META.serverInfo]: server };
    return JSON.stringify(result);
  }
}

/** What names a call in events. */
export function about({ call, target }: Served): { method: string; target: string } {
  return { method: call.method, target: target.name };
}
