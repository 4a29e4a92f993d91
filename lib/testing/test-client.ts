import type { CallToolResult, GetPromptResult, ReadResourceResult } from '../protocol/content.js';
import type { OwnedMethod } from '../protocol/wire.js';
import { actingAs, appOf, type TestTarget } from './client-app.js';
import type { CallOptions, RequestOptions, TestClientOptions } from './client-options.js';
import { converse } from './conversation.js';
import { whileListening } from './http-exchange.js';
import { Script } from './script.js';
import { sender } from './sender.js';
import type { TestOutcome } from './test-outcome.js';
import type { TestRound } from './test-round.js';

/**
 * A client of MCP 2026-07-28 for tests, made by {@link testClient}. Its calls reject with an `AssertionError` when the script
 * does not fit what is asked, or when the reply is not MCP. A JSON-RPC error is a reply: it is in `error`.
 */
export interface TestClient {
  /** `tools/call`, over all its rounds. A tool that failed has `result.isError`. */
  callTool(
    name: string,
    args?: Readonly<Record<string, unknown>>,
    options?: CallOptions,
  ): Promise<TestOutcome<CallToolResult>>;
  /** `prompts/get`, over all its rounds. */
  getPrompt(
    name: string,
    args?: Readonly<Record<string, string>>,
    options?: CallOptions,
  ): Promise<TestOutcome<GetPromptResult>>;
  /** `resources/read`, over all its rounds. */
  readResource(uri: string, options?: CallOptions): Promise<TestOutcome<ReadResourceResult>>;
  /**
   * One request of any method, and its reply, whatever that is: for tests of refusals. `_meta` is filled in, and so are the
   * headers; `params` may carry a `requestState` and `inputResponses` of an earlier round.
   *
   * @example
   * ```ts
   * const asked = await client.request('tools/call', { name: 'refund', arguments: { orderId: 'A-1' } });
   * const requestState = asked.response?.result?.requestState;
   * const params = { name: 'refund', arguments: { orderId: 'B-2' }, requestState };
   * assert.equal((await client.request('tools/call', params)).response?.error?.code, -32602);
   * ```
   */
  request(method: string, params?: Readonly<Record<string, unknown>>, options?: RequestOptions): Promise<TestRound>;
}

/**
 * Makes a client that drives real HTTP on 127.0.0.1 and answers questions from a script. A server listens while a call
 * runs, and nothing stays open after it: there is nothing to start or to close, under any test runner.
 *
 * A question without a scripted answer fails the call, and so does a scripted answer that nothing asked for, as with a mock.
 *
 * @param target - an Express app, or what `mrtr()` or `testMrtr()` returned, which is mounted in an app of the kit's own.
 * @param options - what holds for all calls; each call can say otherwise.
 * @throws TypeError for any other target.
 *
 * @example
 * ```ts
 * const client = testClient(mrtr({ server, keys: testKeys(), tools: [refund] }), { user: { id: 'ann' } });
 *
 * const answers = { confirm: accept({ reason: 'Broken.', full: true }) };
 * const { text, asked } = await client.callTool('refund', { orderId: 'A-1' }, { answers });
 * assert.equal(text, 'Refunded 12 € of A-1.');
 * assert.deepEqual(asked, ['confirm']);
 * ```
 */
export function testClient(target: TestTarget, options: TestClientOptions = {}): TestClient {
  const app = appOf(target);
  const { path = '/mcp', answers: shared, ...defaults } = options;
  const call = <Result>(
    method: OwnedMethod,
    params: Readonly<Record<string, unknown>>,
    given: CallOptions,
  ): Promise<TestOutcome<Result>> => {
    const { user, answers, allowUnused = false, maxRounds = 32, ...sent } = { ...defaults, ...given };
    const script = new Script({ answers, shared, allowUnused });
    return whileListening(actingAs(user, app), (port) =>
      converse<Result>({ method, params, send: sender(port, path, sent), script, maxRounds }),
    );
  };
  return {
    callTool: (name, args, given = {}) => call('tools/call', { name, ...argumentsOf(args) }, given),
    getPrompt: (name, args, given = {}) => call('prompts/get', { name, ...argumentsOf(args) }, given),
    readResource: (uri, given = {}) => call('resources/read', { uri }, given),
    request: (method, params = {}, given = {}) => {
      const { user, ...sent } = { ...defaults, ...given };
      return whileListening(actingAs(user, app), (port) => sender(port, path, sent)(method, params));
    },
  };
}

function argumentsOf(args: Readonly<Record<string, unknown>> | undefined): object {
  return args === undefined ? {} : { arguments: args };
}
