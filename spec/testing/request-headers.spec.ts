import { decodeHeaderValue } from '../../lib/protocol/header-value.js';
import { encodeHeaderValue, requestHeaders } from '../../lib/testing/request-headers.js';

describe('the headers of a request', () => {
  it.each(['refund', 'a b', 'shop://orders/A-1?x=%20', ''])('hold %j as it is', (value) => {
    expect(encodeHeaderValue(value)).toBe(value);
  });

  it.each(['größe', ' a', 'a ', '\ta', 'a\r\nb', '=?base64?Z3LDtsOfZQ==?=', '\u{1f600}', '\ufeffa', 'a\u0000'])(
    'wrap %j, and the server reads it again',
    (value) => {
      const encoded = encodeHeaderValue(value);
      expect(encoded).toMatch(/^=\?base64\?[\w+/]+=*\?=$/);
      expect(decodeHeaderValue(encoded)).toBe(value);
    },
  );

  it('are those of this revision, with the name or the URI', () => {
    expect(requestHeaders('resources/read', { uri: 'shop://ä' }, {})).toEqual({
      'content-type': 'application/json',
      accept: 'application/json, text/event-stream',
      'mcp-protocol-version': '2026-07-28',
      'mcp-method': 'resources/read',
      'mcp-name': '=?base64?c2hvcDovL8Ok?=',
    });
    expect(requestHeaders('tools/list', {}, {})).not.toHaveProperty('mcp-name');
  });

  it('can be replaced, added and taken away, in whatever case', () => {
    const given = { 'MCP-Name': 'other', Accept: undefined, Authorization: 'Bearer x' };
    expect(requestHeaders('tools/call', { name: 'a' }, given)).toEqual({
      'content-type': 'application/json',
      'mcp-protocol-version': '2026-07-28',
      'mcp-method': 'tools/call',
      'mcp-name': 'other',
      authorization: 'Bearer x',
    });
  });
});
