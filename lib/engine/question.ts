import type { CapabilityName } from '../protocol/capabilities.js';
import type { InputRequest, JsonValue } from '../protocol/wire.js';
import type { MaybePromise } from './maybe.js';

/** The kinds of question, in the order that their numbers in a sealed ledger mean. Append only. */
export const QUESTION_KINDS = ['elicit', 'url', 'sample', 'roots'] as const;
export type QuestionKind = (typeof QUESTION_KINDS)[number];

/** What became of an incoming answer: recorded and handed on, or unusable for a reason the person can read. */
export type Reading<T> =
  | { readonly ok: true; readonly record: JsonValue; readonly value: T }
  | {
      readonly ok: false;
      readonly reason: string;
      /** The answer was good, but what it depends on is not done yet: asked again without counting against the person. */
      readonly wait?: true;
    };

/** What a recorded answer means to the handler in a later execution. */
export type Restored<T> = { readonly ok: true; readonly value: T } | { readonly ok: false };

/** A rendered question: what goes out, what it needs, and how its answers are read. */
export interface Question<T> {
  readonly kind: QuestionKind;
  /** The explicit key, when the handler gave one. */
  readonly key: string | undefined;
  /** Whether the answer may come with a fresh call, before the question was asked. */
  readonly upFront: boolean;
  readonly request: InputRequest;
  /** The JSON text of `request`, by which the question is known again. */
  readonly rendered: string;
  readonly needs: readonly CapabilityName[];
  read(answer: unknown): MaybePromise<Reading<T>>;
  restore(record: JsonValue): MaybePromise<Restored<T>>;
  /** The request again, telling the person why the last answer could not be used. */
  reask(reason: string): InputRequest;
}

/** The shape of the wire keys that unkeyed questions get; an explicit key must not look like one. */
export const UNKEYED = /^(?:elicit|sample|roots)-\d+$/;

/** The wire key of an unkeyed question. */
export function unkeyedKey(kind: QuestionKind, ordinal: number): string {
  return `${kind === 'url' ? 'elicit' : kind}-${ordinal}`;
}
