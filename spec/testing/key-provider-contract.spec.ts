import { KmsKeyProvider } from '../../examples/kms/provider.js';
import { startKms, type Kms } from '../../examples/kms/server.js';
import { generateKey, keyring, type KeyProvider, type KeySet } from '../../lib/index.js';
import { keyProviderContract } from '../../lib/testing/key-provider-contract.js';
import { testKeys } from '../../lib/testing/test-keys.js';
import { brokenCases } from '../support/contract.js';

/** Keys as a store of single keys has them: the last one is the current. */
class Vault {
  readonly keys: string[] = [generateKey()];

  rotate(): void {
    this.keys.push(generateKey());
  }

  provider(): KeyProvider {
    return {
      current: async () => this.keys.at(-1) ?? '',
      resolve: async (keyId) => this.find(keyId),
    };
  }

  find(keyId: string): string | undefined {
    return this.keys.find((key) => keyring(key).keyIds.includes(keyId));
  }
}

/** The contract over a right provider with one thing wrong about it. */
function contractOf(change: (right: KeyProvider, vault: Vault) => object): ReturnType<typeof keyProviderContract> {
  let vault = new Vault();
  const make = (): KeyProvider => {
    const right = vault.provider();
    return { ...right, ...change(right, vault) };
  };
  return keyProviderContract(
    () => {
      vault = new Vault();
      return make();
    },
    { makeSecond: make, rotate: () => vault.rotate() },
  );
}

const signal = new AbortController().signal;

