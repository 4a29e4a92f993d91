import { prompt, tool } from '../../lib/index.js';
import { closeAll, EXPRESSES, rig } from '../support/http.js';

afterAll(closeAll);

describe.each(EXPRESSES)('a client of an earlier revision on %s', (_name, express) => {
  const cycle: Record<string, unknown> = {};
  cycle['self'] = cycle;
  const hostile = {
    toJSON() {
      throw new Error('SENTINEL');
    },
  };
  const result = (structuredContent: unknown) => () => ({ content: [], structuredContent });
  const tools = [
    tool('cycle', {}, result(cycle)),
    tool('bigint', {}, result({ n: 10n })),
    tool('hostile', {}, result(hostile)),
    tool('fine', {}, result({ at: new Date(0) })),
  ];
  const prompts = [prompt('cycle', {}, () => ({ messages: [], _meta: cycle }))];

  async function serve() {
    const errors: string[] = [];
    const { post } = await rig({ express, tools, prompts, onError: (_error, { code }) => errors.push(code) });
    const headers = { 'content-type': 'application/json', accept: 'application/json, text/event-stream' };
    const call = async (method: string, name: string): Promise<unknown> => {
      const { text } = await post({ jsonrpc: '2.0', id: 7, method, params: { name } }, headers);
      return JSON.parse(/^data: (.*)$/m.exec(text)?.[1] ?? text);
    };
    return { call, errors };
  }

  const text = 'Internal error. The operator of this server can see the reason in its events.';

  it.each([
    ['tools/call', 'cycle'],
    ['tools/call', 'bigint'],
    ['tools/call', 'hostile'],
    ['prompts/get', 'cycle'],
  ])('C81 is told that %s %s failed to make a result', async (method, name) => {
    const { call, errors } = await serve();
    expect(await call(method, name)).toEqual({ jsonrpc: '2.0', id: 7, error: { code: -32603, message: text } });
    expect(errors).toHaveLength(1);
  });

  it('gets what JSON makes of a result', async () => {
    const { call, errors } = await serve();
    const structuredContent = { at: '1970-01-01T00:00:00.000Z' };
    expect(await call('tools/call', 'fine')).toMatchObject({ id: 7, result: { structuredContent } });
    expect(errors).toEqual([]);
  });
});
