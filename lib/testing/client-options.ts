import type { ClientCapabilities, Implementation } from '../protocol/wire.js';
import type { Answers } from './answers.js';

/** What one request of a test is sent with. */
export interface RequestOptions {
  /**
   * Set as `req.user` before the app or the handler runs, as Passport would. An app that authenticates itself overwrites
   * it: give such an app what it looks at, `headers: { authorization: 'Bearer …' }`.
   */
  readonly user?: unknown;
  /** What the client declares that it can do. @default everything that a question can need */
  readonly capabilities?: ClientCapabilities;
  /**
   * HTTP headers beside those of the protocol, which they can replace; `undefined` takes one away. Arguments that are
   * mirrored in `Mcp-Param-*` headers need them here: the client does not read the list of tools.
   */
  readonly headers?: Readonly<Record<string, string | undefined>>;
  /** Who the client says that it is. @default { name: 'express-mrtr/testing', version: '1.0.0' } */
  readonly clientInfo?: Implementation;
  /** More members of `_meta`, such as `progressToken`. */
  readonly meta?: Readonly<Record<string, unknown>>;
}

/** What one call of a test is made with. */
export interface CallOptions extends RequestOptions {
  /** The answers to what the call asks. Each of them has to be asked for. */
  readonly answers?: Answers;
  /** Lets scripted answers be that nothing asks for. @default false */
  readonly allowUnused?: boolean;
  /** Requests after which the call has failed. @default 32 */
  readonly maxRounds?: number;
}

/** What holds for all calls of a client that do not say otherwise. Its `answers` are for many calls: none has to be used. */
export interface TestClientOptions extends CallOptions {
  /** Where the app serves MCP; a handler is mounted at `/mcp`, so that one with a `path` of its own is below that. @default '/mcp' */
  readonly path?: string;
}
