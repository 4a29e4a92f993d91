import { declaredIn, negotiated } from '../../lib/legacy/declared.js';
import { legacyMessageOf } from '../../lib/legacy/message.js';
import { wireRequest } from '../../lib/legacy/wire-request.js';
import type { InputRequest } from '../../lib/protocol/wire.js';

const request = (method: string, params?: unknown, id: unknown = 1): unknown => ({
  jsonrpc: '2.0',
  id,
  method,
  params,
});

describe('a message of an earlier revision', () => {
  it.each([
    ['a batch', [request('ping')], { kind: 'batch' }],
    ['initialize', request('initialize', { a: 1 }), { kind: 'initialize', params: { a: 1 } }],
    ['ping', request('ping'), { kind: 'other' }],
    ['a call without target', request('tools/call', {}), { kind: 'other' }],
    ['a call whose id is none', request('tools/call', { name: 'x' }, 1.5), { kind: 'other' }],
    ['a notification', request('notifications/initialized', {}, undefined), { kind: 'other' }],
    ['a text', 'x', { kind: 'other' }],
    ['a cancellation of nothing', request('notifications/cancelled', { requestId: {} }, undefined), { kind: 'other' }],
  ])('%s is known', (_what, body, expected) => {
    const { id, ...rest } = body as { id?: unknown };
    const sent = id === undefined && !Array.isArray(body) && typeof body === 'object' ? rest : body;
    expect(legacyMessageOf(sent)).toEqual(expected);
  });

  it('that is a call has its target, its parameters and its progress token', () => {
    const params = { name: 'x', _meta: { progressToken: 'p' } };
    expect(legacyMessageOf(request('tools/call', params))).toEqual({
      kind: 'call',
      call: { id: 1, method: 'tools/call', target: 'x', params, progressToken: 'p' },
    });
    const odd = legacyMessageOf(request('resources/read', { uri: 'test://x', _meta: { progressToken: {} } }, 'a'));
    expect(odd).toMatchObject({ kind: 'call', call: { id: 'a', target: 'test://x', progressToken: undefined } });
  });

  it('that is a response has its result, or the code of its error', () => {
    const { kind, ...rest } = legacyMessageOf({ jsonrpc: '2.0', id: 'r', result: { a: 1 } }) as { kind: string };
    expect([kind, rest]).toEqual(['response', { id: 'r', response: { kind: 'result', result: { a: 1 } } }]);
    const response = (error: object): unknown => legacyMessageOf({ jsonrpc: '2.0', id: 'r', error });
    expect(response({ code: -1, message: 'no' })).toMatchObject({ response: { kind: 'error', code: -1 } });
    expect(response({ code: 'SENTINEL' })).toMatchObject({ response: { kind: 'error', code: 0 } });
  });

  it('that is a cancellation names its request', () => {
    const body = { jsonrpc: '2.0', method: 'notifications/cancelled', params: { requestId: 7 } };
    expect(legacyMessageOf(body)).toEqual({ kind: 'cancelled', requestId: 7 });
  });
});

describe('what a client declares in initialize', () => {
  const everything = { elicitation: { form: {}, url: {} }, sampling: { tools: {}, context: {} }, roots: { x: 1 } };

  it('is negotiated to the newest revision that is served, unless it asks for one of them', () => {
    expect(['2025-11-25', '2025-06-18', '2025-03-26', '2026-07-28', undefined, {}].map(negotiated)).toEqual([
      '2025-11-25',
      '2025-06-18',
      '2025-11-25',
      '2025-11-25',
      '2025-11-25',
      '2025-11-25',
    ]);
  });

  it('counts as far as its revision knows it', () => {
    expect(declaredIn(everything, '2025-11-25')).toEqual(everything);
    expect(declaredIn(everything, '2025-06-18')).toEqual({ elicitation: {}, sampling: {}, roots: {} });
    expect(declaredIn({ elicitation: true, sampling: [], roots: null }, '2025-06-18')).toEqual({});
    for (const junk of [undefined, null, 'all', []]) expect(declaredIn(junk, '2025-11-25')).toEqual({});
  });
});

describe('a request on the wire of an earlier revision', () => {
  const form: InputRequest = {
    method: 'elicitation/create',
    params: {
      mode: 'form',
      message: 'Size?',
      requestedSchema: {
        type: 'object',
        properties: {
          size: { type: 'string', title: 'Size', oneOf: [{ const: 'S', title: 'Small' }] },
          note: { type: 'string' },
        },
      },
    },
  };

  it('is as it was in 2025-11-25, but for the elicitationId of a link', () => {
    const url: InputRequest = {
      method: 'elicitation/create',
      params: { mode: 'url', message: 'Pay', url: 'https://x' },
    };
    expect(wireRequest(form, '2025-11-25', 'e')).toEqual(form);
    expect(wireRequest(url, '2025-11-25', 'e')).toEqual({ ...url, params: { ...url.params, elicitationId: 'e' } });
    expect(wireRequest({ method: 'roots/list' }, '2025-11-25', 'e')).toEqual({ method: 'roots/list' });
  });

  it('has neither modes nor titled choices in 2025-06-18', () => {
    expect(wireRequest(form, '2025-06-18', 'e')).toEqual({
      method: 'elicitation/create',
      params: {
        message: 'Size?',
        requestedSchema: {
          type: 'object',
          properties: {
            size: { type: 'string', title: 'Size', enum: ['S'], enumNames: ['Small'] },
            note: { type: 'string' },
          },
        },
      },
    });
  });
});
