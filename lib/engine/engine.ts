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
 *  7. After the handler settled, answers still being validated are awaited, and so are running steps if a question is
 *     open, within the time to unwind; a round that no open question ends is a server fault if an answer takes longer.
 *  8. Capabilities are checked for all open questions at once, before anything can be sealed.
 *  9. A step's result is recorded once it is there. No step starts once a question is open or the round has a fault: what
 *     a catch or finally block does then, or whoever forgot to await, is not yet what the flow does.
 * 10. After 64 rejected calls of one execution further calls never settle, and the engine ends the round by itself.
 */
import { MrtrError } from '../errors.js';
import { missingCapabilities, type CapabilityName } from '../protocol/capabilities.js';
import type { InputRequest } from '../protocol/wire.js';
import { Attempts } from './attempts.js';
import * as faults from './faults.js';
import { entryWith } from './ledger.js';
import { once, type MaybePromise } from './maybe.js';
import type { RoundInput, RoundOutcome, RoundWarning } from './outcome.js';
import { Pending } from './pending.js';
import type { Question, Reading } from './question.js';
import { Slots, type Slot } from './slots.js';
import { checkStep, Steps } from './steps.js';
import { suspensionOf } from './suspension.js';

const UNWIND_MS = 10_000;

type Settled = { readonly ok: true; readonly value: unknown } | { readonly ok: false; readonly error: unknown };

export class Round {
  readonly #input: RoundInput;
  readonly #slots: Slots;
  readonly #steps: Steps;
  readonly #reading: Pending;
  readonly #running: Pending;
  readonly #attempts: Attempts;
  readonly #open: Slot[] = [];
  readonly #needs: CapabilityName[] = [];
  readonly #rejections: (() => void)[] = [];
  readonly #warnings: RoundWarning[] = [];
  #unwinding = false;
  #over = false;
  #fault: MrtrError | undefined;
  #unread: { readonly error: unknown } | undefined;
  #cancelUnwind: (() => void) | undefined;
  #end: (() => void) | undefined;

  constructor(input: RoundInput) {
    this.#input = input;
    this.#slots = new Slots(input);
    this.#steps = new Steps(input.ledger.steps);
    this.#reading = new Pending(input.timers);
    this.#running = new Pending(input.timers);
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
    const cancelTimeout = this.#startHandlerTimeout();
    const settled = await new Promise<Settled | undefined>((resolve, reject) => {
      this.#end = () => resolve(undefined);
      this.#settle(handler).then(resolve, reject);
    });
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
      if (this.#fault !== undefined) throw this.#fault;
      const [open] = this.#open;
      if (this.#unwinding) throw suspensionOf(open?.entry.key ?? name);
      if (!this.#steps.knows(name)) {
        if (open !== undefined) return this.#suspended(open.entry.key);
        if (this.#input.recordedStepsOnly === true) throw suspensionOf(name);
      }
      return this.#running.track(this.#recordingFaults(() => this.#steps.run(name, fn)));
    });
  }

  #ask<T>(question: Question<T>): MaybePromise<T> {
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

  #restore<T>(slot: Slot, question: Question<T>): MaybePromise<T> {
    return once(this.#tracked(question.restore(slot.entry.answer)), (restored) =>
      restored.ok ? restored.value : this.#openSlot(slot, question, question.request),
    );
  }

  #read<T>(slot: Slot, question: Question<T>, answer: unknown): MaybePromise<T> {
    const reading = question.read(answer);
    // What could not be read is unanswered, whoever caught that: the handler must not complete past it.
    if (reading instanceof Promise) reading.catch((error: unknown) => (this.#unread ??= { error }));
    return once(this.#tracked(reading), (read) => this.#take(slot, question, read));
  }

  #tracked<V>(work: MaybePromise<V>): MaybePromise<V> {
    return work instanceof Promise ? this.#reading.track(work) : work;
  }

  #take<T>(slot: Slot, question: Question<T>, reading: Reading<T>): MaybePromise<T> {
    if (reading.ok) {
      slot.entry = entryWith(slot.entry, 'answered', reading.record);
      return reading.value;
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
    slot.entry = entryWith(slot.entry, 'open', null);
    slot.request = request;
    this.#open.push(slot);
    this.#needs.push(...question.needs);
    if (this.#rejections.length === 0) this.#input.timers.endOfTurn(() => this.#unwind());
    return this.#suspended(slot.entry.key);
  }

  /** Rejects once the handler unwinds. */
  #suspended(key: string): Promise<never> {
    return new Promise<never>((_resolve, reject) => {
      this.#rejections.push(() => reject(suspensionOf(key)));
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
      else this.#fault ??= faults.validationTimeout(UNWIND_MS);
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
    while (this.#reading.any || (this.#open.length > 0 && this.#running.any)) {
      this.#limitUnwind();
      await (this.#reading.any ? this.#reading : this.#running).done();
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
    if (slots.length === 0) return;
    const questions = slots.map(({ entry: { key, kind, fingerprint } }) => ({ key, kind, fingerprint }));
    this.#warnings.push({ kind, questions });
  }

  #outcome(settled: Settled | undefined): RoundOutcome {
    const malformed = this.#open.length > 0 && settled?.ok === false ? faults.malformed(settled.error) : undefined;
    const fault = this.#fault ?? malformed;
    if (fault !== undefined) return { kind: 'failed', code: fault.code, error: fault };
    if (this.#open.length > 0) return this.#inputRequired(settled);
    if (settled?.ok !== true) return { kind: 'failed', code: 'ERR_MRTR_HANDLER', error: settled?.error };
    if (this.#unread !== undefined) return { kind: 'failed', code: 'ERR_MRTR_HANDLER', error: this.#unread.error };
    this.#warn('unconsumed_answer', this.#slots.unconsumed);
    return { kind: 'complete', result: settled.value, answered: this.#slots.answered, warnings: this.#warnings };
  }

  #inputRequired(settled: Settled | undefined): RoundOutcome {
    const missing = missingCapabilities(this.#input.capabilities, this.#needs);
    if (missing !== undefined) {
      const error = faults.missingCapability(missing);
      return { kind: 'failed', code: error.code, error, requiredCapabilities: missing };
    }
    if (settled?.ok === true) this.#warn('swallowed_signal', this.#open);
    const requests = new Map<string, InputRequest>();
    for (const { entry, request } of this.#open) if (request !== undefined) requests.set(entry.key, request);
    this.#warn('changed_question', this.#slots.changed);
    const { answered } = this.#slots;
    const { entries, nextOrdinal } = this.#slots.ledger();
    const ledger = { entries, nextOrdinal, steps: this.#steps.results };
    return { kind: 'input_required', requests, ledger, answered, warnings: this.#warnings };
  }
}
