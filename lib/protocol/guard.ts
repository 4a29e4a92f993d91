import { localhostAllowedHostnames, validateHostHeader, validateOriginHeader } from '@modelcontextprotocol/server';
import { quote } from './quote.js';
import { CODE, urlOf, type Fault } from './wire.js';

/** The two options that say under which names this server may be reached, and from which web pages. */
export interface HostRules {
  /** Host names without port, IPv6 in brackets. Unset: a server on a loopback address answers to loopback names only. */
  readonly allowedHosts: readonly string[] | undefined;
  /** Host names as above, or whole origins such as `https://app.example.com`. Loopback and `allowedHosts` count too. */
  readonly allowedOrigins: readonly string[] | undefined;
}

// Stricter than a URL on purpose: "http://evil.example@localhost" and "localhost/evil.example" are no hosts.
const HOST = String.raw`(\[[0-9A-Fa-f:.]+\]|[A-Za-z0-9._-]+)`;
const AUTHORITY = new RegExp(String.raw`^${HOST}(?::(\d{1,5}))?$`);
const MAX_PORT = 65_535;
const ORIGIN = new RegExp(String.raw`^[A-Za-z][A-Za-z0-9+.-]*:\/\/${HOST}(?::\d{1,5})?$`);
const LOOPBACK_V4 = /^127(?:\.(?:\d|[1-9]\d|1\d\d|2[0-4]\d|25[0-5])){3}$/;
const LOOPBACK_NAMES = localhostAllowedHostnames();

/**
 * Checks the `Host` header, against DNS rebinding: a page on a foreign name that resolves to this machine is refused.
 *
 * @param hostHeader - `req.headers.host`
 * @param localAddress - `req.socket.localAddress`
 * @returns a fault, -32600 on HTTP 403, or `undefined`
 *
 * @example
 * ```ts
 * const fault = hostFault(req.headers.host, req.socket.localAddress, { allowedHosts: ['mcp.example.com'], allowedOrigins: undefined });
 * ```
 */
export function hostFault(
  hostHeader: string | undefined,
  localAddress: string | undefined,
  rules: HostRules,
): Fault | undefined {
  const { allowedHosts } = rules;
  if (allowedHosts === undefined) {
    if (!isLoopbackAddress(localAddress)) return unusable(hostHeader);
    if (isHost(hostHeader, isLoopbackName)) return undefined;
    return forbidden(
      `This server listens on a loopback address and answers only to a loopback name, not to the Host ${shown(hostHeader)}. ` +
        'If it is meant to be reached under that name, for example behind a proxy, list the name in the option allowedHosts.',
    );
  }
  if (isHost(hostHeader, (name) => includesName(allowedHosts, name))) return undefined;
  return forbidden(
    `This server does not answer to the Host ${shown(hostHeader)}. ` +
      'If it is meant to be reached under that name, list the name, without port, in the option allowedHosts.',
  );
}

/**
 * Checks the `Origin` header (MCP 2026-07-28, Streamable HTTP, Security & Endpoint): absent, or a page of
 * `allowedOrigins`, of `allowedHosts` or of a loopback name. `null` names no page and is refused.
 *
 * @param originHeader - `req.headers.origin`
 * @returns a fault, -32600 on HTTP 403, or `undefined`
 *
 * @example
 * ```ts
 * const fault = originFault(req.headers.origin, { allowedHosts: undefined, allowedOrigins: ['https://app.example.com'] });
 * ```
 */
export function originFault(originHeader: string | undefined, rules: HostRules): Fault | undefined {
  if (originHeader === undefined || isAllowedOrigin(originHeader, rules)) return undefined;
  return forbidden(
    `This server does not take requests of web pages from the Origin ${quote(originHeader)}. ` +
      'If that page is meant to call it, list its host name or whole origin in the option allowedOrigins.',
  );
}

/** Whether a value can stand in `allowedHosts`: a host name in its canonical spelling, no scheme, no port, no wildcard. */
export function isHostEntry(value: unknown): value is string {
  if (typeof value !== 'string' || AUTHORITY.exec(value)?.[1] !== value) return false;
  // What a URL spells in another way ("127.1", "[0::1]") would never equal the name of a request.
  return hostnameOf(value) === value.toLowerCase();
}

/** Whether a value can stand in `allowedOrigins`: as {@link isHostEntry}, or a whole origin as a browser sends it. */
export function isOriginEntry(value: unknown): value is string {
  // As a host name it would look as if it let the opaque origin in.
  if (value === 'null') return false;
  if (isHostEntry(value)) return true;
  if (typeof value !== 'string' || !ORIGIN.test(value) || urlOf(value) === undefined) return false;
  return canonicalOrigin(value) === value.toLowerCase();
}

/** Under any name, but not under what is none: further in, the header becomes part of a URL. */
function unusable(hostHeader: string | undefined): Fault | undefined {
  if (hostHeader === undefined || (AUTHORITY.test(hostHeader) && urlOf(`http://${hostHeader}`) !== undefined)) {
    return undefined;
  }
  return forbidden(`The Host ${shown(hostHeader)} is no name of a host.`);
}

function isHost(header: string | undefined, accepts: (name: string) => boolean): boolean {
  if (header === undefined) return false;
  const [, name, port = '0'] = AUTHORITY.exec(header) ?? [];
  if (name === undefined || Number(port) > MAX_PORT) return false;
  if (accepts(name.toLowerCase())) return true;
  const canonical = hostnameOf(header);
  return canonical !== undefined && accepts(canonical);
}

function isAllowedOrigin(header: string, rules: HostRules): boolean {
  const name = ORIGIN.test(header) ? validateOriginHeader(header, []).hostname?.toLowerCase() : undefined;
  if (name === undefined) return false;
  const { allowedHosts = [], allowedOrigins = [] } = rules;
  return (
    isLoopbackName(name) ||
    includesName(allowedHosts, name) ||
    includesName(allowedOrigins, name) ||
    includesName(allowedOrigins, canonicalOrigin(header))
  );
}

/** Scheme, host and port as a browser spells them: lower case, without the default port. */
function canonicalOrigin(origin: string): string {
  const { protocol, host } = new URL(origin);
  return `${protocol}//${host}`.toLowerCase();
}

function hostnameOf(hostHeader: string): string | undefined {
  return validateHostHeader(hostHeader, []).hostname;
}

function includesName(entries: readonly string[], name: string): boolean {
  for (const entry of entries) {
    if (entry === name || entry.toLowerCase() === name) return true;
  }
  return false;
}

function isLoopbackName(name: string): boolean {
  return LOOPBACK_NAMES.includes(name) || LOOPBACK_V4.test(name);
}

function isLoopbackAddress(address: string | undefined): boolean {
  if (address === undefined) return false;
  return address === '::1' || LOOPBACK_V4.test(address.startsWith('::ffff:') ? address.slice(7) : address);
}

function shown(hostHeader: string | undefined): string {
  return hostHeader === undefined ? '(none)' : quote(hostHeader);
}

function forbidden(message: string): Fault {
  return { code: CODE.invalidRequest, message, status: 403 };
}
