import { keyring, type Keyring, type KeyProvider } from 'express-mrtr';

export interface KmsOptions {
  readonly url: string;
  readonly token: string;
}

// #region provider
/** The keys of a KMS that numbers the versions of a key, and knows nothing of the ids that states name them by. */
export class KmsKeyProvider implements KeyProvider {
  readonly cacheSeconds = 60;
  readonly timeoutSeconds = 1;
  readonly #options: KmsOptions;
  /** By key id: ids are no secret, so they may be kept for longer than the keys. */
  readonly #versions = new Map<string, number>();

  constructor(options: KmsOptions) {
    this.#options = options;
  }

  async current(signal: AbortSignal): Promise<Keyring> {
    const { current } = await this.#list(signal);
    const key = await this.#read(current, signal);
    if (key === undefined) throw new Error(`The KMS has no version ${current}, which it calls the current one.`);
    return key;
  }

  async resolve(keyId: string, signal: AbortSignal): Promise<Keyring | undefined> {
    const known = this.#versions.get(keyId);
    if (known !== undefined) return this.#read(known, signal);
    const seen = new Set(this.#versions.values());
    const { versions } = await this.#list(signal);
    for (const version of versions.filter((each) => !seen.has(each))) {
      const key = await this.#read(version, signal);
      if (key?.keyIds.includes(keyId)) return key;
    }
    return undefined;
  }

  async #read(version: number, signal: AbortSignal): Promise<Keyring | undefined> {
    const response = await this.#get(`/keys/mrtr/versions/${version}`, signal);
    if (response.status === 404) return undefined;
    const { key } = (await response.json()) as { key: string };
    const ring = keyring(key);
    for (const id of ring.keyIds) this.#versions.set(id, version);
    return ring;
  }
  // #endregion

  async #list(signal: AbortSignal): Promise<{ current: number; versions: number[] }> {
    const response = await this.#get('/keys/mrtr', signal);
    return (await response.json()) as { current: number; versions: number[] };
  }

  async #get(path: string, signal: AbortSignal): Promise<Response> {
    const { url, token } = this.#options;
    const response = await fetch(url + path, { headers: { authorization: `Bearer ${token}` }, signal });
    if (response.ok || response.status === 404) return response;
    throw new Error(`The KMS answered ${path} with ${response.status}.`);
  }
}
