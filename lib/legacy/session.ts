import type { Principal } from '../principal.js';
import { supports, type CapabilityName } from '../protocol/capabilities.js';
import { isObject, type ClientCapabilities } from '../protocol/wire.js';
import { boundTo, type Sealing } from './sealing.js';

/** The earlier revisions that are served with sessions, newest first. */
export const LEGACY_VERSIONS = ['2025-11-25', '2025-06-18'] as const;

export type LegacyVersion = (typeof LEGACY_VERSIONS)[number];

/** What `initialize` settled, as every node reads it out of the `Mcp-Session-Id` of a request. */
export interface Session {
  readonly version: LegacyVersion;
  /** See {@link clientInfoOf}. */
  readonly clientInfo: { readonly name: string; readonly version: string };
  /** Only what `supports` tells apart outlives sealing; members of each are empty. */
  readonly capabilities: ClientCapabilities;
  /** Tells sessions of one principal apart: 16 random bytes in base64url. */
  readonly sessionId: string;
  /** Milliseconds of the epoch. */
  readonly issuedAt: number;
}

export interface SessionLimits {
  /** A session is good while `now < issuedAt + ttlMs`. */
  readonly ttlMs: number;
  /** How far the clocks of two nodes may be apart. */
  readonly clockSkewMs: number;
}

const MAX_HEADER = 4096;
const MAX_CODE_POINTS = 64;
const SESSION_ID = /^[A-Za-z0-9_-]{22}$/;

/** One bit each, in this order: sealed sessions outlive a release, so names are only ever added at the end. */
const FLAGS: readonly CapabilityName[] = [
  'elicitation.form',
  'elicitation.url',
  'sampling',
  'sampling.tools',
  'sampling.context',
  'roots',
];

/**
 * Name and version of a client as a session holds them: 64 code points each, since the client chooses them and the header
 * must stay below 4 KiB. Whatever is no text is empty.
 */
export function clientInfoOf(value: unknown): Session['clientInfo'] {
  const member = (name: string): string => capped(isObject(value) && Object.hasOwn(value, name) ? value[name] : '');
  return { name: member('name'), version: member('version') };
}

/** The value of `Mcp-Session-Id`: visible ASCII, at most 2 KiB. Rejects with `ERR_MRTR_KEYS` when the key provider is down. */
export async function sealSession(session: Session, principal: Principal | null, sealing: Sealing): Promise<string> {
  const { name, version } = clientInfoOf(session.clientInfo);
  const packed = {
    v: session.version,
    n: name,
    w: version,
    c: flagsOf(session.capabilities),
    s: session.sessionId,
    t: session.issuedAt,
  };
  return sealing.session.seal(packed, boundTo(sealing.audience, principal), principal);
}

/**
 * What a session id stands for; `undefined` for one that is altered, of another principal, service or key, expired, or from
 * a time to come. Rejects with `ERR_MRTR_KEYS` when the key provider is down.
 *
 * @param id - hostile.
 * @param now - milliseconds of the epoch.
 */
export async function openSession(
  id: string,
  principal: Principal | null,
  now: number,
  sealing: Sealing,
  { ttlMs, clockSkewMs }: SessionLimits,
): Promise<Session | undefined> {
  if (id.length > MAX_HEADER) return undefined;
  const packed = await sealing.session.unseal(id, boundTo(sealing.audience, principal), principal);
  const session = packed && unpack(packed);
  if (session === undefined || session.issuedAt > now + clockSkewMs || now >= session.issuedAt + ttlMs)
    return undefined;
  return session;
}

/** Sealed by us, though perhaps by another release. */
function unpack({ v, n, w, c, s, t }: Record<string, unknown>): Session | undefined {
  const version = LEGACY_VERSIONS.find((known) => known === v);
  if (version === undefined || typeof n !== 'string' || typeof w !== 'string') return undefined;
  if (typeof s !== 'string' || !SESSION_ID.test(s)) return undefined;
  if (!Number.isSafeInteger(c) || typeof t !== 'number' || !Number.isFinite(t)) return undefined;
  return {
    version,
    clientInfo: { name: n, version: w },
    capabilities: capabilitiesOf(c as number),
    sessionId: s,
    issuedAt: t,
  };
}

function capped(value: unknown): string {
  if (typeof value !== 'string') return '';
  return Array.from(value.slice(0, 2 * MAX_CODE_POINTS))
    .slice(0, MAX_CODE_POINTS)
    .join('');
}

function flagsOf(capabilities: ClientCapabilities): number {
  return FLAGS.reduce((flags, name, bit) => (supports(capabilities, name) ? flags | (1 << bit) : flags), 0);
}

function capabilitiesOf(flags: number): ClientCapabilities {
  const capabilities: Record<string, Record<string, object>> = {};
  FLAGS.forEach((name, bit) => {
    if ((flags & (1 << bit)) === 0) return;
    const [group = '', mode] = name.split('.');
    const modes = (capabilities[group] ??= {});
    if (mode !== undefined) modes[mode] = {};
  });
  return capabilities;
}
