import type express from 'express';
import { resourceTemplate, tool } from '../../lib/index.js';
import { closeAll, EXPRESSES, headersOf, metaOf, rig, type RigOptions } from '../support/http.js';

afterAll(closeAll);

const nested = (depth: number): string => '['.repeat(depth) + ']'.repeat(depth);

describe.each(EXPRESSES)('what a client got wrong is the fault of the client, on %s', (_name, express_) => {
  const definitions = {
    tools: [tool('known', {}, () => 'known')],
    resources: [resourceTemplate('item', 'test://item/{id}', { complete: { id: () => [] } }, () => 'item')],
  };
  const serve = (options: RigOptions = {}) => rig({ express: express_, ...definitions, ...options });
  const meta = JSON.stringify(metaOf());
  const behind: RigOptions = {
    fallthrough: true,
    after: (app: express.Express) => app.use((_req, res) => void res.status(299).json({ behind: true })),
  };

  const DEEP: [string, string][] = [
    [
      'the target',
      `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":${nested(20_000)},"_meta":${meta}}}`,
    ],
    [
      'another method',
      `{"jsonrpc":"2.0","id":1,"method":"tools/list","params":{"x":${nested(20_000)},"_meta":${meta}}}`,
    ],
    [
      'an unknown tool',
      `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"no","arguments":{"a":${nested(20_000)}},"_meta":${meta}}}`,
    ],
    [
      'a member too many',
      `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"known","_meta":${meta}},"x":${nested(20_000)}}`,
    ],
    ['an earlier revision', `{"jsonrpc":"2.0","id":1,"method":"tools/list","params":{"x":${nested(20_000)}}}`],
  ];

  it.each(DEEP)(
    'a message that nests too deeply, in %s, is refused before anything recurses into it',
    async (_where, body) => {
      const { post } = await serve();
      const { method } = JSON.parse(body) as { method: string };
      const answer = await post(body, headersOf(method, 'known'));
      expect(answer.status).toBe(400);
      expect(answer.body).toEqual({
        jsonrpc: '2.0',
        id: 1,
        error: { code: -32600, message: 'The message nests too deeply.' },
      });
    },
  );

  it('a whole body of brackets is refused, too', async () => {
    const { post } = await serve();
    expect((await post(nested(20_000), headersOf('tools/call'))).body).toEqual({
      jsonrpc: '2.0',
      error: { code: -32600, message: 'The message nests too deeply.' },
    });
  });

  it('what nests deeply and is not ours belongs to whoever stands behind', async () => {
    const { post } = await serve(behind);
    const [, [, body]] = DEEP as [[string, string], [string, string]];
    expect((await post(body, headersOf('tools/list'))).status).toBe(299);
  });

  it.each<[string, Record<string, unknown>]>([
    ['tools/list', { cursor: 5 }],
    ['resources/read', {}],
    ['resources/read', { uri: 5 }],
    ['resources/list', { cursor: {} }],
    ['resources/templates/list', { cursor: [] }],
    ['completion/complete', { ref: 4 }],
  ])('the parameters of %s, %j, are invalid: -32602, never -32603', async (method, params) => {
    const { call, post } = await serve();
    const error = { code: -32602, message: 'The request is not of the form that this method takes.' };
    const modern = await call(method, params, { id: 1 });
    expect([modern.status, modern.body]).toEqual([200, { jsonrpc: '2.0', id: 1, error }]);
    const headers = { 'content-type': 'application/json', accept: 'application/json, text/event-stream' };
    const legacy = await post({ jsonrpc: '2.0', id: 1, method, params }, headers);
    expect([legacy.status, legacy.body]).toEqual([200, { jsonrpc: '2.0', id: 1, error }]);
  });

  it('what is right still reaches the SDK', async () => {
    const { call } = await serve();
    const params = { ref: { type: 'ref/resource', uri: 'test://item/{id}' }, argument: { name: 'id', value: '' } };
    expect((await call('completion/complete', params)).body).toMatchObject({ result: { completion: { values: [] } } });
    expect((await call('tools/list', {})).body).toMatchObject({ result: { tools: [{ name: 'known' }] } });
  });
});
