import { messagesOf } from '../../lib/testing/messages.js';

const of = (type: string | undefined, body: string) =>
  messagesOf({ status: 200, headers: type === undefined ? {} : { 'content-type': type }, body });
const ONE = { jsonrpc: '2.0', id: 1, result: {} };

describe('the messages of a reply', () => {
  it('are the one of a JSON body', () => {
    expect(of('application/json; charset=utf-8', JSON.stringify(ONE))).toEqual([ONE]);
  });

  it('are those of an event stream, over several lines of data, comments and other fields', () => {
    const stream = [
      ':\n\n',
      'event: message\ndata: {"jsonrpc":"2.0","method":"a"}\n\n',
      'id: 1\r\ndata:{"jsonrpc":"2.0",\r\ndata: "method":"b"}\r\n\r\n',
      'retry: 5\n\n',
      `data: ${JSON.stringify(ONE)}\n\n`,
    ];
    expect(of('text/event-stream', stream.join(''))).toEqual([
      { jsonrpc: '2.0', method: 'a' },
      { jsonrpc: '2.0', method: 'b' },
      ONE,
    ]);
  });

  it.each([
    ['text/html', JSON.stringify(ONE)],
    [undefined, JSON.stringify(ONE)],
    ['application/json', 'Unauthorized'],
    ['application/json', '{"error":"unauthorized"}'],
    ['application/json', '[]'],
    ['application/json', 'null'],
    ['text/event-stream', 'data: nonsense\n\n'],
  ])('are none in %s with %s', (type, body) => {
    expect(of(type, body)).toEqual([]);
  });
});
