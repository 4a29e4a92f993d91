/**
 * One call of an earlier revision: the handler runs once, from the top to its end, and waits for what it asks.
 *
 * It shares questions, slots, steps and faults with the engine's rounds. It knows no HTTP, cipher or mailbox: a
 * `Correspondent` puts a request to the client. Invariants:
 *
 *  1. Nothing is executed twice: a question is asked by a request of its own, and its promise settles with the answer.
 *  2. Questions of one turn go out together, and none of them does if one needs what the client did not declare or cannot
 *     be put on the wire. A missing capability ends the call, whatever the handler makes of it.
 *  3. An answer is read as in a round: an unusable one is asked again with the reason, `maxAttempts` end the call.
 *  4. Once the call is over, asking rejects, and whatever is still open is withdrawn. No step starts while a question is
 *     open; nor after one got no answer, whoever caught that.
 *  5. `handlerTimeoutSeconds` runs only while no question is open: people's time is not the handler's.
 *  6. After 64 rejected calls of `ctx` further ones never settle, and the call ends by itself.
 */
import { Attempts } from '../engine/attempts.js';
import * as faults from '../engine/faults.js';
import { EMPTY_LEDGER } from '../engine/ledger.js';
import type { Question, Reading } from '../engine/question.js';
import { Slots, type Slot } from '../engine/slots.js';
import { checkStep, Steps } from '../engine/steps.js';
import { MrtrError } from '../errors.js';
import type { QuestionEvent } from '../events.js';
import { missingCapabilities, type CapabilityName } from '../protocol/capabilities.js';
import type { InputRequest, JsonObject } from '../protocol/wire.js';
import { clientError, lateAnswer } from './faults.js';
import { HandlerTime } from './handler-time.js';
import type { ConversationInput, ConversationOutcome } from './outcome.js';

type Settled = { readonly ok: true; readonly value: unknown } | { readonly ok: false; readonly error: unknown };

const UNWIND_MS = 10_000;
/** Between a consent to what is not done yet and the next question: a client that consents by itself must not spin. */
const WAIT_MS = 1000;

export class Conversation {
  readonly #input: ConversationInput;
  readonly #slots: Slots;
  readonly #steps = new Steps(EMPTY_LEDGER.steps);
  readonly #attempts: Attempts;
  readonly #time: HandlerTime;
  readonly #asked: Slot[] = [];
  /** Questions without an answer yet. */
  readonly #open = new Set<Promise<unknown>>();
  #unanswered: { readonly error: unknown } | undefined;
  /** What the questions of this turn need. */
  readonly #needs: CapabilityName[] = [];
  #turn: Promise<void> | undefined;
  #answered = 0;
  #over = false;
  #fault: MrtrError | undefined;
  #required: JsonObject | undefined;
  #end: (() => void) | undefined;
  #cancelUnwind: (() => void) | undefined;

