import { MrtrTypeError, tool } from '../../lib/index.js';
import { accept, fakeClock, testClient, testKeys, testMrtr } from '../../lib/testing/index.js';

const answers = { 'elicit-1': accept({ confirm: true }) };
const ask = tool('ask', {}, async (_args, ctx) => `${await ctx.confirm('Sure?')} in flow ${ctx.flowId}`);

describe('testMrtr', () => {
  it('is mrtr() with a key and a name of its own', async () => {
    const client = testClient(testMrtr({ tools: [ask], anonymous: true }));
    expect((await client.callTool('ask', {}, { answers })).text).toMatch(/^true in flow /);
    const { response } = await client.request('server/discover');
    expect(response?.result).toMatchObject({ _meta: { 'io.modelcontextprotocol/serverInfo': { name: 'test' } } });
  });

  it('takes keys, so that one handler opens what another sealed', async () => {
    const options = { tools: [ask], anonymous: true };
    const asked = await testClient(testMrtr({ ...options, keys: testKeys('a') })).request('tools/call', {
      name: 'ask',
    });
    const retry = { name: 'ask', requestState: asked.response?.result?.['requestState'], inputResponses: answers };
    const next = (keys?: string) =>
      testClient(testMrtr({ ...options, ...(keys !== undefined && { keys }) })).request('tools/call', retry);
    expect((await next(testKeys('a'))).response?.result).toMatchObject({ resultType: 'complete' });
    expect((await next()).response?.error).toMatchObject({ data: { reason: 'invalid_request_state' } });
  });

  it('refuses options as mrtr() does', () => {
    expect(() => testMrtr({ ttlSeconds: -1 })).toThrow('"ttlSeconds"');
    expect(() => testMrtr({ nope: 1 } as object)).toThrow(MrtrTypeError);
  });

  it('lets a state expire by the clock', async () => {
    const clock = fakeClock();
    const client = testClient(testMrtr({ tools: [ask], anonymous: true, ttlSeconds: 300 }, { clock }));
    const slowly = (ms: number) => () => {
      clock.advance(ms);
      return answers['elicit-1'];
    };
    const inTime = await client.callTool('ask', {}, { answers: { 'elicit-1': slowly(299_000) } });
    expect(inTime.text).toMatch(/^true/);
    const late = await client.callTool('ask', {}, { answers: { 'elicit-1': slowly(301_000) } });
    expect(late.error).toMatchObject({ code: -32602, data: { reason: 'invalid_request_state' } });
  });

  it('ends a handler whose time is up by the clock, without waiting for it', async () => {
    const clock = fakeClock();
    let tell = (): void => undefined;
    const running = new Promise<void>((resolve) => (tell = resolve));
    let aborted = false;
    const slow = tool('slow', {}, (_args, { signal }) => {
      signal.addEventListener('abort', () => (aborted = true));
      tell();
      return new Promise<string>(() => undefined);
    });
    const client = testClient(testMrtr({ tools: [slow], anonymous: true, handlerTimeoutSeconds: 30 }, { clock }));
    const call = client.callTool('slow');
    await running;
    clock.advance(30_000);
    expect((await call).error?.code).toBe(-32603);
    expect(aborted).toBe(true);
  });

  it('makes the ids of flows of the given chance', async () => {
    const random = (size: number): Uint8Array => new Uint8Array(size).fill(7);
    const client = testClient(testMrtr({ tools: [ask], anonymous: true }, { random }));
    const [one, other] = [await client.callTool('ask', {}, { answers }), await client.callTool('ask', {}, { answers })];
    expect(one.text).toBe(other.text);
    const states = [one, other].map(({ rounds }) => rounds[0]?.response?.result?.['requestState']);
    expect(states[0]).not.toBe(states[1]);
  });
});
