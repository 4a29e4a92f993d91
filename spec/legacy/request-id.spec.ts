import fc from 'fast-check';
import { newMailboxId, openRequestId, sealRequestId } from '../../lib/legacy/request-id.js';
import { sealingOf, type Sealing } from '../../lib/legacy/sealing.js';
import type { Principal } from '../../lib/principal.js';
import { Keyring } from '../../lib/seal/keyring.js';
import { altered, HOSTILE, KEY, OTHER, SHOP } from '../support/sealing.js';

const NOW = Date.UTC(2026, 6, 28);
const ANN: Principal = { subject: 'ann' };
const ASKED = { mailboxId: newMailboxId(), expiresAt: NOW + 300_000 };

const sealed = (sealing: Sealing = SHOP): Promise<string> => sealRequestId(ASKED, 'session-1', ANN, sealing);
const opened = (
  id: unknown,
  sessionId = 'session-1',
  principal: Principal | null = ANN,
  now = NOW,
  sealing: Sealing = SHOP,
): Promise<string | undefined> => openRequestId(id, sessionId, principal, now, sealing);

describe('a sealed request id', () => {
  it('opens as the mailbox id, is at most 200 characters long and never the same twice', async () => {
    const [one, two] = [await sealed(), await sealed()];
    expect(await opened(one)).toBe(ASKED.mailboxId);
    expect(await opened(two)).toBe(ASKED.mailboxId);
    expect(one).not.toBe(two);
    expect(one.length).toBeLessThanOrEqual(200);
    expect(one).toMatch(/^[\w.-]+$/);
  });

  it('holds a mailbox id of 16 random bytes', () => {
    expect(newMailboxId((size) => Buffer.alloc(size, 0xff))).toBe(Buffer.alloc(16, 0xff).toString('base64url'));
    expect(new Set(Array.from({ length: 100 }, () => newMailboxId())).size).toBe(100);
  });

  it('is nothing in another session, to another principal, to another service, and under another key', async () => {
    const id = await sealed();
    expect(await opened(id, 'session-2')).toBeUndefined();
    expect(await opened(id, 'session-1', { subject: 'bob' })).toBeUndefined();
    expect(await opened(id, 'session-1', null)).toBeUndefined();
    expect(await opened(id, 'session-1', ANN, NOW, sealingOf(Keyring.from(KEY), 'bank'))).toBeUndefined();
    expect(await opened(id, 'session-1', ANN, NOW, sealingOf(Keyring.from(OTHER), 'shop'))).toBeUndefined();
    expect(await opened(id, 'session-1', ANN, NOW, sealingOf(Keyring.from([OTHER, KEY]), 'shop'))).toBe(
      ASKED.mailboxId,
    );
  });

  it('is nothing when it was sealed for another purpose', async () => {
    for (const requestId of [SHOP.session, SHOP.letter]) {
      expect(await opened(await sealed({ ...SHOP, requestId }))).toBeUndefined();
    }
  });

  it('is good until just before its time is over', async () => {
    const id = await sealed();
    expect(await opened(id, 'session-1', ANN, ASKED.expiresAt - 1)).toBe(ASKED.mailboxId);
    expect(await opened(id, 'session-1', ANN, ASKED.expiresAt)).toBeUndefined();
  });

  it('is nothing once any character of it is altered', async () => {
    const id = await sealed();
    await fc.assert(fc.asyncProperty(altered(id), async (other) => expect(await opened(other)).toBeUndefined()));
  });

  it('is nothing in place of whatever else a client may send', async () => {
    const values = [...HOSTILE, undefined, null, 0, 1, NaN, true, {}, [], [await sealed()], { toString: () => 'x' }];
    for (const value of values) expect(await opened(value)).toBeUndefined();
    await fc.assert(fc.asyncProperty(fc.anything(), async (value) => expect(await opened(value)).toBeUndefined()));
  });

  it('does not open what is longer than any id of ours, unread', async () => {
    let asked = 0;
    const requestId = { ...SHOP.requestId, unseal: () => ((asked += 1), { m: 'm', e: Infinity }) };
    expect(await opened('x'.repeat(200), 'session-1', ANN, NOW, { ...SHOP, requestId })).toBe('m');
    expect(await opened('x'.repeat(201), 'session-1', ANN, NOW, { ...SHOP, requestId })).toBeUndefined();
    expect(asked).toBe(1);
  });
});
