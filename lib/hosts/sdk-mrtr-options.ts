import type { ServerContext } from '@modelcontextprotocol/server';
import { MrtrTypeError } from '../errors.js';
import { optionError, routine } from '../option-checks.js';
import { resolveOptions, type MrtrOptions, type ResolvedOptions } from '../options.js';
import { fromAuthInfo, type Principal, type PrincipalResolver } from '../principal.js';

type Shared =
  | 'keys'
  | 'codec'
  | 'anonymous'
  | 'ttlSeconds'
  | 'maxFlowSeconds'
  | 'clockSkewSeconds'
  | 'maxRounds'
  | 'maxAttempts'
  | 'handlerTimeoutSeconds'
  | 'maxStateBytes'
  | 'onLedgerMismatch'
  | 'checkDeterminism'
  | 'exposeErrors'
  | 'onError';

/** The options of `sdkMrtr()`. Only `audience` is required; those that it shares with `mrtr()` mean the same. */
export interface SdkMrtrOptions extends Pick<MrtrOptions, Shared> {
  /** Names this service. Bound into every state, so that two services with one key never accept each other's. */
  readonly audience: string;
  /**
   * Says whose request it is, from the SDK's context.
   * @default the `authInfo` of the request, read by `fromAuthInfo`; without HTTP the one user of the process
   */
  readonly principal?: PrincipalResolver<ServerContext>;
}

/**
 * The options with every default filled in and checked.
 * @internal
 */
export interface ResolvedSdkOptions {
  readonly shared: ResolvedOptions;
  readonly principal: PrincipalResolver<ServerContext>;
}

// The compiler keeps this list complete: a member that SdkMrtrOptions gains or loses makes it an error.
const KNOWN: Readonly<Record<keyof SdkMrtrOptions, true>> = {
  audience: true,
  keys: true,
  codec: true,
  principal: true,
  anonymous: true,
  ttlSeconds: true,
  maxFlowSeconds: true,
  clockSkewSeconds: true,
  maxRounds: true,
  maxAttempts: true,
  handlerTimeoutSeconds: true,
  maxStateBytes: true,
  onLedgerMismatch: true,
  checkDeterminism: true,
  exposeErrors: true,
  onError: true,
};

/**
 * Checks options once, at construction. Throws `MrtrTypeError` or `MrtrRangeError` `ERR_MRTR_OPTION`.
 * @internal
 */
export function resolveSdkOptions(options: SdkMrtrOptions): ResolvedSdkOptions {
  if (typeof options !== 'object' || (options as unknown) === null || Array.isArray(options)) {
    throw new MrtrTypeError(
      'ERR_MRTR_OPTION',
      'sdkMrtr needs its options: write sdkMrtr({ audience: "shop" }), with the name of this service.',
    );
  }
  const unknown = Object.keys(options).find((name) => !Object.hasOwn(KNOWN, name));
  if (unknown !== undefined) {
    throw optionError(unknown, `is not an option of sdkMrtr(); it takes ${Object.keys(KNOWN).join(', ')}`);
  }
  const { audience, principal, ...shared } = options;
  if (typeof audience !== 'string' || audience === '') {
    throw optionError('audience', `must be a text that names this service; got ${JSON.stringify(audience)}`);
  }
  return {
    // The body and earlier revisions are the SDK's to read, and the server's own names are its to send.
    shared: resolveOptions({
      ...shared,
      server: { name: audience, version: '0' },
      bodyLimit: Number.MAX_SAFE_INTEGER,
      legacy: false,
    }),
    principal: routine('principal', principal) ?? fromContext,
  };
}

/** Over stdio nobody is authenticated and nobody needs to be: whoever started the process is its only user. */
const LOCAL: Principal = Object.freeze({ issuer: 'urn:express-mrtr:stdio', subject: 'local' });

function fromContext({ http, sessionId }: ServerContext): Principal | null {
  if (http === undefined && sessionId === undefined) return LOCAL;
  return fromAuthInfo({ auth: http?.authInfo });
}
