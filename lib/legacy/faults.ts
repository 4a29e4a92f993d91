import type { QuestionKind } from '../engine/question.js';
import { ElicitationTimeoutError, MrtrError, SamplingTimeoutError } from '../errors.js';

/** The errors that only a call which waits for its client can end with. */

export function lateAnswer(kind: QuestionKind, key: string, ms: number): MrtrError {
  return kind === 'sample' ? new SamplingTimeoutError(key, ms) : new ElicitationTimeoutError(key, ms);
}

/** The client's own words stay out: they may say anything, and errors reach logs. */
export function clientError(key: string, code: number): MrtrError {
  return new MrtrError(
    'ERR_MRTR_CLIENT',
    `The client answered the question ${JSON.stringify(key)} with the JSON-RPC error ${code}.`,
  );
}

export function tooManyParked(limit: number): MrtrError {
  return new MrtrError(
    'ERR_MRTR_MAILBOX',
    `${limit} questions of this process wait for their answers, so no other can be asked. ` +
      'Raise legacy.maxParked, shorten the time-outs of questions, or add nodes.',
  );
}

export function mailboxFailed(cause: unknown): MrtrError {
  return new MrtrError('ERR_MRTR_MAILBOX', 'The mailbox failed; see the cause.', { cause });
}

/** Of a mailbox that neither does what it is asked to nor says that it cannot. */
export function tooSlow(): MrtrError {
  return new MrtrError('ERR_MRTR_MAILBOX', 'The mailbox did not answer within 5 s.');
}

export function foreignLetter(): MrtrError {
  return new MrtrError('ERR_MRTR_MAILBOX', 'The mailbox gave a message that was not sealed for this question.');
}
