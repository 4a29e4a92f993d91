import http from 'node:http';
import { prompt, tool } from '../../lib/index.js';
import { closeAll, EXPRESSES, headersOf, metaOf, rig, textOf, type RigOptions } from '../support/http.js';

afterAll(closeAll);

interface Streamed {
  readonly status: number;
  readonly headers: http.IncomingHttpHeaders;
  readonly events: Record<string, unknown>[];
  readonly text: string;
}

describe.each(EXPRESSES)('progress and log on %s', (_name, express) => {
  const served = (options: RigOptions = {}) => rig({ express, tools: [steps, asks, late, quiet], ...options });
  const steps = tool('steps', {}, (_args, { progress, log }) => {
    log('debug', 'too low');
    log('info', { step: 1 });
    progress(1, 3, 'one');
    progress(1, 3, 'again');
    progress(0.5);
    progress(NaN);
    progress(2);
    log('error', 'bad');
    return 'done';
  });
  const asks = tool('asks', {}, async (_args, ctx) => {
    ctx.progress(1);
    return String(await ctx.confirm('Sure?'));
  });
  const late = tool('late', {}, (_args, ctx) => {
    setImmediate(() => ctx.progress(9));
    ctx.progress(1);
    return 'done';
  });
  const quiet = tool('quiet', {}, () => 'quiet');
  const meta = { progressToken: 'p1', 'io.modelcontextprotocol/logLevel': 'info' };

  async function stream(url: string, name: string, extra: object = meta, headers: object = {}): Promise<Streamed> {
    const body = JSON.stringify({
      jsonrpc: '2.0',
      id: 1,
      method: 'tools/call',
      params: { name, _meta: { ...metaOf(), ...extra } },
    });
    return new Promise((resolve, reject) => {
      const req = http.request(
        `${url}/mcp`,
        { method: 'POST', headers: { ...headersOf('tools/call', name), ...headers } },
        (res) => {
          let text = '';
          res.setEncoding('utf8');
          res.on('data', (chunk: string) => (text += chunk));
          res.on('end', () => {
            const events = [...text.matchAll(/^data: (.*)$/gm)].map(
              (match) => JSON.parse(match[1] ?? '') as Record<string, unknown>,
            );
            resolve({ status: res.statusCode ?? 0, headers: res.headers, events, text });
          });
        },
      );
      req.on('error', reject);
      req.end(body);
    });
  }

  it('streams what was asked for, in order, and ends with the response', async () => {
    const { url } = await served();
    const { status, headers, events, text } = await stream(url, 'steps');
    expect([status, headers['content-type'], headers['x-accel-buffering'], headers['cache-control']]).toEqual([
      200,
      'text/event-stream',
      'no',
      'no-store',
    ]);
    expect(events).toMatchObject([
      { method: 'notifications/message', params: { level: 'info', logger: 'test', data: { step: 1 } } },
      { method: 'notifications/progress', params: { progressToken: 'p1', progress: 1, total: 3, message: 'one' } },
      { method: 'notifications/progress', params: { progressToken: 'p1', progress: 2 } },
      { method: 'notifications/message', params: { level: 'error', data: 'bad' } },
      { id: 1, result: { resultType: 'complete', content: [{ text: 'done' }] } },
    ]);
    expect(events).toHaveLength(5);
    expect(text).toMatch(/^event: message\ndata: /);
    expect(text.endsWith('\n\n')).toBe(true);
  });

  it('sends nothing that the request did not ask for', async () => {
    const { url } = await served();
    const bare = await stream(url, 'steps', {});
    expect([bare.headers['content-type'], JSON.parse(bare.text)]).toMatchObject([
      'application/json',
      { result: { content: [{ text: 'done' }] } },
    ]);
    const logs = await stream(url, 'steps', { 'io.modelcontextprotocol/logLevel': 'error' });
    expect(logs.events.map(({ method }) => method)).toEqual(['notifications/message', undefined]);
    const numeric = await stream(url, 'steps', { progressToken: 0 });
    expect(numeric.events).toMatchObject([
      { params: { progressToken: 0 } },
      { params: { progressToken: 0 } },
      { id: 1 },
    ]);
  });

  it('answers in one JSON body when the client takes no event stream', async () => {
    const { url } = await served();
    const { headers, text } = await stream(url, 'steps', meta, { accept: 'application/json' });
    expect([headers['content-type'], JSON.parse(text)]).toMatchObject(['application/json', { id: 1, result: {} }]);
  });

  it('an ask, and a gate that fires after the stream began, are the last event', async () => {
    const { url } = await served();
    expect((await stream(url, 'asks')).events).toMatchObject([
      { method: 'notifications/progress' },
      { id: 1, result: { resultType: 'input_required', requestState: expect.any(String) } },
    ]);
    const gated = await stream(url, 'asks', { ...meta, 'io.modelcontextprotocol/clientCapabilities': {} });
    expect(gated.status).toBe(200);
    expect(gated.events).toMatchObject([
      { method: 'notifications/progress' },
      { id: 1, error: { code: -32021, data: { requiredCapabilities: { elicitation: { form: {} } } } } },
    ]);
  });

  it('writes nothing after the response', async () => {
    const { url } = await served();
    const { events } = await stream(url, 'late');
    expect(events).toMatchObject([{ method: 'notifications/progress', params: { progress: 1 } }, { id: 1 }]);
    expect(events).toHaveLength(2);
  });

  it('flushes each event through a middleware that holds back, as compression does', async () => {
    const flushed: number[] = [];
    const holding: RigOptions['before'] = [
      (_req, res, next) => {
        let held = '';
        const write = res.write.bind(res) as (chunk: string) => boolean;
        const end = res.end.bind(res) as () => typeof res;
        Object.assign(res, {
          write: (chunk: string) => {
            held += chunk;
            return true;
          },
          flush: () => {
            flushed.push(held.length);
            if (held !== '') write(held);
            held = '';
          },
          end: (chunk?: string) => {
            if (held !== '' || chunk !== undefined) write(held + (chunk ?? ''));
            return end();
          },
        });
        next();
      },
    ];
    const { url } = await served({ before: holding });
    const { events } = await stream(url, 'steps');
    expect(events).toHaveLength(5);
    expect(flushed.filter((bytes) => bytes > 0)).toHaveLength(5);
  });

  it('prompts stream, too', async () => {
    const prompts = [
      prompt('p', {}, (_args, ctx) => {
        ctx.progress(1);
        return 'hi';
      }),
    ];
    const { call } = await served({ prompts });
    const reply = await call('prompts/get', { name: 'p' }, { meta });
    expect(reply.text).toContain('notifications/progress');
    expect(reply.text).toContain('"messages"');
  });

  it('a call without notifications stays one JSON body', async () => {
    const { call } = await served();
    expect(textOf(await call('tools/call', { name: 'quiet' }, { meta }))).toBe('quiet');
  });
});
