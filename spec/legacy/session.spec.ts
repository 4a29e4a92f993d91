import fc from 'fast-check';
import { sealingOf, type Sealing } from '../../lib/legacy/sealing.js';
import { clientInfoOf, openSession, sealSession, type Session } from '../../lib/legacy/session.js';
import type { Principal } from '../../lib/principal.js';
import { supports, type CapabilityName } from '../../lib/protocol/capabilities.js';
import type { ClientCapabilities } from '../../lib/protocol/wire.js';
import { ProvidedKeys } from '../../lib/seal/provided-keys.js';
import { Keyring } from '../../lib/seal/keyring.js';
import { altered, HOSTILE, KEY, OTHER, SHOP } from '../support/sealing.js';

const NOW = Date.UTC(2026, 6, 28);
const LIMITS = { ttlMs: 3_600_000, clockSkewMs: 60_000 };
const ANN: Principal = { issuer: 'https://id.example.com', subject: 'ann', client: 'desktop' };
const SESSION: Session = {
  version: '2025-11-25',
  clientInfo: { name: 'inspector', version: '1.0.0' },
  capabilities: { elicitation: { form: {}, url: {} }, sampling: { tools: {} }, roots: {} },
  sessionId: 'A'.repeat(22),
  issuedAt: NOW,
};
const NAMES: readonly CapabilityName[] = [
  'elicitation',
  'elicitation.form',
  'elicitation.url',
  'sampling',
  'sampling.tools',
  'sampling.context',
  'roots',
];

const sealed = (session: Partial<Session> = {}, principal: Principal | null = ANN): Promise<string> =>
  sealSession({ ...SESSION, ...session }, principal, SHOP);
const opened = (
  id: string,
  principal: Principal | null = ANN,
  now = NOW,
  sealing: Sealing = SHOP,
): Promise<Session | undefined> => openSession(id, principal, now, sealing, LIMITS);
/** A session with other content than this release would seal. */
const forged = async (content: Record<string, unknown>): Promise<Session | undefined> => {
  const good = { v: '2025-06-18', n: 'n', w: '1', c: 0, s: 'A'.repeat(22), t: NOW };
  let aad: Uint8Array | undefined;
  const spying = {
    ...SHOP,
    session: { ...SHOP.session, seal: (_state: object, given: Uint8Array) => ((aad = given), '') },
  };
  await sealSession(SESSION, ANN, spying);
  if (aad === undefined) throw new Error('nothing was sealed');
  return opened(await SHOP.session.seal({ ...good, ...content }, aad, ANN));
};

