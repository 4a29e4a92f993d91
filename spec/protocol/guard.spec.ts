import fc from 'fast-check';
import { hostFault, isHostEntry, isOriginEntry, originFault, type HostRules } from '../../lib/protocol/guard.js';

const rules = (allowedHosts?: string[], allowedOrigins?: string[]): HostRules => ({ allowedHosts, allowedOrigins });
const UNSET = rules();
const passesHost = (host: string | undefined, address: string | undefined, set = UNSET): boolean => {
  const fault = hostFault(host, address, set);
  if (fault !== undefined) expect(fault).toMatchObject({ code: -32600, status: 403 });
  return fault === undefined;
};
const passesOrigin = (origin: string | undefined, set = UNSET): boolean => {
  const fault = originFault(origin, set);
  if (fault !== undefined) expect(fault).toMatchObject({ code: -32600, status: 403 });
  return fault === undefined;
};

/** Spellings in which a foreign name tries to look like localhost. */
const DISGUISED = [
  'evil.example@localhost',
  'localhost@evil.example',
  'localhost/evil.example',
  'localhost?evil.example',
  'localhost#evil.example',
  'localhost\\evil.example',
  'localhost evil.example',
  'localhost.evil.example',
  'evil-localhost',
  'notlocalhost',
  'localhost:80:80',
  'localhost:',
  'localhost:abc',
  'localhost,localhost',
  '127.0.0.1.evil.example',
  '127.evil.example',
  'x127.0.0.1',
  '[::1]evil.example',
  '[::1].evil.example',
  '[::2]',
  '[::1',
  '::1',
  'ｌocalhost',
  '%6cocalhost',
  ' localhost',
  'localhost\n',
  '0.0.0.0',
  '',
];

describe('hostFault', () => {
  it.each([
    'localhost:99999',
    '127.0.0.1:65536',
    '127.0.0.999',
    '127.0.0.08',
    'foo bar',
    'a..b:1:2',
    'evil.example:99999',
    'xn--a',
    '%00',
    '1.2.3.256',
  ])('refuses %p, of which no URL can be made, under every set of rules', (host) => {
    expect(passesHost(host, '127.0.0.1')).toBe(false);
    expect(passesHost(host, '192.168.0.1')).toBe(false);
    expect(passesHost(host, undefined)).toBe(false);
    expect(passesHost(host, '192.168.0.1', rules(['localhost', '127.0.0.1', 'evil.example']))).toBe(false);
  });

  it.each(['127.0.0.1', '127.8.9.10', '::1', '::ffff:127.0.0.1'])('wants a loopback name on %s', (address) => {
    expect(passesHost('localhost:3000', address)).toBe(true);
    expect(passesHost('evil.example', address)).toBe(false);
  });

  it.each(['192.168.0.1', '::ffff:10.0.0.1', '2001:db8::1', '127.evil', '0.0.0.0', undefined])(
    'does not look at the name on %s while allowedHosts is unset',
    (address) => {
      expect(passesHost('anything.example', address)).toBe(true);
      expect(passesHost(undefined, address)).toBe(true);
    },
  );

  it.each([
    'localhost',
    'LocalHost',
    'localhost:3000',
    '127.0.0.1',
    '127.0.0.1:1',
    '127.1.2.3',
    '[::1]',
    '[::1]:65535',
    '[0:0::1]:80',
  ])('takes %s for a loopback name', (host) => {
    expect(passesHost(host, '127.0.0.1')).toBe(true);
  });

  it.each([undefined, ...DISGUISED])('refuses the Host %j on a loopback address', (host) => {
    expect(passesHost(host, '127.0.0.1')).toBe(false);
  });

  it('names the option and the host', () => {
    expect(hostFault('evil.example:80', '127.0.0.1', UNSET)?.message).toBe(
      'This server listens on a loopback address and answers only to a loopback name, not to the Host "evil.example:80". ' +
        'If it is meant to be reached under that name, for example behind a proxy, list the name in the option allowedHosts.',
    );
    expect(hostFault(undefined, '10.0.0.1', rules(['a.example']))?.message).toBe(
      'This server does not answer to the Host (none). ' +
        'If it is meant to be reached under that name, list the name, without port, in the option allowedHosts.',
    );
  });

  it('answers to the allowed names, whatever their case and port, on every address', () => {
    const set = rules(['MCP.example.com', '[2001:db8::1]']);
    for (const address of ['127.0.0.1', '10.0.0.1', undefined]) {
      expect(passesHost('mcp.example.com', address, set)).toBe(true);
      expect(passesHost('Mcp.Example.Com:8443', address, set)).toBe(true);
      expect(passesHost('[2001:DB8:0::1]:80', address, set)).toBe(true);
      expect(passesHost('localhost', address, set)).toBe(false);
      expect(passesHost('a.mcp.example.com', address, set)).toBe(false);
      expect(passesHost('mcp.example.com.evil.example', address, set)).toBe(false);
      expect(passesHost(undefined, address, set)).toBe(false);
    }
    expect(passesHost('localhost', '127.0.0.1', rules([]))).toBe(false);
  });

  it('shows no more than 100 characters of the host, cleaned', () => {
    const message = hostFault(`\u001b${'x'.repeat(9000)}`, '127.0.0.1', UNSET)?.message ?? '';
    expect(message.length).toBeLessThan(400);
    expect(message).not.toContain('\u001b');
  });

  it('never throws, whatever arrives', () => {
    fc.assert(
      fc.property(fc.oneof(fc.string({ unit: 'binary' }), fc.webAuthority()), fc.string(), (host, address) => {
        if (passesHost(host, '::1'))
          expect(new URL(`http://${host}`).hostname).toMatch(/^(localhost|127(\.\d+){3}|\[::1\])$/);
        expect(typeof passesHost(host, address, rules(['a.example']))).toBe('boolean');
      }),
    );
  });
});

