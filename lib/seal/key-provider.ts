import type { KeySet } from './keyring.js';

/**
 * Keys that live elsewhere, such as in a KMS or a vault: an object for the option `keys`. What it returns is cached, each
 * call is given `timeoutSeconds`, and calls for the same thing share one request.
 *
 * Both methods may return one key or several, in every form that the option `keys` takes: of several, the first seals.
 * A store that holds all keys of the service in one secret therefore needs no more than this:
 *
 * @example
 * ```ts
 * const read = () => vault.read('mrtr-keys'); // 'mrtrk_…new, mrtrk_…old'
 * app.use('/mcp', mrtr({ server, tools, keys: { current: read, resolve: read } }));
 * ```
 *
 * A state names its key by an id that is derived from the key, not by the name that the key has in the KMS. Where keys are
 * stored one by one, `keyring(key).keyIds` tells all ids of a key, so that a provider can remember which version has which
 * id, or find out by reading those it has not seen. Whatever it returns is looked through for the id that was asked for, so
 * that a wrong key counts as none.
 *
 * While the provider throws, hangs or returns what is no key, calls are answered with -32603 (`ERR_MRTR_KEYS` in the
 * event, the cause in `onError`), within the time-out and without running a handler; keys that are cached go on opening
 * and sealing until they expire.
 *
 * `keyProviderContract` of `express-mrtr/testing` has the cases that show whether a provider keeps to this.
 */
export interface KeyProvider {
  /**
   * The key that seals.
   *
   * @param signal - aborts when the time is up: pass it to `fetch`, so that no request outlives its use.
   */
  current(signal: AbortSignal): KeySet | Promise<KeySet>;
  /**
   * The key that has an id, or `undefined` when there is none: the state is refused then, as one sealed under an unknown key.
   *
   * @param keyId - six characters of base64url, which the client can choose: no state has been verified yet.
   * @param signal - aborts when the time is up.
   */
  resolve(keyId: string, signal: AbortSignal): KeySet | undefined | Promise<KeySet | undefined>;
  /** Seconds for which a key is used without asking again; so long may a key that was withdrawn be in use. @default 300 */
  readonly cacheSeconds?: number;
  /** Seconds after which a call of the provider has failed. @default 2 */
  readonly timeoutSeconds?: number;
}
