import assert from 'node:assert/strict';
import type { OwnedMethod } from '../protocol/wire.js';
import { isLeft, type Answer } from './answers.js';
import { textOf } from './result-text.js';
import { described, type Script } from './script.js';
import type { Send } from './sender.js';
import type { TestOutcome } from './test-outcome.js';
import type { TestRound } from './test-round.js';

/** One call of a test, over all its rounds. */
export interface Conversation {
  readonly method: OwnedMethod;
  readonly params: Readonly<Record<string, unknown>>;
  readonly send: Send;
  readonly script: Script;
  readonly maxRounds: number;
  /** Looks at each reply that asks, before it is answered; `number` is 1 for the first. */
  readonly onAsked?: (round: TestRound, number: number) => Promise<void>;
}

/** Calls, and answers what is asked from the script until nothing is. Rejects with an `AssertionError` that says what to do. */
export async function converse<Result>(conversation: Conversation): Promise<TestOutcome<Result>> {
  const { method, params, send, script, maxRounds, onAsked } = conversation;
  const rounds: TestRound[] = [];
  const asked: string[] = [];
  let more: Readonly<Record<string, unknown>> = {};
  for (;;) {
    const round = await send(method, { ...params, ...more });
    rounds.push(round);
    const { response, status, inputRequests } = round;
    if (response === undefined) assert.fail(noMcp(round));
    const { result, error } = response;
    if (error !== undefined) return { error, status, text: '', asked, rounds };
    if (inputRequests === undefined) {
      const text = textOf(result);
      script.assertUsed(`it ended with ${JSON.stringify(text)}`);
      return { result: result as Result, status, text, asked, rounds };
    }
    asked.push(...Object.keys(inputRequests));
    await onAsked?.(round, rounds.length);
    if (!(rounds.length < maxRounds)) assert.fail(endless(round, maxRounds));
    more = await retry(round, rounds.length, script);
  }
}

/** What the next request carries beside the parameters of the call. */
async function retry(round: TestRound, number: number, script: Script): Promise<Record<string, unknown>> {
  const answers: [string, Answer][] = [];
  for (const [key, request] of Object.entries(round.inputRequests ?? {})) {
    const answer = await script.answer(key, request, number);
    if (!isLeft(answer)) answers.push([key, answer]);
  }
  const requestState = round.response?.result?.['requestState'];
  return {
    ...(requestState !== undefined && { requestState }),
    ...(answers.length > 0 && { inputResponses: Object.fromEntries(answers) }),
  };
}

function noMcp({ status, headers, body }: TestRound): string {
  const type = headers['content-type'] ?? 'no content type';
  return (
    `The reply is HTTP ${status} with ${type} and not MCP: ${JSON.stringify(body.slice(0, 200))}. ` +
    'If the app serves MCP elsewhere than at /mcp, give testClient() the option path; if it wants to know who calls, give headers; to test such a reply, use client.request().'
  );
}

function endless({ inputRequests = {} }: TestRound, maxRounds: number): string {
  const questions = Object.entries(inputRequests).map(
    ([key, request]) => `${JSON.stringify(key)} (${described(request)})`,
  );
  return (
    `The call is not over after ${maxRounds} requests; the last reply asks ${questions.join(', ')}. ` +
    'If the answers are right and the handler needs that many, raise maxRounds.'
  );
}
