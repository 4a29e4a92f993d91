import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { MemoryReplayStore, tool } from 'express-mrtr';
import {
  accept,
  codecContract,
  expectDeterministic,
  fakeClock,
  keyProviderContract,
  replayStoreContract,
  testClient,
  testKeys,
  testMrtr,
} from 'express-mrtr/testing';
import { SealedCodec } from '../../../lib/seal/codec.js';
import { Keyring } from '../../../lib/seal/keyring.js';

const ask = tool('ask', {}, async (_args, ctx) => String(await ctx.confirm('Sure?')));
const answers = { 'elicit-1': accept({ confirm: true }) };

void describe('the kit under node:test', () => {
  void it('drives a flow and leaves nothing open', async () => {
    const before = process.getActiveResourcesInfo();
    const { text } = await testClient(testMrtr({ tools: [ask], anonymous: true })).callTool('ask', {}, { answers });
    assert.equal(text, 'true');
    assert.deepEqual(process.getActiveResourcesInfo(), before);
  });

  void it('fails a test whose script does not fit', async () => {
    const client = testClient(testMrtr({ tools: [ask], anonymous: true }));
    await assert.rejects(client.callTool('ask'), { name: 'AssertionError', message: /^The script has no answer/ });
  });

  void it('drives a flow under mocked timers', async (t) => {
    t.mock.timers.enable();
    const { text } = await testClient(testMrtr({ tools: [ask], anonymous: true })).callTool('ask', {}, { answers });
    assert.equal(text, 'true');
  });

  void it('checks a handler', async () => {
    const before = process.getActiveResourcesInfo();
    assert.equal((await expectDeterministic(ask, { answers })).text, 'true');
    assert.deepEqual(process.getActiveResourcesInfo(), before);
  });

  const keys = (): string => testKeys();
  const { now, advance } = fakeClock();
  for (const { title, run } of [
    ...keyProviderContract(() => ({ current: keys, resolve: keys })),
    ...replayStoreContract(() => new MemoryReplayStore({ now }), { now, advance }),
    ...codecContract(() => new SealedCodec({ keyring: Keyring.from(testKeys()) })),
  ]) {
    void it(title, run);
  }
});