describe('a sealed session', () => {
  it.each(['2025-11-25', '2025-06-18'] as const)('opens as what was sealed, under %s', async (version) => {
    expect(await opened(await sealed({ version }))).toEqual({ ...SESSION, version });
    expect(await opened(await sealed({ version }, null), null)).toEqual({ ...SESSION, version });
  });

  it('keeps of the capabilities what questions can need, whatever they are', async () => {
    const mode = fc.constantFrom({}, { x: 1 }, [], true, null);
    const capabilities = fc.record(
      {
        elicitation: fc.oneof(mode, fc.record({ form: mode, url: mode }, { requiredKeys: [] })),
        sampling: fc.oneof(mode, fc.record({ tools: mode, context: mode }, { requiredKeys: [] })),
        roots: mode,
        experimental: mode,
      },
      { requiredKeys: [] },
    );
    await fc.assert(
      fc.asyncProperty(capabilities, async (hostile) => {
        const given = hostile as unknown as ClientCapabilities;
        const session = await opened(await sealed({ capabilities: given }));
        const told = session?.capabilities ?? {};
        expect(NAMES.filter((name) => supports(told, name))).toEqual(NAMES.filter((name) => supports(given, name)));
        expect(Object.keys(told).every((name) => ['elicitation', 'sampling', 'roots'].includes(name))).toBe(true);
      }),
    );
  });

  it('does not take what a prototype lends for a capability', async () => {
    const capabilities = Object.create({ sampling: {} }) as ClientCapabilities;
    expect((await opened(await sealed({ capabilities })))?.capabilities).toEqual({});
  });

  it.each<[string, string]>([
    ['ASCII', 'a'],
    ['characters beyond the basic plane', '\u{1f600}'],
    ['lone surrogates', '\ud800'],
    ['control characters', '\0'],
    ['quotes', '"'],
    ['line breaks', '\r\n'],
  ])(
    'is a header of less than 4 KiB, in visible ASCII, for 1 MB of %s in each text of the client',
    async (_what, unit) => {
      const text = unit.repeat(1024 * 1024);
      const id = await sealed({ clientInfo: { name: text, version: text } });
      expect(id.length).toBeLessThan(2048);
      expect(id).toMatch(/^[\x21-\x7e]+$/);
      const { name, version } = (await opened(id))?.clientInfo ?? { name: '', version: '' };
      expect(Array.from(name)).toEqual(Array.from(text.slice(0, 256)).slice(0, 64));
      expect(version).toBe(name);
    },
  );

  it('does not grow with principal or audience', async () => {
    const long: Principal = { issuer: 'i'.repeat(1024), subject: 's'.repeat(1024), client: 'c'.repeat(1024) };
    expect((await sealed({}, long)).length).toBe((await sealed()).length);
  });

  it.each<[string, unknown, Session['clientInfo']]>([
    ['no object', null, { name: '', version: '' }],
    ['an array', ['a'], { name: '', version: '' }],
    ['other types', { name: 7, version: { toString: () => 'x' } }, { name: '', version: '' }],
    ['what a prototype lends', Object.create({ name: 'n', version: 'v' }), { name: '', version: '' }],
    ['more than a name and a version', { name: 'n', version: 'v', title: 't' }, { name: 'n', version: 'v' }],
  ])('reads client info of %s', (_what, value, expected) => {
    expect(clientInfoOf(value)).toEqual(expected);
  });

  it.each<[string, Principal | null]>([
    ['another subject', { ...ANN, subject: 'bob' }],
    ['another issuer', { ...ANN, issuer: 'https://evil.example.com' }],
    ['another client', { ...ANN, client: 'web' }],
    ['no issuer', { subject: 'ann', client: 'desktop' }],
    ['nobody', null],
  ])('is nothing to %s', async (_who, other) => {
    expect(await opened(await sealed(), other)).toBeUndefined();
    expect(await opened(await sealed({}, other), ANN)).toBeUndefined();
  });

  it('is nothing to another service, under another key, and under another purpose', async () => {
    const id = await sealed();
    expect(await opened(id, ANN, NOW, sealingOf(Keyring.from(KEY), 'bank'))).toBeUndefined();
    expect(await opened(id, ANN, NOW, sealingOf(Keyring.from(OTHER), 'shop'))).toBeUndefined();
    for (const session of [SHOP.letter, SHOP.requestId]) {
      expect(await opened(id, ANN, NOW, { ...SHOP, session })).toBeUndefined();
      expect(await opened(await sealSession(SESSION, ANN, { ...SHOP, session }))).toBeUndefined();
    }
    expect(await opened(id, ANN, NOW, sealingOf(Keyring.from([OTHER, KEY]), 'shop'))).toEqual(SESSION);
  });

  it('lasts until just before its time is over, and is nothing of a time to come beyond the skew of clocks', async () => {
    const id = await sealed();
    expect(await opened(id, ANN, NOW + LIMITS.ttlMs - 1)).toEqual(SESSION);
    expect(await opened(id, ANN, NOW + LIMITS.ttlMs)).toBeUndefined();
    expect(await opened(id, ANN, NOW - LIMITS.clockSkewMs)).toEqual(SESSION);
    expect(await opened(id, ANN, NOW - LIMITS.clockSkewMs - 1)).toBeUndefined();
  });

  it('is nothing once any character of it is altered', async () => {
    const id = await sealed();
    await fc.assert(fc.asyncProperty(altered(id), async (other) => expect(await opened(other)).toBeUndefined()));
  });

  it('is nothing in place of hostile texts', async () => {
    for (const text of HOSTILE) expect(await opened(text)).toBeUndefined();
  });

  it('is nothing when its content is not that of a session of this release', async () => {
    expect(await forged({})).toMatchObject({ version: '2025-06-18', capabilities: {} });
    const wrong = [{ v: '2024-11-05' }, { v: 1 }, { n: 1 }, { w: null }, { c: '0' }, { c: 0.5 }, { s: '' }, { t: 'x' }];
    for (const content of wrong) expect(await forged(content)).toBeUndefined();
  });

  it('is sealed and opened with the keys of a provider, and rejects when that is down', async () => {
    let down = false;
    const ask = (): Keyring => {
      if (down) throw new Error('down');
      return Keyring.from(KEY);
    };
    const provider = { current: ask, resolve: ask };
    const withProvider = (): Sealing =>
      sealingOf(new ProvidedKeys(provider, { cacheMs: 1000, timeoutMs: 1000 }), 'shop');
    const id = await sealSession(SESSION, ANN, withProvider());
    expect(await opened(id)).toEqual(SESSION);
    expect(await opened(id, ANN, NOW, withProvider())).toEqual(SESSION);
    down = true;
    await expect(opened(id, ANN, NOW, withProvider())).rejects.toMatchObject({ code: 'ERR_MRTR_KEYS' });
    await expect(sealSession(SESSION, ANN, withProvider())).rejects.toMatchObject({ code: 'ERR_MRTR_KEYS' });
  });
});
