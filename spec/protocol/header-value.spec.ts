import fc from 'fast-check';
import { decodeHeaderValue, plainHeaderValue } from '../../lib/protocol/header-value.js';

/** The client's side of Value Encoding. */
function encode(value: string): string {
  const plain = /^[\x21-\x7e](?:[\t\x20-\x7e]*[\x21-\x7e])?$/.test(value);
  if (plain && !(value.startsWith('=?base64?') && value.endsWith('?='))) return value;
  return `=?base64?${Buffer.from(value, 'utf8').toString('base64')}?=`;
}

describe('decodeHeaderValue', () => {
  it.each([
    ['us-west1', 'us-west1'],
    ['Hello, 世界', '=?base64?SGVsbG8sIOS4lueVjA==?='],
    [' padded ', '=?base64?IHBhZGRlZCA=?='],
    ['line1\nline2', '=?base64?bGluZTEKbGluZTI=?='],
    ['=?base64?literal?=', '=?base64?PT9iYXNlNjQ/bGl0ZXJhbD89?='],
  ])('reads %j from the header value of the specification', (value, header) => {
    expect(encode(value)).toBe(header);
    expect(decodeHeaderValue(header)).toBe(value);
  });

  it('takes outer spaces and tabs off, before and not after decoding', () => {
    expect(decodeHeaderValue(' \t a b \t ')).toBe('a b');
    expect(decodeHeaderValue('\t=?base64?IHBhZGRlZCA=?= ')).toBe(' padded ');
    expect(decodeHeaderValue(' \t ')).toBe('');
    expect(decodeHeaderValue('')).toBe('');
  });

  it('C74 refuses whatever is not visible ASCII, space or tab', () => {
    for (const raw of [
      'a\u00a0',
      '\u00a0a',
      'gr\u00c3\u00b6\u00c3\u009fe',
      'a\u0000',
      'a\nb',
      'a\u007f',
      '世',
      '\ufeffa',
    ]) {
      expect(decodeHeaderValue(raw)).toBeUndefined();
    }
  });

  it.each([
    ['overlapping markers', '=?base64?='],
    ['no alphabet', '=?base64?%%%?='],
    ['missing padding', '=?base64?SGVsbG8?='],
    ['padding too long', '=?base64?SGVsbG8==?='],
    ['padding alone', '=?base64?=?='],
    ['characters between', '=?base64?SGVs!!!bG8=?='],
    ['whitespace within', '=?base64?SGVs bG8=?='],
    ['the URL alphabet', '=?base64?_-8=?='],
    ['stray trailing bits', '=?base64?SGVsbG9=?='],
    ['two values', '=?base64?SGk=?=, =?base64?SGk=?='],
    ['UTF-8 cut short', `=?base64?${Buffer.from([0xe4, 0xb8]).toString('base64')}?=`],
    ['an overlong form', `=?base64?${Buffer.from([0xc0, 0x80]).toString('base64')}?=`],
    ['an encoded surrogate', `=?base64?${Buffer.from([0xed, 0xa0, 0x80]).toString('base64')}?=`],
  ])('C74 refuses a wrapper with %s', (_what, raw) => {
    expect(decodeHeaderValue(raw)).toBeUndefined();
  });

  it('reads an empty wrapper as the empty string, as the official client sends it', () => {
    expect(decodeHeaderValue('=?base64??=')).toBe('');
  });

  it('takes a value as literal that lacks a marker or spells it in upper case', () => {
    for (const raw of ['=?BASE64?SGk=?=', '=?Base64?SGk=?=', '=?base64?SGVsbG8=', 'SGVsbG8=?=', '=?base64', '?=']) {
      expect(decodeHeaderValue(raw)).toBe(raw);
    }
  });

  it('keeps a byte order mark: it belongs to the value', () => {
    expect(decodeHeaderValue(encode('\ufeffa'))).toBe('\ufeffa');
  });

  it('reads back every well-formed string that a client encodes', () => {
    fc.assert(
      fc.property(fc.oneof(fc.string({ unit: 'binary' }), fc.string()), (value) => {
        expect(decodeHeaderValue(encode(value))).toBe(value);
      }),
    );
  });

  it('never throws, whatever arrives', () => {
    const junk = fc.oneof(
      fc.string({ unit: 'binary' }),
      fc.string().map((s) => `=?base64?${s}?=`),
      fc.base64String().map((s) => `=?base64?${s}?=`),
      fc.array(fc.nat(0xffff)).map((codes) => String.fromCharCode(...codes)),
    );
    fc.assert(
      fc.property(junk, (raw) => {
        expect(['string', 'undefined']).toContain(typeof decodeHeaderValue(raw));
      }),
    );
  });
});

describe('plainHeaderValue', () => {
  it('takes outer whitespace off and decodes nothing', () => {
    expect(plainHeaderValue(' =?base64?SGk=?= ')).toBe('=?base64?SGk=?=');
    expect(plainHeaderValue('a\u00a0')).toBeUndefined();
  });
});
