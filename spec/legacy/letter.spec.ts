import fc from 'fast-check';
import { openLetter, sealLetter } from '../../lib/legacy/letter.js';
import { sealingOf } from '../../lib/legacy/sealing.js';
import type { Principal } from '../../lib/principal.js';
import { Keyring } from '../../lib/seal/keyring.js';
import { altered, HOSTILE, KEY, OTHER, SHOP } from '../support/sealing.js';

const ANN: Principal = { subject: 'ann' };
const MESSAGE = JSON.stringify({ result: { action: 'accept', content: { secret: 'tulip' } } });

describe('a sealed letter', () => {
  it('opens at its id as the message, whatever the text', async () => {
    await fc.assert(
      fc.asyncProperty(fc.string({ unit: 'binary' }), fc.string({ unit: 'binary' }), async (message, id) => {
        expect(await openLetter(await sealLetter(message, id, ANN, SHOP), id, ANN, SHOP)).toBe(message);
      }),
    );
  });

  it('shows nothing of the message to the mailbox', async () => {
    const text = await sealLetter(MESSAGE, 'id', ANN, SHOP);
    expect(text).not.toContain('tulip');
    expect(Buffer.from(text.split('.')[2] ?? '', 'base64url').toString('latin1')).not.toContain('tulip');
  });

  it('is nothing at another id, to another principal, to another service, and under another key', async () => {
    const text = await sealLetter(MESSAGE, 'id', ANN, SHOP);
    expect(await openLetter(text, 'other', ANN, SHOP)).toBeUndefined();
    expect(await openLetter(text, 'id', { subject: 'bob' }, SHOP)).toBeUndefined();
    expect(await openLetter(text, 'id', null, SHOP)).toBeUndefined();
    expect(await openLetter(text, 'id', ANN, sealingOf(Keyring.from(KEY), 'bank'))).toBeUndefined();
    expect(await openLetter(text, 'id', ANN, sealingOf(Keyring.from(OTHER), 'shop'))).toBeUndefined();
    expect(await openLetter(text, 'id', ANN, sealingOf(Keyring.from([OTHER, KEY]), 'shop'))).toBe(MESSAGE);
  });

  it('is nothing when it was sealed for another purpose', async () => {
    for (const letter of [SHOP.session, SHOP.requestId]) {
      const text = await sealLetter(MESSAGE, 'id', ANN, { ...SHOP, letter });
      expect(await openLetter(text, 'id', ANN, SHOP)).toBeUndefined();
    }
  });

  it('is nothing once any character of it is altered, and in place of hostile texts', async () => {
    const text = await sealLetter(MESSAGE, 'id', ANN, SHOP);
    const read = (other: string): Promise<string | undefined> => openLetter(other, 'id', ANN, SHOP);
    await fc.assert(fc.asyncProperty(altered(text), async (other) => expect(await read(other)).toBeUndefined()));
    for (const other of HOSTILE) expect(await read(other)).toBeUndefined();
  });
});
