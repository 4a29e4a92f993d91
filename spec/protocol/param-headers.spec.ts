import fc from 'fast-check';
import { paramHeaderFault, paramHeadersOf, type RequestHeaders } from '../../lib/protocol/headers.js';

const declared = paramHeadersOf(
  {
    properties: {
      region: { type: 'string', 'x-mcp-header': 'Region' },
      count: { type: 'integer', 'x-mcp-header': 'Count' },
      force: { type: 'boolean', 'x-mcp-header': 'Force' },
      where: { type: 'object', properties: { zone: { type: 'string', 'x-mcp-header': 'Zone' } } },
    },
  },
  'query',
);
const check = (args: unknown, headers: RequestHeaders = {}, raw?: string[]): string | undefined => {
  const fault = paramHeaderFault(declared, args, headers, raw);
  if (fault !== undefined) expect(fault).toMatchObject({ code: -32020, status: 400 });
  return fault?.message;
};

describe('paramHeaderFault', () => {
  it('passes headers that repeat the arguments', () => {
    const args = { region: 'us-west1', count: 42, force: true, where: { zone: 'Hello, 世界' } };
    const headers = {
      'mcp-param-region': ' us-west1 ',
      'mcp-param-count': '42',
      'mcp-param-force': 'true',
      'mcp-param-zone': '=?base64?SGVsbG8sIOS4lueVjA==?=',
      'mcp-param-other': 'is none of ours',
    };
    expect(check(args, headers)).toBeUndefined();
  });

  it('passes anything when no header is declared', () => {
    expect(paramHeaderFault([], { region: 'a' }, { 'mcp-param-region': 'b' })).toBeUndefined();
  });

  it('expects no header for a value that is null or absent', () => {
    for (const args of [
      undefined,
      null,
      {},
      { region: null },
      { where: null },
      { where: {} },
      { where: 'text' },
      [],
      'text',
    ]) {
      expect(check(args)).toBeUndefined();
    }
  });

  it('refuses a header whose value the body lacks', () => {
    for (const args of [{}, { region: null }, undefined]) {
      expect(check(args, { 'mcp-param-region': 'eu' })).toBe(
        'Header mismatch: mcp-param-region was sent, but arguments.region is not in the body. Leave the header out.',
      );
    }
  });

  it('refuses a value without its header, the empty string included', () => {
    for (const region of ['us-west1', '']) {
      expect(check({ region })).toBe(
        'Header mismatch: mcp-param-region is missing. Send it with the value of arguments.region.',
      );
    }
    expect(check({ where: { zone: 'a' } })).toContain('arguments.where.zone');
  });

  it('takes an empty header and an empty wrapper for the empty string', () => {
    expect(check({ region: '' }, { 'mcp-param-region': '' })).toBeUndefined();
    expect(check({ region: '' }, { 'mcp-param-region': '=?base64??=' })).toBeUndefined();
  });

  it('refuses another value, a broken wrapper and a doubled header', () => {
    expect(check({ region: 'eu' }, { 'mcp-param-region': 'us' })).toBe(
      'Header mismatch: mcp-param-region is not the value of arguments.region in the body.',
    );
    expect(check({ region: 'Hello' }, { 'mcp-param-region': '=?base64?SGVsbG8?=' })).toContain('is malformed');
    const raw = ['Mcp-Param-Region', 'a', 'MCP-PARAM-REGION', 'a'];
    expect(check({ region: 'a, a' }, { 'mcp-param-region': 'a, a' }, raw)).toContain('was sent more than once');
    expect(check({ region: 'a, a' }, { 'mcp-param-region': 'a, a' }, raw.slice(2))).toBeUndefined();
  });

  it.each(['42', '42.0', '42.000', ' 42 '])('reads the header %j as the integer 42', (header) => {
    expect(check({ count: 42 }, { 'mcp-param-count': header })).toBeUndefined();
  });

  it.each(['43', '0x2a', '4.2e1', '042', '+42', '42.', '42.5', '', 'Infinity', '4_2', '٤٢', '42 0', '-42'])(
    'refuses the header %j for the integer 42',
    (header) => {
      expect(check({ count: 42 }, { 'mcp-param-count': header })).toMatch(/^Header mismatch: mcp-param-count/);
    },
  );

  it('compares negative numbers, zero and the ends of the safe range', () => {
    for (const count of [-7, 0, Number.MAX_SAFE_INTEGER, Number.MIN_SAFE_INTEGER]) {
      expect(check({ count }, { 'mcp-param-count': String(count) })).toBeUndefined();
    }
    expect(check({ count: Number.MAX_SAFE_INTEGER }, { 'mcp-param-count': '9007199254740993' })).toBeDefined();
    expect(check({ count: 0 }, { 'mcp-param-count': '' })).toBeDefined();
  });

  it('refuses a whole number beyond the safe range, where two values are one number', () => {
    const args = JSON.parse('{"count":9007199254740993}') as unknown;
    expect(check(args, { 'mcp-param-count': '9007199254740992' })).toBe(
      'Header mismatch: arguments.count is repeated in mcp-param-count and must be of type integer.',
    );
  });

  it('knows true and false only', () => {
    expect(check({ force: false }, { 'mcp-param-force': 'false' })).toBeUndefined();
    for (const header of ['True', '1', '', 'false']) {
      expect(check({ force: true }, { 'mcp-param-force': header })).toBeDefined();
    }
  });

  it('compares a value of another type as text and leaves the type to the schema', () => {
    expect(check({ count: '42' }, { 'mcp-param-count': '42' })).toBeUndefined();
    expect(check({ count: '42' }, { 'mcp-param-count': '42.0' })).toBeDefined();
    expect(check({ count: '0x2a' }, { 'mcp-param-count': '42' })).toBeDefined();
    expect(check({ count: 42.5 }, { 'mcp-param-count': '42.5' })).toBeUndefined();
    expect(check({ region: 7 }, { 'mcp-param-region': '7' })).toBeUndefined();
    expect(check({ region: 7 }, { 'mcp-param-region': '7.0' })).toBeDefined();
  });

  it('refuses a value that no header can carry, with and without the header', () => {
    let nested: unknown[] = [];
    for (let i = 0; i < 100_000; i += 1) nested = [nested];
    for (const region of [['eu'], {}, nested, Infinity]) {
      expect(check({ region })).toContain('must be of type string');
      expect(check({ region }, { 'mcp-param-region': 'eu' })).toContain('must be of type string');
    }
  });

  it('reads own properties only along the path', () => {
    const tricky = paramHeadersOf(
      { properties: { constructor: { properties: { name: { type: 'string', 'x-mcp-header': 'Name' } } } } },
      'query',
    );
    expect(paramHeaderFault(tricky, {}, {})).toBeUndefined();
    expect(paramHeaderFault(tricky, { constructor: { name: 'a' } }, {})?.code).toBe(-32020);
    const length = paramHeadersOf({ properties: { length: { type: 'integer', 'x-mcp-header': 'L' } } }, 'query');
    expect(paramHeaderFault(length, [1], {})).toBeUndefined();
    const proto = paramHeadersOf(
      JSON.parse('{"properties":{"__proto__":{"type":"string","x-mcp-header":"P"}}}') as Record<string, unknown>,
      'query',
    );
    expect(paramHeaderFault(proto, JSON.parse('{"__proto__":"a"}'), { 'mcp-param-p': 'a' })).toBeUndefined();
    expect(paramHeaderFault(proto, {}, {})).toBeUndefined();
  });

  it('never throws, whatever arrives', () => {
    fc.assert(
      fc.property(fc.anything(), fc.string({ unit: 'binary' }), (value, header) => {
        const plain = JSON.parse(JSON.stringify({ value }, (_name, v: unknown) => (typeof v === 'bigint' ? 1 : v))) as {
          value: unknown;
        };
        const headers = { 'mcp-param-region': header, 'mcp-param-count': header };
        for (const args of [plain.value, { region: plain.value, count: plain.value, where: plain.value }]) {
          const fault = paramHeaderFault(declared, args, headers);
          expect(fault === undefined || fault.code === -32020).toBe(true);
        }
      }),
    );
  });
});
