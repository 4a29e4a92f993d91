/**
 * One round: the handler runs from the top against a ledger of recorded answers.
 *
 * The engine owns the ledger while a round runs and decides the round's outcome. It knows no HTTP, cipher, store or
 * clock; time reaches it through `Timers`. Invariants:
 *
 *  1. An incoming answer is taken only for an entry that is open in the ledger, by its key.
 *  2. An explicit key finds its entry by key; an unkeyed question finds its entry by kind, fingerprint and occurrence.
 *     A question whose fingerprint changed is a new question: an answer never reaches a question it was not given to.
 *  3. An open question is recorded apart from the rejection that unwinds the handler: whatever the handler returns or
 *     throws, the round ends `input_required`; only a malformed question that it lets pass ends it as a fault. Once it
 *     unwinds, a question asked in error only rejects.
 *  4. Questions of one turn go out together: open questions reject at the end of the turn that opened the first.
 *  5. Answers handed to the handler are copies; what it mutates is never recorded.
 *  6. Once the round is over, asking rejects and changes nothing.
 *  7. After the handler settled, answers still being validated and steps still running are awaited, within the time to
 *     unwind; a round that no open question ends is a server fault if they take longer.
 *  8. Capabilities are checked for all open questions at once, before anything can be sealed.
 *  9. A step's result is recorded once it is there. No step starts once the handler unwinds: what a catch or finally block
 *     does then is not yet what the flow does.
 * 10. After 64 rejected calls of one execution further calls never settle, and the engine ends the round by itself.
 */
import { MrtrError } from '../errors.js';
import { missingCapabilities, type CapabilityName } from '../protocol/capabilities.js';
import type { InputRequest } from '../protocol/wire.js';
import { Attempts } from './attempts.js';
import * as faults from './faults.js';
import type { RoundInput, RoundOutcome, RoundWarning } from './outcome.js';
import { Pending } from './pending.js';
import type { Question, Reading } from './question.js';
import { Slots, type Slot } from './slots.js';
import { checkStep, Steps } from './steps.js';
import { Suspension } from './suspension.js';

const UNWIND_MS = 10_000;

type Settled = { readonly ok: true; readonly value: unknown } | { readonly ok: false; readonly error: unknown };

export class Round {
  readonly #input: RoundInput;
  readonly #slots: Slots;
  readonly #steps: Steps;
  /** Answers being validated and steps that run. */
  readonly #pending: Pending;
  readonly #attempts: Attempts;
  readonly #open: Slot[] = [];
  readonly #needs: CapabilityName[] = [];
  readonly #rejections: (() => void)[] = [];
  readonly #warnings: RoundWarning[] = [];
  #unwinding = false;
  #over = false;
  #fault: MrtrError | undefined;
  #cancelUnwind: (() => void) | undefined;
  #end: (() => void) | undefined;

