import type { CompiledForm } from '../elicitation/content.js';
import type { CapabilityName } from '../protocol/capabilities.js';
import { isObject, type InputRequest, type JsonValue } from '../protocol/wire.js';
import { actionOf, ownValue, unusable } from './answer.js';
import type { ElicitResult } from './ask.js';
import { once, type MaybePromise } from './maybe.js';
import type { Question, Reading, Restored } from './question.js';

const NEEDS: readonly CapabilityName[] = ['elicitation.form'];

/** A form-mode question. Most are answered already, so what only goes out with an open one is made when asked for. */
export class FormQuestion<T> implements Question<ElicitResult<T>> {
  readonly kind = 'elicit';
  readonly needs = NEEDS;
  readonly key: string | undefined;
  readonly upFront: boolean;
  readonly #message: string;
  readonly #form: CompiledForm<T>;

  constructor(identity: Pick<Question<T>, 'key' | 'upFront'>, message: string, form: CompiledForm<T>) {
    this.key = identity.key;
    this.upFront = identity.upFront;
    this.#message = message;
    this.#form = form;
  }

  get request(): InputRequest {
    return this.#requestWith(this.#message);
  }

  /** Put together by hand, since the schema is the bulk of it and the same every time. */
  get rendered(): string {
    const message = JSON.stringify(this.#message);
    return `{"method":"elicitation/create","params":{"mode":"form","message":${message},"requestedSchema":${this.#form.schemaText}}}`;
  }

  read(answer: unknown): MaybePromise<Reading<ElicitResult<T>>> {
    const action = actionOf(answer);
    if (action === undefined) return unusable('The answer has no valid action.');
    if (action !== 'accept') return { ok: true, record: action, value: { action } };
    return once(this.#form.accept(ownValue(answer, 'content')), (accepted): Reading<ElicitResult<T>> =>
      accepted.ok
        ? { ok: true, record: accepted.record, value: { action, content: accepted.value } }
        : unusable(accepted.reason),
    );
  }

  restore(record: JsonValue): MaybePromise<Restored<ElicitResult<T>>> {
    if (record === 'decline' || record === 'cancel') return { ok: true, value: { action: record } };
    if (!isObject(record)) return { ok: false };
    return once(this.#form.restore(record), (content): Restored<ElicitResult<T>> =>
      content.ok ? { ok: true, value: { action: 'accept', content: content.value } } : content,
    );
  }

  reask(reason: string): InputRequest {
    return this.#requestWith(`${this.#message}\n\n${reason}`);
  }

  #requestWith(message: string): InputRequest {
    const { requestedSchema } = this.#form;
    return { method: 'elicitation/create', params: { mode: 'form', message, requestedSchema } };
  }
}
