import { compileForm, type FormInput } from '../elicitation/content.js';
import type { CapabilityName } from '../protocol/capabilities.js';
import {
  isObject,
  type CreateMessageParams,
  type CreateMessageResult,
  type JsonObject,
  type JsonValue,
  type Root,
} from '../protocol/wire.js';
import { actionOf, isAction, ownValue, unusable } from './answer.js';
import { FormQuestion } from './form-question.js';
import {
  checkHeld,
  checkMessage,
  checkOptions,
  checkUntil,
  checkUrl,
  identity,
  questionError,
} from './question-checks.js';
import type { Question, Reading } from './question.js';

/** What a person did with a form. Only `accept` has `content`; check `action` first. */
export type ElicitResult<T> =
  { readonly action: 'accept'; readonly content: T } | { readonly action: 'decline' } | { readonly action: 'cancel' };

/** What a person did with a link. `accept` is consent to open it, not its completion. */
export interface UrlElicitResult {
  readonly action: 'accept' | 'decline' | 'cancel';
}

export interface QuestionOptions {
  /**
   * Names the question within the flow and on the wire. Up to 128 characters, unique within one execution, not of the
   * form `elicit-1`.
   * @default `elicit-1`, `sample-2`, … in the order in which the flow opened its unkeyed questions
   */
  readonly key?: string;
  /**
   * Lets the answer come with a fresh call, before the question was asked: needs `key`, is validated like any answer,
   * and holds for that one execution.
   * @default false
   */
  readonly upFront?: boolean;
}

export interface ElicitOptions<T> extends QuestionOptions {
  /** Why the input is needed, for the person. */
  readonly message: string;
  /** Made by `form({ … })`, or a Standard Schema that converts to a flat form. */
  readonly form: FormInput<T>;
}

export interface ElicitUrlOptions extends QuestionOptions {
  /** Why the page has to be opened, for the person. */
  readonly message: string;
  /** An absolute URL. */
  readonly url: string | URL;
  /**
   * Whether what the person was sent to do is done, as far as this server knows. As long as it gives `false`, an
   * accept is not recorded and the person is asked again; that counts neither as a round nor as an unusable answer.
   * @default none: an accept is recorded as it comes
   */
  readonly until?: () => boolean | Promise<boolean>;
}

export type SampleOptions = CreateMessageParams & QuestionOptions;

const FORM_OPTIONS = ['message', 'form'] as const;

/** A form-mode elicitation (MCP 2026-07-28, Elicitation, Form Mode). */
export function elicitQuestion<T>(options: ElicitOptions<T>, call = 'ctx.elicit'): Question<ElicitResult<T>> {
  checkOptions(call, options, FORM_OPTIONS);
  const message = checkMessage(call, options.message);
  const form = compileForm<T>(options.form);
  return new FormQuestion(identity(call, options), message, form);
}

/** A URL-mode elicitation (MCP 2026-07-28, Elicitation, URL Mode). */
export function urlQuestion(options: ElicitUrlOptions): Question<UrlElicitResult> {
  checkOptions('ctx.elicitUrl', options, ['message', 'url', 'until']);
  const message = checkMessage('ctx.elicitUrl', options.message);
  const url = checkUrl(options.url);
  const until = checkUntil(options.until);
  const requestOf = (text: string): Question<unknown>['request'] => ({
    method: 'elicitation/create',
    params: { mode: 'url', message: text, url },
  });
  const request = requestOf(message);
  return {
    ...identity('ctx.elicitUrl', options),
    kind: 'url',
    request,
    rendered: JSON.stringify(request),
    needs: ['elicitation.url'],
    read: (answer) => readUrl(answer, until),
    restore: (record) => (isAction(record) ? { ok: true, value: { action: record } } : { ok: false }),
    reask: (reason) => requestOf(`${message}\n\n${reason}`),
  };
}