describe('originFault', () => {
  it('passes a request without Origin', () => {
    expect(passesOrigin(undefined)).toBe(true);
    expect(passesOrigin(undefined, rules([], []))).toBe(true);
  });

  it.each([
    'http://localhost',
    'http://localhost:5173',
    'https://LOCALHOST',
    'http://127.0.0.1:6274',
    'http://127.9.9.9',
    'http://[::1]:1',
  ])('takes %s for a loopback page', (origin) => {
    expect(passesOrigin(origin)).toBe(true);
    expect(passesOrigin(origin, rules(['mcp.example.com'], ['app.example.com']))).toBe(true);
  });

  it.each([
    'null',
    '',
    'https://evil.example',
    'localhost',
    '//localhost',
    'http:localhost',
    'http:/localhost',
    'http://localhost/',
    'http://localhost/path',
    'http://localhost http://evil.example',
    'http://localhost, http://evil.example',
    'file:///etc/passwd',
    'file://',
    'data:text/html,x',
    'blob:http://localhost/x',
    ...DISGUISED.map((host) => `http://${host}`),
  ])('refuses the Origin %j', (origin) => {
    expect(passesOrigin(origin)).toBe(false);
  });

  it('names the option and the origin', () => {
    expect(originFault('https://evil.example', UNSET)?.message).toBe(
      'This server does not take requests of web pages from the Origin "https://evil.example". ' +
        'If that page is meant to call it, list its host name or whole origin in the option allowedOrigins.',
    );
  });

  it('passes pages of the allowed hosts and of allowed host names on any scheme and port', () => {
    const set = rules(['mcp.example.com'], ['App.example.com', 'abcdefgh']);
    for (const origin of ['https://mcp.example.com', 'http://APP.example.com:81', 'chrome-extension://abcdefgh']) {
      expect(passesOrigin(origin, set)).toBe(true);
    }
    for (const origin of [
      'https://example.com',
      'https://x.app.example.com',
      'https://app.example.com.evil.example',
      'null',
    ]) {
      expect(passesOrigin(origin, set)).toBe(false);
    }
  });

  it('compares a whole origin by scheme, host and port', () => {
    const set = rules(undefined, ['https://app.example.com', 'http://dev.example.com:8080']);
    for (const origin of [
      'https://app.example.com',
      'https://app.example.com:443',
      'HTTPS://App.example.com',
      'http://dev.example.com:8080',
    ]) {
      expect(passesOrigin(origin, set)).toBe(true);
    }
    for (const origin of [
      'http://app.example.com',
      'https://app.example.com:8443',
      'http://dev.example.com',
      'http://dev.example.com:80',
    ]) {
      expect(passesOrigin(origin, set)).toBe(false);
    }
  });

  it('never throws, whatever arrives', () => {
    const origin = fc.oneof(
      fc.string({ unit: 'binary' }),
      fc.webUrl(),
      fc.string().map((s) => `http://${s}`),
    );
    fc.assert(
      fc.property(origin, (text) => {
        if (passesOrigin(text)) expect(new URL(text).hostname).toMatch(/^(localhost|127(\.\d+){3}|\[::1\])$/);
      }),
    );
  });
});

describe('isHostEntry', () => {
  it.each([
    'example.com',
    'MCP.Example.com',
    'localhost',
    '127.0.0.1',
    '[::1]',
    '[2001:db8::1]',
    'my_host',
    'xn--bcher-kva.example',
  ])('accepts %s', (entry) => {
    expect(isHostEntry(entry)).toBe(true);
  });

  it.each([
    'example.com:3000',
    'https://example.com',
    'example.com/',
    'user@example.com',
    '*',
    '*.example.com',
    '::1',
    '[0:0::1]',
    '[nonsense]',
    '127.1',
    'bücher.example',
    'a b',
    '',
    undefined,
    null,
    7,
    ['example.com'],
  ])('refuses %j', (entry) => {
    expect(isHostEntry(entry)).toBe(false);
  });
});

describe('isOriginEntry', () => {
  it.each([
    'example.com',
    '[::1]',
    'https://app.example.com',
    'http://localhost:5173',
    'HTTPS://App.example.com',
    'chrome-extension://abcdefgh',
  ])('accepts %s', (entry) => {
    expect(isOriginEntry(entry)).toBe(true);
    expect(passesOrigin(entry.includes('://') ? entry : `https://${entry}`, rules(undefined, [entry]))).toBe(true);
  });

  it.each([
    'null',
    '*',
    'https://*',
    'https://*.example.com',
    'https://app.example.com/',
    'https://app.example.com/path',
    'https://app.example.com:443',
    'https://user@app.example.com',
    'example.com:3000',
    'https://bücher.example',
    'http://x:99999',
    'https://',
    '',
    undefined,
    null,
    7,
  ])('refuses %j', (entry) => {
    expect(isOriginEntry(entry)).toBe(false);
  });
});