  constructor(input: RoundInput) {
    this.#input = input;
    this.#slots = new Slots(input);
    this.#steps = new Steps(input.ledger.steps);
    this.#pending = new Pending(input.timers);
    this.#attempts = new Attempts({
      over: () => this.#over || input.gone(),
      exhausted: () => {
        if (this.#open.length === 0) this.#fault ??= faults.tooManyRejections();
        this.#end?.();
      },
    });
  }

  /** Runs the handler to its end, or to the end that the invariants set, and says what came of it. */
  async run(handler: () => unknown): Promise<RoundOutcome> {
    const ended = new Promise<undefined>((resolve) => {
      this.#end = () => resolve(undefined);
    });
    const cancelTimeout = this.#startHandlerTimeout();
    const settled = await Promise.race([this.#settle(handler), ended]);
    cancelTimeout?.();
    this.#cancelUnwind?.();
    this.#over = true;
    return this.#outcome(settled);
  }

  /** Asks one question. The promise never causes an unhandled rejection by itself. */
  ask<T>(question: () => Question<T>): Promise<T> {
    return this.#attempts.run(() => this.#ask(question()));
  }

  /** Runs one call of a step, or gives back what it gave in an earlier round. */
  step(name: string, fn: () => unknown): Promise<unknown> {
    return this.#attempts.run(() => {
      checkStep(name, fn);
      if (this.#unwinding) throw new Suspension(this.#open[0]?.entry.key ?? name);
      return this.#pending.track(this.#recordingFaults(() => this.#steps.run(name, fn)));
    });
  }

  #ask<T>(question: Question<T>): Promise<T> {
    const slot = this.#recordingFaults(() => this.#slots.reach(question));
    switch (slot.entry.status) {
      case 'answered':
        return this.#restore(slot, question);
      case 'unread':
        return this.#read(slot, question, slot.entry.answer);
      case 'open':
        return this.#openSlot(slot, question, question.request);
    }
  }

  #recordingFaults<R>(call: () => R): R {
    try {
      return call();
    } catch (error) {
      // Recorded, since a handler that catches it must not complete as if it had been served. While it unwinds it cannot
      // complete, and asking once more from a catch block is no mistake of the next execution.
      if (error instanceof MrtrError && !this.#unwinding) this.#fault ??= error;
      throw error;
    }
  }

  #restore<T>(slot: Slot, question: Question<T>): Promise<T> {
    const reopen = (): Promise<T> => this.#openSlot(slot, question, question.request);
    const restored = question.restore(slot.entry.answer);
    if (restored instanceof Promise) {
      return this.#pending.track(restored).then((late) => (late.ok ? late.value : reopen()));
    }
    return restored.ok ? Promise.resolve(restored.value) : reopen();
  }

  #read<T>(slot: Slot, question: Question<T>, answer: unknown): Promise<T> {
    const reading = question.read(answer);
    if (reading instanceof Promise)
      return this.#pending.track(reading).then((late) => this.#take(slot, question, late));
    return this.#take(slot, question, reading);
  }

  #take<T>(slot: Slot, question: Question<T>, reading: Reading<T>): Promise<T> {
    if (reading.ok) {
      slot.entry = { ...slot.entry, status: 'answered', answer: reading.record };
      return Promise.resolve(reading.value);
    }
    // A wait is no failure of the person's: they said yes, what they agreed to is not done yet.
    const attempts = slot.entry.attempts + (reading.wait === true ? 0 : 1);
    slot.entry = { ...slot.entry, attempts };
    if (attempts >= this.#input.maxAttempts) {
      this.#fault ??= faults.tooManyAttempts(slot.entry.key, attempts);
      throw this.#fault;
    }
    return this.#openSlot(slot, question, question.reask(reading.reason));
  }

  #openSlot<T>(slot: Slot, question: Question<T>, request: InputRequest): Promise<T> {
    slot.entry = { ...slot.entry, status: 'open', answer: null };
    slot.request = request;
    this.#open.push(slot);
    this.#needs.push(...question.needs);
    if (this.#rejections.length === 0) this.#input.timers.endOfTurn(() => this.#unwind());
    return new Promise<T>((_resolve, reject) => {
      this.#rejections.push(() => reject(new Suspension(slot.entry.key)));
    });
  }

  #unwind(): void {
    // Once the round is over nobody waits for these promises any more; rejecting them could only do harm.
    if (this.#over) return;
    this.#unwinding = true;
    for (const reject of this.#rejections.splice(0)) reject();
    this.#limitUnwind();
  }

  #limitUnwind(): void {
    this.#cancelUnwind ??= this.#input.timers.after(UNWIND_MS, () => {
      if (this.#open.length > 0) this.#warn('slow_unwind', this.#open);
      else this.#fault ??= faults.pendingTimeout(UNWIND_MS);
      this.#end?.();
    });
  }

  async #settle(handler: () => unknown): Promise<Settled> {
    let settled: Settled;
    try {
      settled = { ok: true, value: await handler() };
    } catch (error) {
      settled = { ok: false, error };
    }
    if (this.#pending.any) {
      this.#limitUnwind();
      await this.#pending.done();
    }
    return settled;
  }

  #startHandlerTimeout(): (() => void) | undefined {
    const { handlerTimeoutMs, timers } = this.#input;
    if (handlerTimeoutMs === 0) return undefined;
    return timers.after(handlerTimeoutMs, () => {
      if (this.#open.length === 0) this.#fault ??= faults.handlerTimeout(handlerTimeoutMs);
      this.#end?.();
    });
  }

  #warn(kind: RoundWarning['kind'], slots: readonly Slot[]): void {
    const questions = slots.map(({ entry: { key, kind, fingerprint } }) => ({ key, kind, fingerprint }));
    this.#warnings.push({ kind, questions });
  }

  #outcome(settled: Settled | undefined): RoundOutcome {
    const malformed = this.#open.length > 0 && settled?.ok === false ? faults.malformed(settled.error) : undefined;
    const fault = this.#fault ?? malformed;
    if (fault !== undefined) return { kind: 'failed', code: fault.code, error: fault };
    if (this.#open.length > 0) return this.#inputRequired(settled);
    if (settled?.ok !== true) return { kind: 'failed', code: 'ERR_MRTR_HANDLER', error: settled?.error };
    const unconsumed = this.#slots.unconsumed;
    if (unconsumed.length > 0) this.#warn('unconsumed_answer', unconsumed);
    return { kind: 'complete', result: settled.value, answered: this.#slots.answered, warnings: this.#warnings };
  }

  #inputRequired(settled: Settled | undefined): RoundOutcome {
    const missing = missingCapabilities(this.#input.capabilities, this.#needs);
    if (missing !== undefined) {
      return {
        kind: 'failed',
        code: 'ERR_MRTR_CAPABILITY',
        error: faults.missingCapability(missing),
        requiredCapabilities: missing,
      };
    }
    if (settled?.ok === true) this.#warn('swallowed_signal', this.#open);
    const requests = new Map<string, InputRequest>();
    for (const { entry, request } of this.#open) if (request !== undefined) requests.set(entry.key, request);
    const changed = this.#slots.changed;
    if (changed.length > 0) this.#warn('changed_question', changed);
    const { answered } = this.#slots;
    const ledger = { ...this.#slots.ledger(), steps: this.#steps.results };
    return { kind: 'input_required', requests, ledger, answered, warnings: this.#warnings };
  }
}
