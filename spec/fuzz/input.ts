export const MOUNTS = ['/bare', '/parsed', '/behind', '/once'] as const;
/** Where the app serves MCP: without a parser, behind `express.json()`, with `fallthrough`, with single use. */
export type Mount = (typeof MOUNTS)[number];

export type Header = [name: string, value: string];

/** A JSON-RPC request as a well-behaved client sends it. */
export interface Seed {
  readonly name: string;
  readonly mount: Mount;
  readonly headers: readonly Header[];
  readonly document: unknown;
  /** What the unmutated request is answered with. */
  readonly outcome: string;
}

/** What the oracle knows of an input. */
export interface Expectation {
  readonly mount: Mount;
  /** `odd`: HTTP itself may refuse it, or nothing may come back. `gone`: the client does not wait for the reply. */
  readonly http: 'sound' | 'odd' | 'gone';
  /** Whether a reply to the head alone may be lost, since the client was still sending when the connection ended. */
  readonly large: boolean;
  /** Whether the request line may lead away from the mount. */
  readonly astray: boolean;
  /** The method of the request line: a reply to HEAD has no body. */
  readonly method: string;
  /** The user as the app reads it from the headers. */
  readonly user: string | undefined;
  /** What the most lenient reader sees in the body; `undefined` when it is no JSON. */
  readonly document: unknown;
  /** The outcome of an unmutated request. */
  readonly outcome?: string;
  /** Whether the handlers may act on it: a genuine state of this very call, with a valid answer. */
  readonly mayTransfer: boolean;
}

/** One input, ready to be written to a socket. */
export interface Input {
  readonly index: number;
  readonly name: string;
  readonly mutations: readonly string[];
  readonly express: number;
  readonly raw: Buffer;
  /** Bytes after which the client goes away. */
  readonly cut?: number;
  readonly expectation: Expectation;
}

/** Names the input in the app's log of transfers. No mutation touches it. */
export const TAG = 'x-fuzz';

/** Texts that only the operator may see: the app's handlers throw them, or hold them. */
export const SENTINELS = ['SENTINEL-OF-A-HANDLER', 'SENTINEL-OF-THE-PRINCIPAL', 'SENTINEL-OF-A-RESULT'] as const;

export const KEY = `mrtrk_${Buffer.alloc(32, 'fuzz-key').fill(9, 16).toString('base64url')}`;

export const VERSION = '2026-07-28';

export function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

export function memberOf(value: unknown, ...path: readonly string[]): unknown {
  let found = value;
  for (const name of path) found = isObject(found) && Object.hasOwn(found, name) ? found[name] : undefined;
  return found;
}

/** `undefined` for what nests deeper than the stack. */
export function jsonOf(value: unknown): string | undefined {
  try {
    return JSON.stringify(value);
  } catch {
    return undefined;
  }
}
