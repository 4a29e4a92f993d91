import { MrtrError, type MrtrErrorCode } from '../errors.js';
import type { JsonObject } from '../protocol/wire.js';

/** The errors that a round can end with or answer a call of `ctx` with, each saying what to do. */

export function roundOver(): MrtrError {
  return new MrtrError(
    'ERR_MRTR_ROUND_OVER',
    'ctx was asked after the round was over: the handler has settled, or the client went away. ' +
      'Await every question before the handler returns.',
  );
}

export function duplicateKey(key: string): MrtrError {
  return new MrtrError(
    'ERR_MRTR_DUPLICATE_KEY',
    `The key ${JSON.stringify(key)} was used twice in one execution. Give each question a key of its own, ` +
      'for example with a loop index in it.',
  );
}

export function duplicateQuestion(kind: string): MrtrError {
  return new MrtrError(
    'ERR_MRTR_DUPLICATE_QUESTION',
    `Two unkeyed ${JSON.stringify(kind)} questions of equal text are open at once, so their answers could not be told apart. ` +
      'Give each an explicit key: ctx.elicit({ key: "first", … }).',
  );
}

export function upFrontRefused(): MrtrError {
  return new MrtrError(
    'ERR_MRTR_QUESTION',
    'upFront does not go with the replay option: an answer that comes with a fresh call is bound to no state that could be spent.',
  );
}

export function tooManyRejections(): MrtrError {
  return new MrtrError(
    'ERR_MRTR_TOO_MANY_REJECTIONS',
    'The handler kept calling ctx after 64 of its calls had been rejected. Let the first rejection pass instead of retrying it in a loop.',
  );
}

export function tooManyAttempts(key: string, attempts: number): MrtrError {
  return new MrtrError(
    'ERR_MRTR_ATTEMPTS',
    `The question ${JSON.stringify(key)} was given ${attempts} unusable answers (maxAttempts); the flow has ended.`,
  );
}

export function handlerTimeout(ms: number): MrtrError {
  return new MrtrError(
    'ERR_MRTR_HANDLER_TIMEOUT',
    `The handler has not settled within ${ms / 1000} s (handlerTimeoutSeconds). Pass ctx.signal to what it waits for.`,
  );
}

export function validationTimeout(ms: number): MrtrError {
  return new MrtrError(
    'ERR_MRTR_HANDLER_TIMEOUT',
    `An answer was still being validated ${ms / 1000} s after the handler had settled. Make the schema's validator settle sooner.`,
  );
}

export function missingCapability(required: JsonObject): MrtrError {
  return new MrtrError(
    'ERR_MRTR_CAPABILITY',
    `The handler asked for what the client did not declare: ${JSON.stringify(required)}. ` +
      'Look at ctx.client.supports(…) before asking, or set requires on the definition.',
  );
}

/**
 * The fault of a handler that let pass that one of its questions cannot be put on the wire, or a step's result not be kept. It is told at once, not after
 * the questions beside it have been answered.
 */
export function malformed(error: unknown): MrtrError | undefined {
  if (!(error instanceof MrtrError)) return undefined;
  const told: readonly MrtrErrorCode[] = ['ERR_MRTR_QUESTION', 'ERR_MRTR_SCHEMA', 'ERR_MRTR_STEP'];
  return told.includes(error.code) ? error : undefined;
}
