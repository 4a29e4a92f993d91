import { Catalog, checkDefinitions } from './catalog.js';
import { MrtrTypeError } from './errors.js';
import type { MrtrRequest } from './hosts/express.js';
import { legacyService } from './legacy-options.js';
import {
  byteLimit,
  choice,
  flag,
  hasMethods,
  hostEntries,
  implementation,
  keysOf,
  optionError,
  routine,
  seconds,
  singleUse,
  whole,
} from './option-checks.js';
import type { ErrorInfo, LegacyService, MrtrOptions, SingleUseOptions } from './option-types.js';
import { fromPassport, type PrincipalResolver } from './principal.js';
import type { HostRules } from './protocol/guard.js';
import type { Implementation } from './protocol/wire.js';
import type { RequestStateCodec } from './seal/codec.js';
import { sealedCodec } from './seal/provided-codec.js';

export type { ErrorInfo, LegacyOptions, MrtrOptions, ReplayOptions } from './option-types.js';

/**
 * The options with every default filled in, checked and frozen.
 * @internal
 */
export interface ResolvedOptions {
  readonly server: Implementation;
  readonly instructions: string | undefined;
  readonly catalog: Catalog;
  readonly codec: RequestStateCodec;
  readonly replay: SingleUseOptions | undefined;
  readonly principal: PrincipalResolver<MrtrRequest>;
  readonly anonymous: boolean;
  readonly audience: string;
  readonly ttlMs: number;
  readonly maxFlowMs: number;
  readonly clockSkewMs: number;
  readonly maxRounds: number;
  readonly maxAttempts: number;
  readonly handlerTimeoutMs: number;
  readonly maxStateBytes: number;
  readonly onLedgerMismatch: 'reask' | 'reject';
  readonly path: string;
  readonly fallthrough: boolean;
  readonly bodyLimit: number;
  readonly hostRules: HostRules;
  /** `undefined` when clients of earlier revisions are turned away. */
  readonly legacy: LegacyService | undefined;
  readonly exposeErrors: boolean;
  readonly checkDeterminism: boolean;
  readonly onError: ((error: unknown, info: ErrorInfo) => unknown) | undefined;
}

// The compiler keeps this list complete: a member that MrtrOptions gains or loses makes it an error.
const KNOWN: Readonly<Record<keyof MrtrOptions, true>> = {
  server: true,
  tools: true,
  prompts: true,
  resources: true,
  keys: true,
  principal: true,
  anonymous: true,
  audience: true,
  ttlSeconds: true,
  maxFlowSeconds: true,
  clockSkewSeconds: true,
  maxRounds: true,
  maxAttempts: true,
  handlerTimeoutSeconds: true,
  maxStateBytes: true,
  onLedgerMismatch: true,
  replay: true,
  codec: true,
  path: true,
  fallthrough: true,
  bodyLimit: true,
  allowedHosts: true,
  allowedOrigins: true,
  legacy: true,
  exposeErrors: true,
  checkDeterminism: true,
  onError: true,
};

/**
 * Checks options once, at construction. Throws `MrtrTypeError` or `MrtrRangeError` `ERR_MRTR_OPTION` that names the
 * option, shows the value and says the fix; `ERR_MRTR_DEFINITION` for a definition that cannot be served.
 * @internal
 */