describe('the contract of key providers', () => {
  describe('is fulfilled by one key per id, which', () => {
    for (const { title, run } of contractOf(() => ({}))) it(title, run);
  });

  describe('is fulfilled by all keys for whatever id, which', () => {
    const read = (): KeySet => [testKeys('new'), testKeys('old')];
    for (const { title, run } of keyProviderContract(() => ({ current: read, resolve: read }))) it(title, run);
  });

  describe('is fulfilled by the provider of examples/kms, which', () => {
    let kms: Kms;
    beforeEach(async () => {
      kms = await startKms();
    });
    afterEach(() => kms.close());
    const make = (): KeyProvider => new KmsKeyProvider(kms);
    const rotate = async (): Promise<void> => {
      const headers = { authorization: `Bearer ${kms.token}` };
      await fetch(`${kms.url}/keys/mrtr/versions`, { method: 'POST', headers });
    };
    for (const { title, run } of keyProviderContract(make, { makeSecond: make, rotate })) it(title, run);
  });

  it('has cases about other nodes and about rotation for those who can show them', () => {
    const provider = new Vault().provider();
    const titles = keyProviderContract(() => provider).map(({ title }) => title);
    expect(titles).not.toContain('gives the key that opens what another node sealed');
    expect(contractOf(() => ({})).map(({ title }) => title)).toEqual([
      ...titles,
      'gives the key that opens what another node sealed',
      'seals under another key after a rotation',
      'gives the key that opens what was sealed before a rotation',
    ]);
  });

  const opens = 'gives the key that opens what the current one sealed';
  it.each<[string, (right: KeyProvider, vault: Vault) => object, string]>([
    ['has no method resolve', () => ({ resolve: undefined }), 'is what the option keys takes'],
    ['has an impossible time-out', () => ({ timeoutSeconds: 0 }), 'is what the option keys takes'],
    ['caches for ever', () => ({ cacheSeconds: Infinity }), 'is what the option keys takes'],
    ['gives no current key', () => ({ current: () => undefined }), 'gives a key to seal with'],
    ['gives a short key', () => ({ current: () => Buffer.alloc(16, 'ab') }), 'gives a key to seal with'],
    ['gives a key of zeros', () => ({ current: () => Buffer.alloc(32) }), 'gives a key to seal with'],
    [
      'gives the text of a key with a newline',
      (_right, vault) => ({ current: () => `${vault.keys[0] ?? ''}\n` }),
      'gives a key to seal with',
    ],
    [
      'throws for the current key',
      () => ({ current: () => Promise.reject(new Error('down')) }),
      'gives a key to seal with',
    ],
    ['resolves nothing', () => ({ resolve: () => undefined }), opens],
    ['resolves another key', () => ({ resolve: () => testKeys('other') }), opens],
    ['seals under a key of its own', () => ({ current: () => generateKey() }), opens],
    [
      'knows the ids of one purpose only',
      (_right, vault) => ({
        resolve: (keyId: string) => vault.keys.find((key) => keyring(key).keyIds[0] === keyId),
      }),
      'knows a key by each of its ids, whatever it sealed',
    ],
    [
      'forgets the ids of some purposes',
      (right) => ({
        resolve: async (keyId: string) => {
          const key = await right.resolve(keyId, signal);
          return key !== undefined && keyring(key).keyIds[2] === keyId ? undefined : key;
        },
      }),
      'knows a key by each of its ids, whatever it sealed',
    ],
    [
      'gives a key once',
      (right) => {
        const given = new Set<string>();
        return {
          resolve: (keyId: string) => {
            if (given.has(keyId)) return undefined;
            given.add(keyId);
            return right.resolve(keyId, signal);
          },
        };
      },
      'gives the same key for an id again',
    ],
    [
      'throws for an id that it does not know',
      (right) => ({
        resolve: async (keyId: string) => {
          const key = await right.resolve(keyId, signal);
          if (key === undefined) throw new Error(`no key ${keyId}`);
          return key;
        },
      }),
      'gives no key for an id that nothing was sealed under, and does not throw',
    ],
    [
      'gives an empty text for an id that it does not know',
      (right) => ({ resolve: async (keyId: string) => (await right.resolve(keyId, signal)) ?? '' }),
      'gives no key for an id that nothing was sealed under, and does not throw',
    ],
    [
      'looks ids up in an object',
      (right) => ({
        resolve: (keyId: string) => ({ __prot: {} })[keyId] ?? right.resolve(keyId, signal),
      }),
      'gives no key for an id that nothing was sealed under, and does not throw',
    ],
    [
      'breaks when an id is unknown',
      (right) => {
        let broken = false;
        return {
          resolve: async (keyId: string) => {
            const key = broken ? undefined : await right.resolve(keyId, signal);
            broken ||= key === undefined;
            return key;
          },
        };
      },
      'still knows its keys after ids that it does not know',
    ],
    [
      'mixes calls up that run at once',
      (right) => {
        let asked = '';
        return {
          resolve: async (keyId: string) => {
            asked = keyId;
            await Promise.resolve();
            return right.resolve(asked, signal);
          },
        };
      },
      'answers many calls at once',
    ],
    [
      'has keys of this node',
      () => {
        const own = generateKey();
        return {
          current: () => own,
          resolve: (keyId: string) => (keyring(own).keyIds.includes(keyId) ? own : undefined),
        };
      },
      'gives the key that opens what another node sealed',
    ],
    [
      'never looks for the current key again',
      (_right, vault) => {
        let current: string | undefined;
        return { current: () => (current ??= vault.keys.at(-1)) };
      },
      'seals under another key after a rotation',
    ],
    [
      'knows the current key only',
      (_right, vault) => ({
        resolve: (keyId: string) => (vault.find(keyId) === vault.keys.at(-1) ? vault.keys.at(-1) : undefined),
      }),
      'gives the key that opens what was sealed before a rotation',
    ],
  ])('is broken by a provider that %s', async (_what, change, title) => {
    expect(await brokenCases(contractOf(change))).toContain(title);
  });

  it('says what is wrong, without a part of a key', async () => {
    const key = generateKey();
    const [, seal] = keyProviderContract(() => ({ current: () => `${key}\n`, resolve: () => key }));
    await expect(seal?.run()).rejects.toThrow(/^current\(\) gives no key: "current\(\)" contains whitespace/);
    await expect(seal?.run()).rejects.not.toThrow(key.slice(6, 20));
    const [, , open] = keyProviderContract(() => ({ current: () => key, resolve: () => undefined }));
    await expect(open?.run()).rejects.toThrow(
      `resolve() gives undefined for the id "${keyring(key).keyIds[0] ?? ''}", which current() sealed under (purpose state)`,
    );
  });
});
