import type { Target } from '../catalog.js';
import { codeOf, type MrtrErrorCode } from '../errors.js';
import { publish, type RoundEvent } from '../events.js';
import type { LegacyCall } from '../legacy/message.js';
import type { ConversationOutcome } from '../legacy/outcome.js';
import type { ResolvedOptions } from '../options.js';
import { capabilityNames } from '../protocol/capabilities.js';
import { toolFailure } from '../protocol/result.js';
import { CODE, isObject, META, type Fault, type JsonObject } from '../protocol/wire.js';
import { completeResult } from './completion.js';
import { failureReply, internal } from './failure.js';
import { invalidParams } from './faults.js';
import type { Reply } from './reply.js';
import { report } from './report.js';

export interface LegacyDeliveryInput {
  readonly call: LegacyCall;
  readonly target: Target;
  readonly reply: Reply;
  readonly options: ResolvedOptions;
  readonly flowId: string;
  /** Milliseconds of the epoch. */
  readonly arrivedAt: number;
  readonly now: () => number;
  /** Why this client cannot be asked for what it lacks. */
  readonly cannotAsk: (names: string) => string;
}

type Told = Pick<RoundEvent, 'answered' | 'questions'>;

const NOTHING: Told = { answered: 0, questions: [] };
const MODERN_META: ReadonlySet<string> = new Set(Object.values(META));

/** Replies to one call of an earlier revision, in its words, and reports. */
export class LegacyDelivery {
  readonly #input: LegacyDeliveryInput;

  constructor(input: LegacyDeliveryInput) {
    this.#input = input;
  }

  async deliver(outcome: ConversationOutcome, told: Told): Promise<void> {
    if (outcome.kind === 'complete') return this.#complete(outcome.result, told);
    if (this.#isForsaken(outcome.error)) return this.#publishRound('failed', told);
    if (outcome.code === 'ERR_MRTR_CAPABILITY') return this.missing(outcome.requiredCapabilities ?? {}, told);
    const { options, target } = this.#input;
    const answer = failureReply(outcome, target, options.exposeErrors);
    if (answer.kind === 'refused') return this.#refuse(answer.fault, answer.reason);
    if (answer.report !== undefined) this.#report(outcome.error, answer.report);
    if (answer.kind === 'fault') this.#fault(answer.fault);
    else this.#result(answer.result);
    this.#publishRound('failed', told);
  }

  /** The call needs what the client did not declare. */
  missing(required: JsonObject, told: Told = NOTHING): void {
    const { target, call, flowId, cannotAsk } = this.#input;
    const text = cannotAsk(capabilityNames(required).join(', '));
    publish('mrtr:refused', () => ({ ...about(call, target), flowId, round: 1, reason: 'ERR_MRTR_CAPABILITY' }));
    if (target.kind === 'tool') this.#result(toolFailure(text));
    else this.#fault({ code: CODE.invalidRequest, message: text, status: 200 });
    if (told.questions.length > 0) this.#publishRound('failed', told);
  }

  badArguments(problems: string): void {
    const { target } = this.#input;
    const text = `Invalid arguments for ${target.kind} ${JSON.stringify(target.name)}: ${problems}`;
    if (target.kind === 'tool') this.#result(toolFailure(text));
    else this.#fault(invalidParams(text));
  }

  broken(error: unknown, code: MrtrErrorCode = codeOf(error) ?? 'ERR_MRTR_INTERNAL', told: Told = NOTHING): void {
    this.#report(error, code);
    this.#fault(internal(error, this.#input.options.exposeErrors));
    this.#publishRound('failed', told);
  }

  async #complete(value: unknown, told: Told): Promise<void> {
    let text: string;
    try {
      text = JSON.stringify(inEarlierWords(await completeResult(this.#input.target, value, told.answered > 0)));
    } catch (error) {
      return this.broken(error, codeOf(error) ?? 'ERR_MRTR_RESULT', told);
    }
    this.#input.reply.result(this.#input.call.id, text);
    this.#publishRound('complete', told);
  }

  /** That the client went away or cancelled while it was asked is nobody's fault. */
  #isForsaken(error: unknown): boolean {
    const { reply } = this.#input;
    return (reply.gone || reply.aborted) && codeOf(error) === 'ERR_MRTR_ROUND_OVER';
  }

  #refuse(fault: Fault, reason: MrtrErrorCode): void {
    const { call, target, flowId } = this.#input;
    publish('mrtr:refused', () => ({ ...about(call, target), flowId, round: 1, reason }));
    this.#fault(fault);
  }

  #fault(fault: Fault): void {
    this.#input.reply.fault(this.#input.call.id, fault);
  }

  #result(result: JsonObject): void {
    this.#input.reply.result(this.#input.call.id, JSON.stringify(result));
  }

  #report(error: unknown, code: MrtrErrorCode): void {
    const { options, call, target } = this.#input;
    report(options.onError, error, { code, ...about(call, target) });
  }

  #publishRound(outcome: RoundEvent['outcome'], told: Told): void {
    const { call, target, flowId, arrivedAt, now } = this.#input;
    publish('mrtr:round', () => ({
      ...about(call, target),
      flowId,
      round: 1,
      outcome,
      durationMs: now() - arrivedAt,
      ...told,
    }));
  }
}

/** Without what only later revisions know. */
function inEarlierWords(result: Record<string, unknown>): Record<string, unknown> {
  const { resultType: _type, ttlMs: _ttl, cacheScope: _scope, _meta: meta, ...rest } = result;
  if (!isObject(meta)) return rest;
  return { ...rest, _meta: Object.fromEntries(Object.entries(meta).filter(([name]) => !MODERN_META.has(name))) };
}

function about(call: LegacyCall, target: Target): { method: string; target: string } {
  return { method: call.method, target: target.name };
}