export function resolveOptions(options: MrtrOptions): ResolvedOptions {
  if (typeof options !== 'object' || (options as unknown) === null || Array.isArray(options)) {
    throw optionError('server', 'is required: mrtr({ server: { name: "shop", version: "1.0.0" }, tools: [] })');
  }
  if ('headers' in options && 'method' in options) {
    throw new MrtrTypeError(
      'ERR_MRTR_OPTION',
      'mrtr itself is no middleware: write app.use(mrtr(options)), not app.use(mrtr).',
    );
  }
  const unknown = Object.keys(options).find((name) => !Object.hasOwn(KNOWN, name));
  if (unknown !== undefined) {
    throw optionError(unknown, `is not an option of mrtr(); it takes ${Object.keys(KNOWN).join(', ')}`);
  }
  const { instructions, ...server } = implementation(options.server);
  const audience = audienceOf(options.audience, server.name);
  const maxStateBytes = whole('maxStateBytes', options.maxStateBytes, 49_152, 1024);
  return Object.freeze({
    server,
    instructions,
    catalog: new Catalog({
      tools: checkDefinitions('tools', options.tools ?? [], ['tool'], 'tool()'),
      prompts: checkDefinitions('prompts', options.prompts ?? [], ['prompt'], 'prompt()'),
      resources: checkDefinitions(
        'resources',
        options.resources ?? [],
        ['resource', 'resourceTemplate'],
        'resource() or resourceTemplate()',
      ),
    }),
    ...sealing(options, audience),
    principal: routine('principal', options.principal) ?? fromPassport,
    anonymous: flag('anonymous', options.anonymous, false),
    audience,
    ttlMs: seconds('ttlSeconds', options.ttlSeconds, 300),
    maxFlowMs: seconds('maxFlowSeconds', options.maxFlowSeconds, 3600),
    clockSkewMs: seconds('clockSkewSeconds', options.clockSkewSeconds, 60, 0),
    maxRounds: whole('maxRounds', options.maxRounds, 16, 1),
    maxAttempts: whole('maxAttempts', options.maxAttempts, 5, 1),
    handlerTimeoutMs: seconds('handlerTimeoutSeconds', options.handlerTimeoutSeconds, 0, 0),
    maxStateBytes,
    onLedgerMismatch: choice('onLedgerMismatch', options.onLedgerMismatch, ['reask', 'reject']),
    path: pathOf(options.path),
    fallthrough: flag('fallthrough', options.fallthrough, false),
    bodyLimit: byteLimit('bodyLimit', options.bodyLimit, '1mb', maxStateBytes),
    hostRules: {
      allowedHosts: hostEntries('allowedHosts', options.allowedHosts),
      allowedOrigins: hostEntries('allowedOrigins', options.allowedOrigins),
    },
    exposeErrors: flag('exposeErrors', options.exposeErrors, false),
    checkDeterminism: flag('checkDeterminism', options.checkDeterminism, false),
    onError: routine('onError', options.onError),
  });
}

/** All that is sealed under the keys, each thing under a purpose of its own. */
function sealing(options: MrtrOptions, audience: string): Pick<ResolvedOptions, 'codec' | 'replay' | 'legacy'> {
  const { codec, replay, legacy } = options;
  if (codec !== undefined && !hasMethods(codec, ['seal', 'unseal'])) {
    throw optionError('codec', 'must be an object with the methods seal and unseal');
  }
  if (codec !== undefined && replay === undefined && !sealsSessions(options)) {
    return { codec, replay: undefined, legacy: legacyService(legacy, undefined, audience) };
  }
  const keys = keysOf('keys' in options, options.keys);
  return {
    codec: codec ?? sealedCodec(keys),
    legacy: legacyService(legacy, keys, audience),
    replay:
      replay &&
      singleUse(
        replay,
        sealedCodec(keys, 'reply'),
        seconds('handlerTimeoutSeconds', options.handlerTimeoutSeconds, 0, 0),
      ),
  };
}

/** Whoever brings a codec need not have keys; then clients of earlier revisions get no sessions unless they are asked for. */
function sealsSessions({ legacy, ...options }: MrtrOptions): boolean {
  if (legacy === false) return false;
  return typeof legacy === 'object' || 'keys' in options || process.env['MRTR_KEYS'] !== undefined;
}

function audienceOf(audience: unknown, name: string): string {
  if (audience === undefined) return name;
  if (typeof audience === 'string' && audience !== '') return audience;
  throw optionError('audience', `must be a text that names this service; got ${JSON.stringify(audience)}`);
}

function pathOf(path: unknown): string {
  if (path === undefined) return '/';
  if (typeof path === 'string' && path.startsWith('/')) return path === '/' ? path : path.replace(/\/+$/, '');
  throw optionError('path', `must be a text that begins with "/", such as "/mcp"; got ${JSON.stringify(path)}`);
}