  constructor(input: ConversationInput) {
    this.#input = input;
    this.#slots = new Slots({
      ledger: EMPTY_LEDGER,
      answer: () => undefined,
      fresh: false,
      upFront: true,
      onLedgerMismatch: 'reask',
    });
    this.#attempts = new Attempts({
      over: () => this.#over || input.gone(),
      exhausted: () => this.#endBy(faults.tooManyRejections()),
    });
    this.#time = new HandlerTime(input.handlerTimeoutMs, input.timers, () => {
      this.#endBy(faults.handlerTimeout(input.handlerTimeoutMs));
    });
  }

  /** Usable answers so far. */
  get answered(): number {
    return this.#answered;
  }

  /** The questions that went out, as events name them. */
  get questions(): readonly QuestionEvent[] {
    return this.#asked.map(({ entry: { key, kind, fingerprint } }) => ({ key, kind, fingerprint }));
  }

  /** Runs the handler to its end, or to the end that the invariants set, and says what came of it. */
  async run(handler: () => unknown): Promise<ConversationOutcome> {
    const ended = new Promise<undefined>((resolve) => {
      this.#end = () => resolve(undefined);
    });
    this.#time.start();
    const settled = await Promise.race([settle(handler), ended]);
    this.#time.stop();
    this.#cancelUnwind?.();
    this.#over = true;
    return this.#outcome(settled);
  }

  /** Asks one question and waits for its answer. The promise never causes an unhandled rejection by itself. */
  ask<T>(question: () => Question<T>): Promise<T> {
    return this.#attempts.run(() => {
      const asking = this.#ask(question());
      this.#open.add(asking);
      asking.catch((error: unknown) => (this.#unanswered ??= { error })).finally(() => this.#open.delete(asking));
      return asking;
    });
  }

  /** Runs one call of a step, by the rules of a round: its result must be JSON, and its name is not running already. */
  step(name: string, fn: () => unknown): Promise<unknown> {
    return this.#attempts.run(async () => {
      checkStep(name, fn);
      while (this.#open.size > 0) await Promise.allSettled(this.#open);
      if (this.#fault !== undefined) throw this.#fault;
      if (this.#unanswered !== undefined) throw this.#unanswered.error;
      if (this.#over || this.#input.gone()) throw faults.roundOver();
      return this.#recordingFaults(() => this.#steps.run(name, fn));
    });
  }

  async #ask<T>(question: Question<T>): Promise<T> {
    const slot = this.#recordingFaults(() => this.#slots.reach(question));
    slot.request = question.request;
    try {
      await this.#goOut(question.needs);
      this.#asked.push(slot);
      return await this.#converse(slot, question);
    } finally {
      // Nothing is open here any more: the same question may be asked again.
      delete slot.request;
    }
  }

  async #converse<T>(slot: Slot, question: Question<T>): Promise<T> {
    const { now, samplingTimeoutMs, elicitationTimeoutMs } = this.#input;
    const timeoutMs = question.kind === 'sample' ? samplingTimeoutMs : elicitationTimeoutMs;
    let until = now() + timeoutMs;
    let left = timeoutMs;
    let { request } = question;
    for (;;) {
      const reading = left > 0 ? await this.#put(slot, question, request, left) : undefined;
      if (reading === undefined) throw lateAnswer(question.kind, slot.entry.key, timeoutMs);
      if (reading.ok) {
        slot.entry = { ...slot.entry, status: 'answered', answer: reading.record };
        this.#answered += 1;
        return reading.value;
      }
      if (reading.wait === true) await this.#pause();
      else {
        this.#countAttempt(slot);
        until = now() + timeoutMs;
      }
      left = until - now();
      if (this.#over || this.#input.gone()) throw faults.roundOver();
      request = question.reask(reading.reason);
    }
  }

  #pause(): Promise<void> {
    return this.#time.pausedFor(() => new Promise((resolve) => void this.#input.timers.after(WAIT_MS, resolve)));
  }

  /** Settles at the end of the turn, for all questions of the turn alike. */
  #goOut(needs: readonly CapabilityName[]): Promise<void> {
    this.#needs.push(...needs);
    this.#turn ??= new Promise((resolve, reject) => {
      this.#input.timers.endOfTurn(() => {
        this.#turn = undefined;
        const missing = missingCapabilities(this.#input.capabilities, this.#needs.splice(0));
        if (missing !== undefined) this.#refuse(missing);
        if (this.#fault !== undefined) reject(this.#fault);
        else if (this.#over || this.#input.gone()) reject(faults.roundOver());
        else resolve();
      });
    });
    return this.#turn;
  }

  #refuse(missing: JsonObject): void {
    if (this.#over || this.#fault !== undefined) return;
    this.#required = missing;
    this.#fail(faults.missingCapability(missing));
  }

  /** `undefined` when the time was up first. */
  async #put<T>(
    slot: Slot,
    question: Question<T>,
    request: InputRequest,
    timeoutMs: number,
  ): Promise<Reading<T> | undefined> {
    const response = await this.#time.pausedFor(() => this.#input.correspondent.put(request, timeoutMs));
    switch (response.kind) {
      case 'result':
        return question.read(response.result);
      case 'error':
        throw clientError(slot.entry.key, response.code);
      case 'late':
        return undefined;
      case 'withdrawn':
        throw faults.roundOver();
    }
  }

  #countAttempt(slot: Slot): void {
    const attempts = slot.entry.attempts + 1;
    slot.entry = { ...slot.entry, attempts };
    if (attempts < this.#input.maxAttempts) return;
    const fault = faults.tooManyAttempts(slot.entry.key, attempts);
    this.#fail(fault);
    throw fault;
  }

  #recordingFaults<R>(call: () => R): R {
    try {
      return call();
    } catch (error) {
      // Recorded, since a handler that catches it must not complete as if it had been served.
      if (error instanceof MrtrError) this.#fail(error);
      throw error;
    }
  }

  /** Nothing that the handler still does can save the call, so it gets no more than the time to unwind. */
  #fail(fault: MrtrError): void {
    this.#fault ??= fault;
    this.#cancelUnwind ??= this.#input.timers.after(UNWIND_MS, () => this.#end?.());
  }

  #endBy(fault: MrtrError): void {
    this.#fault ??= fault;
    this.#end?.();
  }

  #outcome(settled: Settled | undefined): ConversationOutcome {
    const fault = this.#fault;
    if (fault !== undefined) {
      const required = this.#required !== undefined && { requiredCapabilities: this.#required };
      return { kind: 'failed', code: fault.code, error: fault, ...required };
    }
    if (settled?.ok === true) return { kind: 'complete', result: settled.value };
    return { kind: 'failed', code: 'ERR_MRTR_HANDLER', error: settled?.error };
  }
}

async function settle(handler: () => unknown): Promise<Settled> {
  try {
    return { ok: true, value: await handler() };
  } catch (error) {
    return { ok: false, error };
  }
}
