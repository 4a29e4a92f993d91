import assert from 'node:assert/strict';
import type { AnyDefinition, PromptDefinition, ResourceDefinition, ToolDefinition } from '../definitions.js';
import { isDefinition } from '../definitions.js';
import { systemTimers } from '../engine/timers.js';
import type { MrtrOptions } from '../options.js';
import type { CallToolResult, GetPromptResult, ReadResourceResult } from '../protocol/content.js';
import type { OwnedMethod } from '../protocol/wire.js';
import { actingAs, appOf } from './client-app.js';
import type { CallOptions } from './client-options.js';
import { converse } from './conversation.js';
import { whileListening } from './http-exchange.js';
import { differenceOf } from './question-difference.js';
import { Script } from './script.js';
import { sender, type Send } from './sender.js';
import { testMrtr } from './test-mrtr.js';
import type { TestOutcome } from './test-outcome.js';
import type { TestRound } from './test-round.js';

/** The flow that {@link expectDeterministic} drives. */
export interface DeterminismScript extends CallOptions {
  /** The arguments of a tool or prompt. */
  readonly args?: Readonly<Record<string, unknown>>;
  /** The resource to read. @default the URI of a definition that has a fixed one */
  readonly uri?: string;
  /** More options of `mrtr()`. Without a `user`, `anonymous` is on. */
  readonly options?: Partial<MrtrOptions>;
}

/**
 * Checks that a handler asks the same whenever it is re-executed. It drives a whole flow; each reply that asks is followed by
 * a second execution over the same state, and the questions of both are compared: their keys, their order, every byte of
 * them. The execution that completes the flow runs once, and so does what stands behind the last question.
 *
 * The second execution has what `ctx.step` recorded, so a step may look at the clock or roll dice. A round that asks for a URL
 * is not executed again, since whether it was visited may change meanwhile. At least a millisecond passes between the two:
 * a question that names the minute or the day slips through.
 *
 * @param definition - made by `tool()`, `prompt()`, `resource()` or `resourceTemplate()`.
 * @param script - arguments and answers, as for the test client. Answers that do not fit the form are asked again.
 * @returns what the test client returns.
 * @throws AssertionError (as a rejection) that names the round, the key and both texts of the first difference.
 *
 * @example
 * ```ts
 * const answers = { confirm: accept({ reason: 'Broken.', full: true }) };
 * const { text } = await expectDeterministic(refund, { args: { orderId: 'A-1' }, answers });
 * assert.equal(text, 'Refunded 12 € of A-1.');
 * ```
 */
export function expectDeterministic(
  definition: ToolDefinition,
  script?: DeterminismScript,
): Promise<TestOutcome<CallToolResult>>;
export function expectDeterministic(
  definition: PromptDefinition,
  script?: DeterminismScript,
): Promise<TestOutcome<GetPromptResult>>;
export function expectDeterministic(
  definition: ResourceDefinition,
  script?: DeterminismScript,
): Promise<TestOutcome<ReadResourceResult>>;
export async function expectDeterministic(
  definition: AnyDefinition,
  script: DeterminismScript = {},
): Promise<TestOutcome<unknown>> {
  const { args, uri, options, user, answers, allowUnused = false, maxRounds = 32, ...sent } = script;
  const { method, target, served } = aimOf(definition, uri);
  const mcp = testMrtr({ anonymous: user === undefined, exposeErrors: true, ...options, ...served });
  const params = { ...target, ...(args !== undefined && { arguments: args }) };
  try {
    return await whileListening(actingAs(user, appOf(mcp)), (port) => {
      const send = sender(port, '/mcp', sent);
      return converse({
        method,
        params,
        send,
        script: new Script({ answers, shared: undefined, allowUnused }),
        maxRounds,
        onAsked: (round, number) => assertRepeats(send, method, params, round, number),
      });
    });
  } finally {
    await mcp.close();
  }
}

async function assertRepeats(
  send: Send,
  method: OwnedMethod,
  params: Readonly<Record<string, unknown>>,
  first: TestRound,
  number: number,
): Promise<void> {
  const questions = Object.values(first.inputRequests ?? {});
  if (questions.some(({ params: asked }) => asked !== undefined && 'url' in asked)) return;
  await clockHasMoved();
  const second = await send(method, again(params, first));
  const difference = differenceOf(first, second);
  if (difference === undefined) return;
  assert.fail(
    `The handler is not deterministic: executed again in round ${number}, it asks something else.\n${difference}\n` +
      'A question must not depend on the clock, on chance or on a lookup that changes. What does belongs into ctx.step(name, fn), which keeps what it found for the whole flow.',
  );
}

/** The state that the reply gave out; where it refuses an answer, and says so in the question, the request that it answered. */
function again(
  params: Readonly<Record<string, unknown>>,
  { request, response, inputRequests = {} }: TestRound,
): Readonly<Record<string, unknown>> {
  const answered = Object.keys((request.params['inputResponses'] ?? {}) as object);
  if (answered.some((key) => Object.hasOwn(inputRequests, key))) return request.params;
  return { ...params, requestState: response?.result?.['requestState'] };
}

/** A question that tells the time in milliseconds must not pass because both executions were in the same one. */
async function clockHasMoved(): Promise<void> {
  const start = Date.now();
  while (Date.now() === start) await new Promise<void>((resolve) => systemTimers.endOfTurn(resolve));
}

interface Aim {
  readonly method: OwnedMethod;
  readonly target: { readonly name: string } | { readonly uri: string };
  readonly served: Partial<MrtrOptions>;
}

function aimOf(definition: AnyDefinition, uri: string | undefined): Aim {
  if (!isDefinition(definition)) {
    throw new TypeError(
      'expectDeterministic() takes what tool(), prompt(), resource() or resourceTemplate() returned.',
    );
  }
  switch (definition.kind) {
    case 'tool':
      return { method: 'tools/call', target: { name: definition.name }, served: { tools: [definition] } };
    case 'prompt':
      return { method: 'prompts/get', target: { name: definition.name }, served: { prompts: [definition] } };
    case 'resource':
      return { method: 'resources/read', target: { uri: uri ?? definition.uri }, served: { resources: [definition] } };
    case 'resourceTemplate':
      if (uri !== undefined) return { method: 'resources/read', target: { uri }, served: { resources: [definition] } };
      throw new TypeError(
        `expectDeterministic() needs to know which resource of the template ${JSON.stringify(definition.uriTemplate)} to read: give its uri.`,
      );
  }
}
