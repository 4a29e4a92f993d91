import assert from 'node:assert/strict';
import type { RequestListener } from 'node:http';
import type { ToolDefinition } from 'express-mrtr';
import {
  accept,
  decline,
  expectDeterministic,
  fakeClock,
  leave,
  testClient,
  testMrtr,
  type TestClient,
} from 'express-mrtr/testing';

/** A whole flow, answered from a script, over a folder of three files. */
export async function wholeFlow(clean: ToolDefinition): Promise<void> {
  // #region flow
  const client = testClient(testMrtr({ tools: [clean] }), { user: { id: 'ann' } });

  const answers = { 'elicit-1': accept({ confirm: true }) };
  const { text, asked, rounds } = await client.callTool('clean', { folder: 'tmp' }, { answers });
  assert.equal(text, 'Deleted 3 files.');
  assert.deepEqual(asked, ['elicit-1']);
  assert.equal(rounds.length, 2);
  // #endregion
}

/** Each kind of answer that a script can give. */
export async function everyAnswer(client: TestClient): Promise<void> {
  // #region answers
  await client.callTool('wipe', { folder: 'tmp' }, { answers: { 'elicit-1': decline() } });

  const inTurn = { 'tag-1': accept({ tag: 'red' }), 'tag-2': [leave(), accept({ tag: 'blue' })], 'tag-3': decline() };
  const { text, asked } = await client.callTool('tag', {}, { answers: inTurn });
  assert.equal(text, 'Tagged: red, blue.');
  assert.deepEqual(asked, ['tag-1', 'tag-2', 'tag-2', 'tag-3']);

  const answers = (key: string, _request: object, round: number) => (round < 3 ? accept({ tag: key }) : decline());
  assert.equal((await client.callTool('tag', {}, { answers })).text, 'Tagged: tag-1, tag-2.');
  // #endregion
}

/** An app that authenticates itself, and one request of which the reply is looked at. */
export async function ownApp(app: RequestListener, token: string): Promise<void> {
  // #region app
  const client = testClient(app, { headers: { authorization: `Bearer ${token}` } });

  const refund = { name: 'refund', arguments: { orderId: 'A-1' } };
  const asked = await client.request('tools/call', refund);
  const requestState = asked.response?.result?.['requestState'];
  const inputResponses = { confirm: accept({ reason: 'Broken.', full: true }) };

  const other = { ...refund, arguments: { orderId: 'A-2' }, requestState, inputResponses };
  const refused = await client.request('tools/call', other);
  assert.equal(refused.response?.error?.code, -32602);

  const nobody = await client.request('tools/call', refund, { headers: { authorization: undefined } });
  assert.equal(nobody.status, 401);
  // #endregion
}

/** A check that the handler asks the same whenever it is executed again. */
export async function sameQuestions(clean: ToolDefinition): Promise<void> {
  // #region deterministic
  const answers = { 'elicit-1': accept({ confirm: true }) };
  await expectDeterministic(clean, { args: { folder: 'tmp' }, answers });
  // #endregion
}

/** A state that expires between question and answer. */
export async function late(clean: ToolDefinition): Promise<void> {
  // #region clock
  const clock = fakeClock();
  const client = testClient(testMrtr({ tools: [clean], anonymous: true, ttlSeconds: 300 }, { clock }));
  const answers = () => {
    clock.advance(301_000); // the person had lunch first
    return accept({ confirm: true });
  };
  const { error } = await client.callTool('clean', { folder: 'tmp' }, { answers });
  assert.equal(error?.data?.['reason'], 'invalid_request_state');
  // #endregion
}
