import { connect } from 'node:net';
import { brotliCompressSync, gzipSync } from 'node:zlib';
import type { ErrorRequestHandler, RequestHandler } from 'express';
import { mrtrErrors, tool } from '../../lib/index.js';
import { gate } from '../support/engine.js';
import { closeAll, EXPRESSES, headersOf, metaOf, rig, type RigOptions } from '../support/http.js';

afterAll(closeAll);

const BODY = JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tools/call', params: { name: 'hi', _meta: metaOf() } });
const NOT_JSON = { jsonrpc: '2.0', error: { code: -32700, message: 'The body is not valid JSON.' } };

describe.each(EXPRESSES)('a compressed body on %s', (name, express) => {
  const parsers: [string, RigOptions][] = [
    ['no parser', {}],
    ['a parser in front', { before: [express.json()], after: (app) => app.use('/mcp', mrtrErrors()) }],
  ];

  it.each(parsers)('is inflated, or refused as no JSON, with %s', async (_parser, options) => {
    const served = await rig({ express, tools: [tool('hi', {}, () => 'hi')], ...options });
    const post = (encoding: string, body: Buffer) =>
      served
        .post('', { ...headersOf('tools/call', 'hi'), 'content-encoding': encoding })
        .serialize((given) => given as never)
        .send(body);
    expect((await post('gzip', gzipSync(BODY))).body).toMatchObject({ id: 1, result: { resultType: 'complete' } });
    const broken: [string, Buffer][] = [
      ['gzip', Buffer.from(BODY)],
      ['gzip', gzipSync(BODY).subarray(0, 30)],
      ['deflate', Buffer.from('no deflate')],
    ];
    // Express 4 has no brotli.
    if (name !== 'Express 4' || options.before === undefined) {
      broken.push(['br', Buffer.from('no brotli')], ['br', brotliCompressSync(BODY).subarray(0, 20)]);
    }
    for (const [encoding, body] of broken) {
      const { status, body: answer } = await post(encoding, body);
      expect([encoding, status, answer]).toEqual([encoding, 400, NOT_JSON]);
    }
  });
});

describe.each(EXPRESSES)('an upload that breaks off on %s', (_name, express) => {
  it('is nothing that error handlers further down have to deal with', async () => {
    const passedOn: unknown[] = [];
    const record: ErrorRequestHandler = (error, _req, _res, _next) => {
      passedOn.push(error);
    };
    const reading = gate();
    const closed = gate();
    const watch: RequestHandler = (_req, res, next) => {
      res.once('close', () => setImmediate(closed.open));
      next();
      reading.open();
    };
    const { url } = await rig({
      express,
      before: [watch, express.json()],
      after: (app) => app.use('/mcp', mrtrErrors(), record),
    });
    const socket = connect(Number(new URL(url).port), '127.0.0.1');
    const head = ['POST /mcp HTTP/1.1', 'host: localhost', 'content-type: application/json', 'content-length: 100'];
    socket.write(`${head.join('\r\n')}\r\n\r\n{"jsonrpc"`);
    await reading.promise;
    socket.destroy();
    await closed.promise;
    expect(passedOn).toEqual([]);
  });
});
