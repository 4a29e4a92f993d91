import { hasFormat } from '../../lib/elicitation/format.js';

describe('C57 formats are asserted', () => {
  it.each([
    'octocat@github.com',
    'first.last+tag@sub.example.co.uk',
    "o'hara@example.ie",
    'a@b.cd',
    'user@xn--bcher-kva.example',
    'user@1and1.com',
  ])('email takes %j', (text) => expect(hasFormat('email', text)).toBe(true));

  it.each([
    'a@b',
    'a@localhost',
    '',
    '@example.com',
    'a@',
    'a b@example.com',
    'a@@example.com',
    '.a@example.com',
    'a..b@example.com',
    'a@-example.com',
    'a@example-.com',
    'a@example..com',
    'a@127.0.0.1',
    'a@example.c',
    'a@example.com\n',
    'Name <a@example.com>',
    `${'a'.repeat(65)}@example.com`,
    `a@${'b'.repeat(64)}.com`,
    `a@${'b.'.repeat(130)}com`,
  ])('email refuses %j', (text) => expect(hasFormat('email', text)).toBe(false));

  it.each([
    'https://example.com',
    'http://[::1]:8080/a?b=c#d',
    'mailto:a@example.com',
    'urn:isbn:0451450523',
    'https://bücher.example',
  ])('uri takes %j', (text) => expect(hasFormat('uri', text)).toBe(true));

  it.each([
    'javascript:alert(1)',
    'JavaScript:alert(1)',
    ' javascript:alert(1)',
    'java\nscript:alert(1)',
    '\u0001javascript:alert(1)',
    'data:text/html,hi',
    'vbscript:x',
    '/relative',
    '//example.com',
    'example.com',
    '',
    'https://',
    'https://exa mple.com',
    ' https://example.com',
    'https:\\\\example.com',
    'https://example.com/"onload',
  ])('uri refuses %j', (text) => expect(hasFormat('uri', text)).toBe(false));

  it.each(['2026-01-31', '2024-02-29', '2000-02-29', '2026-12-01'])('date takes %s', (text) =>
    expect(hasFormat('date', text)).toBe(true),
  );
  it.each([
    '2026-02-30',
    '2026-02-29',
    '1900-02-29',
    '2026-13-01',
    '2026-00-10',
    '2026-01-00',
    '2026-04-31',
    '2026-1-1',
    '26-01-01',
    '2026-01-01T00:00:00Z',
    '٢٠٢٦-٠١-٠١',
    '2026-01-01\n',
    '',
  ])('date refuses %j', (text) => expect(hasFormat('date', text)).toBe(false));

  it.each([
    '2026-01-31T09:30:00Z',
    '2026-01-31t09:30:00z',
    '2026-01-31T23:59:59.123456+14:00',
    '2026-01-31T00:00:00-00:00',
  ])('date-time takes %s, and so does Date', (text) => {
    expect(hasFormat('date-time', text)).toBe(true);
    expect(new Date(text).getTime()).not.toBeNaN();
  });
  it.each([
    '2026-01-31T09:30:00',
    '2026-01-31T09:30Z',
    '2026-02-30T09:30:00Z',
    '2026-01-31 09:30:00Z',
    '2026-01-31T24:00:00Z',
    '2026-01-31T09:60:00Z',
    '2026-12-31T23:59:60Z',
    '2026-01-31T09:30:00+24:00',
    '2026-01-31T09:30:00+01:60',
    '2026-01-31T09:30:00+0100',
    '2026-01-31T09:30:00.Z',
    '2026-01-31',
    '',
  ])('date-time refuses %j', (text) => expect(hasFormat('date-time', text)).toBe(false));
});
