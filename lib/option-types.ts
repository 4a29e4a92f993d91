import type { PromptDefinition, ResourceDefinition, ToolDefinition } from './definitions.js';
import type { MrtrErrorCode } from './errors.js';
import type { MrtrRequest } from './hosts/express.js';
import type { Mailbox } from './legacy/mailbox.js';
import type { Sealing } from './legacy/sealing.js';
import type { PrincipalResolver } from './principal.js';
import type { Implementation } from './protocol/wire.js';
import type { RequestStateCodec } from './seal/codec.js';
import type { KeyProvider } from './seal/key-provider.js';
import type { KeySet } from './seal/keyring.js';
import type { ReplayStore } from './stores/store.js';

/** What `onError` gets beside the error. */
export interface ErrorInfo {
  readonly code: MrtrErrorCode;
  readonly method: string;
  /** The name of the tool, prompt, resource or template. */
  readonly target: string;
}

/** The `replay` option. */
export interface ReplayOptions {
  /** Where claims are kept; the same for all nodes. */
  readonly store: ReplayStore;
  /** What happens when the store fails or is late: the call is refused with -32603. There is no other choice. */
  readonly onStoreError?: 'reject';
  /**
   * Seconds for which a running round holds its state. After that, as when its node died, the round may run again:
   * choose it longer than any handler runs.
   * @default 60
   */
  readonly leaseSeconds?: number;
  /** Seconds for which a repeat of a running request waits for its result. @default 10 */
  readonly waitSeconds?: number;
  /** Seconds after which a store that does not answer has failed. @default 2 */
  readonly timeoutSeconds?: number;
}

/** The `legacy` option: how clients of MCP 2025-11-25 and 2025-06-18 are asked. */
export interface LegacyOptions {
  /**
   * Where calls wait for the responses of their clients; the same for all nodes.
   * @default a `MemoryMailbox`, which serves one process
   */
  readonly mailbox?: Mailbox;
  /** Seconds for which a call waits for a person, or for the client's roots. @default 300 */
  readonly elicitationTimeoutSeconds?: number;
  /** Seconds for which a call waits for the client's model. @default 600 */
  readonly samplingTimeoutSeconds?: number;
  /** Seconds for which a session is good; after that its client gets 404 and initializes anew. @default 86400 */
  readonly sessionTtlSeconds?: number;
  /** Questions of this process that may wait at once; past it, asking rejects with `ERR_MRTR_MAILBOX`. @default 1000 */
  readonly maxParked?: number;
}

/** The options of `mrtr()`. Only `server` is required. */
export interface MrtrOptions {
  /** Who this server is: `name` and `version`, optionally `title`, `icons` and `instructions` for the model. */
  readonly server: Implementation & { readonly instructions?: string };
  /** Made by `tool()`. @default [] */
  readonly tools?: readonly ToolDefinition[];
  /** Made by `prompt()`. @default [] */
  readonly prompts?: readonly PromptDefinition[];
  /** Made by `resource()` and `resourceTemplate()`. @default [] */
  readonly resources?: readonly ResourceDefinition[];
  /**
   * Keys that seal `requestState`: `mrtrk_…` texts (several may be joined by commas) or at least 32 random bytes each.
   * The first seals, all unseal; every node needs the same. Leave the option out rather than passing `undefined`.
   * Also what `keyring()` made of them, or a {@link KeyProvider} for keys that live in a KMS.
   * @default the environment variable `MRTR_KEYS`, else a key that dies with the process, which production refuses
   */
  readonly keys?: KeySet | KeyProvider;
  /** Says whose request it is. @default fromPassport */
  readonly principal?: PrincipalResolver<MrtrRequest>;
  /** Lets a request without principal in; its state is bound to nobody, so whoever holds it can use it. @default false */
  readonly anonymous?: boolean;
  /** Bound into every state, so that two services with one key never accept each other's. @default server.name */
  readonly audience?: string;
  /** Seconds for which one `requestState` is good. @default 300 */
  readonly ttlSeconds?: number;
  /** Seconds from a flow's first round after which it cannot go on. @default 3600 */
  readonly maxFlowSeconds?: number;
  /** Seconds by which another node's clock may be ahead. @default 60 */
  readonly clockSkewSeconds?: number;
  /** Rounds of one flow that bring an answer. @default 16 */
  readonly maxRounds?: number;
  /** Unusable answers to one question that end its flow. @default 5 */
  readonly maxAttempts?: number;
  /** Seconds for which a handler may run; 0 is without limit. @default 0 */
  readonly handlerTimeoutSeconds?: number;
  /** Bytes of the longest `requestState` that is sealed or looked at. @default 49152 */
  readonly maxStateBytes?: number;
  /**
   * What happens when a handler reaches another question than before: `reask` matches questions by what they ask,
   * `reject` refuses unless the Nth question is the Nth of the ledger.
   * @default 'reask'
   */
  readonly onLedgerMismatch?: 'reask' | 'reject';
  /** Takes each state once: a spent one is refused, an exact repeat gets the recorded result. @default off */
  readonly replay?: ReplayOptions;
  /** Seals and unseals in place of the built-in codec; `keys` then seals only what `replay` records. */
  readonly codec?: RequestStateCodec;
  /** Where MCP is served, relative to the mount point. @default '/' */
  readonly path?: string;
  /** `true` passes to `next()` whatever is not a call of a registered target. @default false */
  readonly fallthrough?: boolean;
  /** Longest body that is read when no parser stands in front: bytes, or a text such as `'1mb'`. @default '1mb' */
  readonly bodyLimit?: number | string;
  /** Host names that requests may be addressed to. @default loopback names on a loopback address, else any */
  readonly allowedHosts?: readonly string[];
  /** Host names or origins of web pages that may call. @default the allowed hosts and loopback names */
  readonly allowedOrigins?: readonly string[];
  /** Whether and how clients of earlier protocol revisions are served. @default true */
  readonly legacy?: boolean | LegacyOptions;
  /** Puts the message of a handler's error on the wire: for development only. @default false */
  readonly exposeErrors?: boolean;
  /**
   * Runs the handler of each round that asks a second time on the same answers and warns (`nondeterminism`) when it asks
   * something else: for development only, since what is not in a step happens twice.
   * @default false
   */
  readonly checkDeterminism?: boolean;
  /** Gets the raw error of every fault of the server; events never carry it. */
  readonly onError?: (error: unknown, info: ErrorInfo) => unknown;
}

/**
 * The `replay` option with its defaults filled in.
 * @internal
 */
export interface SingleUseOptions {
  readonly store: ReplayStore;
  /** Seals what the store keeps. */
  readonly codec: RequestStateCodec;
  readonly leaseMs: number;
  readonly waitMs: number;
  readonly timeoutMs: number;
}

/**
 * The `legacy` option with its defaults filled in.
 * @internal
 */
export interface LegacyService {
  readonly mailbox: Mailbox;
  /** Whether this package made the mailbox, so that it has to close it. */
  readonly ownMailbox: boolean;
  /** By what sessions are sealed; without keys there are none, and nothing can be asked. */
  readonly sealing: Sealing | undefined;
  readonly elicitationTimeoutMs: number;
  readonly samplingTimeoutMs: number;
  readonly sessionTtlMs: number;
  readonly maxParked: number;
}
