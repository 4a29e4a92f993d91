import fc from 'fast-check';
import { standardHeaderFault, type RequestHeaders } from '../../lib/protocol/headers.js';
import type { Fault } from '../../lib/protocol/wire.js';

const VERSION = '2026-07-28';
const good = (name: string): Record<string, string> => ({
  'mcp-protocol-version': VERSION,
  'mcp-method': 'tools/call',
  'mcp-name': name,
});
const check = (headers: RequestHeaders, target: string, method = 'tools/call', raw?: string[]): Fault | undefined =>
  standardHeaderFault(headers, raw, method, target, VERSION);
const without = (name: string): RequestHeaders => ({ ...good('refund'), [name]: undefined });

/** What Node makes of header lines: lower-cased names, doubled ones joined. */
function received(lines: [string, string][]): [RequestHeaders, string[]] {
  const headers = new Headers(lines);
  return [Object.fromEntries(headers), lines.flat()];
}

describe('standardHeaderFault', () => {
  it('passes headers that repeat the body', () => {
    expect(check(good('refund'), 'refund')).toBeUndefined();
    const read = { ...good('file:///a/b.json'), 'mcp-method': 'resources/read' };
    expect(check(read, 'file:///a/b.json', 'resources/read')).toBeUndefined();
  });

  it.each([
    ['mcp-protocol-version', 'MCP-Protocol-Version', '_meta["io.modelcontextprotocol/protocolVersion"]'],
    ['mcp-method', 'Mcp-Method', 'method'],
    ['mcp-name', 'Mcp-Name', 'params.name'],
  ])('C73 refuses a request without %s', (header, label, source) => {
    expect(check(without(header), 'refund')).toEqual({
      code: -32020,
      status: 400,
      message: `Header mismatch: ${label} is missing. Send it with the value of ${source}.`,
    });
  });

  it('C73 refuses each header that differs from the body, version first, then method, then name', () => {
    const headers = { 'mcp-protocol-version': '2025-11-25', 'mcp-method': 'prompts/get', 'mcp-name': 'other' };
    expect(check(headers, 'refund')).toEqual({
      code: -32020,
      status: 400,
      message:
        'Header mismatch: MCP-Protocol-Version is "2025-11-25", but ' +
        '_meta["io.modelcontextprotocol/protocolVersion"] in the body is "2026-07-28".',
    });
    headers['mcp-protocol-version'] = VERSION;
    expect(check(headers, 'refund')?.message).toBe(
      'Header mismatch: Mcp-Method is "prompts/get", but method in the body is "tools/call".',
    );
    headers['mcp-method'] = 'tools/call';
    expect(check(headers, 'refund')?.message).toBe(
      'Header mismatch: Mcp-Name is "other", but params.name in the body is "refund".',
    );
  });

  it('names params.uri for a resource', () => {
    const headers = { ...good('file:///a'), 'mcp-method': 'resources/read' };
    expect(check(headers, 'file:///b', 'resources/read')?.message).toContain('params.uri in the body is "file:///b"');
  });

  it('compares values with their case', () => {
    expect(check({ ...good('refund'), 'mcp-method': 'TOOLS/CALL' }, 'refund')?.code).toBe(-32020);
    expect(check(good('Refund'), 'refund')?.code).toBe(-32020);
  });

  it('C74 decodes the name', () => {
    expect(check(good('=?base64?Z3LDtsOfZQ==?='), 'größe')).toBeUndefined();
  });

  it.each([
    '=?base64??=',
    '=?base64?=',
    '=?base64?%%%?=',
    '=?BASE64?Z3LDtsOfZQ==?=',
    'größe',
    'gr\u00c3\u00b6\u00c3\u009fe',
  ])('C74 refuses the name %j for größe', (name) => {
    expect(check(good(name), 'größe')).toMatchObject({ code: -32020, status: 400 });
  });

  it('C74 says how to send a name that is malformed', () => {
    expect(check(good('größe'), 'größe')?.message).toBe(
      'Header mismatch: Mcp-Name is malformed. ' +
        'Send visible ASCII, or =?base64?…?= around the padded Base64 of the UTF-8 text.',
    );
  });

  it('C74 takes spaces and tabs off the name but no U+00A0', () => {
    expect(check(good(' a\t'), 'a')).toBeUndefined();
    expect(check(good('\u00a0a'), 'a')?.code).toBe(-32020);
    expect(check(good(' a '), ' a ')?.code).toBe(-32020);
  });

  it('reads a wrapper in the version and the method as literal: only the name is encoded', () => {
    const method = `=?base64?${Buffer.from('tools/call').toString('base64')}?=`;
    expect(check({ ...good('a'), 'mcp-method': method }, 'a')?.message).toContain('Mcp-Method is "=?base64?');
    expect(check({ ...good('a'), 'mcp-method': 'tools/c\u00e4ll' }, 'a')?.message).toBe(
      'Header mismatch: Mcp-Method is malformed. Send visible ASCII.',
    );
  });

  it('C74 refuses a doubled header, even where the joined value equals the body', () => {
    const [headers, raw] = received([
      ['MCP-Protocol-Version', VERSION],
      ['Mcp-Method', 'tools/call'],
      ['Mcp-Name', 'a'],
      ['mcp-NAME', 'a'],
    ]);
    expect(headers['mcp-name']).toBe('a, a');
    expect(check(headers, 'a, a', 'tools/call', raw)?.message).toBe(
      'Header mismatch: Mcp-Name was sent more than once. Send it once, with the value of params.name.',
    );
    expect(check(headers, 'a', 'tools/call', raw)?.message).toContain('more than once');
    expect(check(headers, 'a')?.code).toBe(-32020);
    expect(check({ ...headers, 'mcp-name': ['a', 'a'] }, 'a')?.message).toContain('more than once');
  });

  it('passes one header whose value holds a comma', () => {
    const [headers, raw] = received(Object.entries(good('a, a')));
    expect(check(headers, 'a, a', 'tools/call', raw)).toBeUndefined();
  });

  it('shows no more than 100 characters of either side, and no control characters', () => {
    const message = check(good('x'.repeat(5000)), `\u001b[31m${'y'.repeat(5000)}`)?.message ?? '';
    expect(message.length).toBeLessThan(320);
    expect(message).not.toContain('\u001b');
    expect(message).toContain(`"${'x'.repeat(100)}…"`);
  });

  it('never throws and passes only equal values, whatever arrives', () => {
    const text = fc.oneof(fc.string({ unit: 'binary' }), fc.constantFrom('a', VERSION, 'tools/call'));
    fc.assert(
      fc.property(text, text, text, text, (version, method, name, target) => {
        const headers = { 'mcp-protocol-version': version, 'mcp-method': method, 'mcp-name': name };
        const fault = check(headers, target);
        if (fault === undefined) {
          expect([version.trim(), method.trim()]).toEqual([VERSION, 'tools/call']);
        } else {
          expect(fault).toMatchObject({ code: -32020, status: 400 });
        }
      }),
    );
  });
});