function readUrl(
  answer: unknown,
  until: ElicitUrlOptions['until'],
): Reading<UrlElicitResult> | Promise<Reading<UrlElicitResult>> {
  const action = actionOf(answer);
  if (action === undefined) return unusable('The answer has no valid action.');
  if (action !== 'accept' || until === undefined) return { ok: true, record: action, value: { action } };
  return (async () => {
    if (checkHeld(await until())) return { ok: true, record: action, value: { action } };
    return { ...unusable('This is not done yet.'), wait: true };
  })();
}

/** A request to the client's model (MCP 2026-07-28, Sampling). */
export function sampleQuestion(options: SampleOptions): Question<CreateMessageResult> {
  if (!isObject(options) || !Array.isArray(options.messages) || !Number.isSafeInteger(options.maxTokens)) {
    throw questionError('ctx.sample', 'needs an object with messages (an array) and maxTokens (an integer)');
  }
  const { key, upFront, ...params } = options;
  const needs: CapabilityName[] = ['sampling'];
  if (params.tools !== undefined || params.toolChoice !== undefined) needs.push('sampling.tools');
  if (params.includeContext !== undefined && params.includeContext !== 'none') needs.push('sampling.context');
  const request = { method: 'sampling/createMessage' as const, params: wireCopy(params) };
  return {
    ...identity('ctx.sample', { ...(key !== undefined && { key }), ...(upFront !== undefined && { upFront }) }),
    kind: 'sample',
    request,
    rendered: JSON.stringify(request),
    needs,
    read(answer) {
      const record = sampleRecord(answer);
      return record === undefined
        ? unusable('The answer is no message of a model.')
        : { ok: true, record, value: copy(record) as CreateMessageResult };
    },
    restore: (record) => ({ ok: true, value: copy(record) as CreateMessageResult }),
    reask: () => request,
  };
}

/** A request for the client's roots (MCP 2026-07-28, Roots). */
export function rootsQuestion(options: QuestionOptions = {}): Question<Root[]> {
  checkOptions('ctx.listRoots', options, []);
  const request = { method: 'roots/list' as const };
  return {
    ...identity('ctx.listRoots', options),
    kind: 'roots',
    request,
    rendered: JSON.stringify(request),
    needs: ['roots'],
    read(answer) {
      const record = rootsRecord(answer);
      return record === undefined
        ? unusable('The answer is no list of roots.')
        : { ok: true, record, value: copy(record).roots as unknown as Root[] };
    },
    restore: (record) => ({ ok: true, value: copy(record as JsonObject).roots as unknown as Root[] }),
    reask: () => request,
  };
}

function sampleRecord(answer: unknown): JsonObject | undefined {
  const role = ownValue(answer, 'role');
  const model = ownValue(answer, 'model');
  const content = ownValue(answer, 'content');
  const stopReason = ownValue(answer, 'stopReason');
  if ((role !== 'assistant' && role !== 'user') || typeof model !== 'string') return undefined;
  const blocks: unknown[] = Array.isArray(content) ? content : [content];
  if (!blocks.every((block) => typeof ownValue(block, 'type') === 'string')) return undefined;
  const record: JsonObject = { role, content: content as JsonValue, model };
  if (typeof stopReason === 'string') record['stopReason'] = stopReason;
  return record;
}

function rootsRecord(answer: unknown): JsonObject | undefined {
  const roots = ownValue(answer, 'roots');
  if (!Array.isArray(roots)) return undefined;
  const kept: JsonObject[] = [];
  for (const root of roots as unknown[]) {
    const uri = ownValue(root, 'uri');
    const name = ownValue(root, 'name');
    if (typeof uri !== 'string' || !uri.startsWith('file://')) return undefined;
    kept.push(typeof name === 'string' ? { uri, name } : { uri });
  }
  return { roots: kept };
}

/** What the handler does to its messages afterwards must not change the question that goes out. */
function wireCopy(params: CreateMessageParams): CreateMessageParams {
  try {
    return JSON.parse(JSON.stringify(params)) as CreateMessageParams;
  } catch {
    // The runtime's message may repeat what could not be carried.
    throw questionError('ctx.sample', 'takes only what JSON can carry: no cycles, no bigints');
  }
}

function copy<V extends JsonValue>(value: V): V {
  return JSON.parse(JSON.stringify(value)) as V;
}
