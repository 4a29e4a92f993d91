import { fromAuthInfo, fromPassport, toPrincipal } from '../lib/principal.js';

class ObjectIdLike {
  constructor(private readonly hex: string) {}
  toString(): string {
    return this.hex;
  }
}

const refused = (call: () => unknown): { code: string; message: string } => {
  try {
    call();
  } catch (error) {
    return error as { code: string; message: string };
  }
  throw new Error('was not refused');
};

describe('fromPassport', () => {
  it.each([
    [{ sub: 'u1' }, { subject: 'u1' }],
    [
      { sub: 'u1', iss: 'https://id' },
      { issuer: 'https://id', subject: 'u1' },
    ],
    [
      { sub: 'u1', id: 'other', azp: 'app' },
      { subject: 'u1', client: 'app' },
    ],
    [
      { sub: 'u1', client_id: 'app' },
      { subject: 'u1', client: 'app' },
    ],
    [{ sub: 'u1', azp: null, client_id: null }, { subject: 'u1' }],
    [{ id: 0 }, { subject: '0' }],
    [{ id: 42 }, { subject: '42' }],
    [{ id: '42' }, { subject: '42' }],
    [{ id: 12n }, { subject: '12' }],
    [{ _id: new ObjectIdLike('65f0') }, { subject: '65f0' }],
    [
      {
        _id: new ObjectIdLike('65f0'),
        get id() {
          return '65f0';
        },
      },
      { subject: '65f0' },
    ],
    ['ann', { subject: 'ann' }],
  ])('C89 reads %j', (user, principal) => {
    expect(fromPassport({ user })).toEqual(principal);
  });

  it.each([[undefined], [null]])('C90 an absent user (%j) is nobody', (user) => {
    expect(fromPassport({ user })).toBeNull();
    expect(fromPassport({})).toBeNull();
  });

  it.each([
    [{}],
    [true],
    [''],
    [7],
    [{ email: 'a@x' }],
    [{ id: '' }],
    [{ id: { tenant: 1 } }],
    [{ id: [1] }],
    [{ id: new Date(0) }],
    [{ id: NaN }],
    [{ id: Infinity }],
    [{ id: true }],
    [{ id: null }],
    [{ sub: '' }],
    [{ sub: 'u1', iss: 7 }],
    [{ sub: 'u1', azp: { a: 1 } }],
    [{ sub: 'u1', azp: '' }],
    [{ id: 'x'.repeat(1025) }],
    [{ id: Object.create(null) as object }],
    [[]],
  ])('C89 fails closed for what names nobody: %#', (user) => {
    const error = refused(() => fromPassport({ user }));
    expect(error.code).toBe('ERR_MRTR_PRINCIPAL');
    expect(error.message).toMatch(/^The principal of a request could not be told: .+\.$/);
  });

  it('never puts the user into the message', () => {
    expect(
      refused(() => fromPassport({ user: { id: { secret: 'SENTINEL' }, email: 'SENTINEL' } })).message,
    ).not.toContain('SENTINEL');
    expect(refused(() => fromPassport({ user: { id: 'SENTINEL'.repeat(200) } })).message).not.toContain('SENTINEL');
  });

  it('strings compare exactly', () => {
    expect(fromPassport({ user: 'Ann' })).not.toEqual(fromPassport({ user: 'ann' }));
    expect(fromPassport({ user: 'ann ' })).toEqual({ subject: 'ann ' });
  });
});

describe('fromAuthInfo', () => {
  it('reads the user from extra and the client beside it', () => {
    expect(fromAuthInfo({ auth: { clientId: 'app', extra: { sub: 'u1', iss: 'https://id' } } })).toEqual({
      issuer: 'https://id',
      subject: 'u1',
      client: 'app',
    });
    expect(fromAuthInfo({ auth: { extra: { sub: 'u1' } } })).toEqual({ subject: 'u1' });
    expect(fromAuthInfo({})).toBeNull();
  });

  it.each([[{ clientId: 'app' }], [{ clientId: 'app', extra: {} }], ['token'], [{ extra: { sub: '' } }]])(
    'refuses %j: a client alone is no user',
    (auth) => {
      expect(refused(() => fromAuthInfo({ auth })).code).toBe('ERR_MRTR_PRINCIPAL');
    },
  );
});

describe('toPrincipal', () => {
  it('takes a principal, a string or null', () => {
    expect(toPrincipal(null)).toBeNull();
    expect(toPrincipal('ann')).toEqual({ subject: 'ann' });
    expect(toPrincipal({ issuer: 'i', subject: 's', client: 'c' })).toEqual({ issuer: 'i', subject: 's', client: 'c' });
    expect(toPrincipal({ subject: 's', issuer: undefined })).toEqual({ subject: 's' });
  });

  it.each([
    [undefined],
    [5],
    [''],
    [true],
    [[]],
    [{}],
    [{ subject: 7 }],
    [{ subject: '' }],
    [{ subject: 's', issuer: '' }],
    ['x'.repeat(1_000_000)],
  ])('C98 refuses %#', (value) => {
    const error = refused(() => toPrincipal(value));
    expect(error.code).toBe('ERR_MRTR_PRINCIPAL');
    expect(error.message.length).toBeLessThan(300);
  });

  it('C98 refuses a member that it would not bind, such as a tenant', () => {
    const error = refused(() => toPrincipal({ subject: 'ann', tenant: 'SENTINEL' }));
    expect(error).toMatchObject({
      code: 'ERR_MRTR_PRINCIPAL',
      message: expect.stringMatching(/no "tenant"; put .* into issuer/),
    });
    expect(error.message).not.toContain('SENTINEL');
  });
});
