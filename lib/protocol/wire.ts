/** The shapes that travel, as the schema of MCP 2026-07-28 names them, and the numbers that stand for failures. */

export type JsonValue = string | number | boolean | null | JsonValue[] | JsonObject;
export interface JsonObject {
  [name: string]: JsonValue;
}

/** The revision that this package serves itself. */
export const PROTOCOL_VERSION = '2026-07-28';

export const META = {
  protocolVersion: 'io.modelcontextprotocol/protocolVersion',
  clientInfo: 'io.modelcontextprotocol/clientInfo',
  clientCapabilities: 'io.modelcontextprotocol/clientCapabilities',
  logLevel: 'io.modelcontextprotocol/logLevel',
  serverInfo: 'io.modelcontextprotocol/serverInfo',
} as const;

export const CODE = {
  parseError: -32700,
  invalidRequest: -32600,
  methodNotFound: -32601,
  invalidParams: -32602,
  internalError: -32603,
  headerMismatch: -32020,
  missingCapability: -32021,
  unsupportedVersion: -32022,
} as const;

/** The three methods on which a server may answer with an `InputRequiredResult` (Multi Round-Trip Requests, Supported Requests). */
export type OwnedMethod = 'tools/call' | 'prompts/get' | 'resources/read';

export type RequestId = string | number;

/** A failure as JSON-RPC carries it, with the HTTP status that goes along. */
export interface Fault {
  readonly code: number;
  readonly message: string;
  readonly status: number;
  readonly data?: JsonObject;
}

/** Name and version of a client or server. */
export interface Implementation {
  name: string;
  version: string;
  title?: string;
  description?: string;
  websiteUrl?: string;
  icons?: Icon[];
}

export interface Icon {
  src: string;
  mimeType?: string;
  sizes?: string[];
  theme?: 'light' | 'dark';
}

/** What the client declared in `_meta["io.modelcontextprotocol/clientCapabilities"]` of this request. */
export interface ClientCapabilities {
  elicitation?: { form?: object; url?: object };
  sampling?: { context?: object; tools?: object };
  roots?: object;
  [name: string]: unknown;
}

export type LoggingLevel = 'debug' | 'info' | 'notice' | 'warning' | 'error' | 'critical' | 'alert' | 'emergency';

/** One property of a form, in the vocabulary of Elicitation, Requested Schema. */
export type PrimitiveSchema =
  | StringSchema
  | NumberSchema
  | BooleanSchema
  | SingleSelectSchema
  | TitledSingleSelectSchema
  | MultiSelectSchema
  | TitledMultiSelectSchema;

interface SchemaBase {
  title?: string;
  description?: string;
}
export type StringFormat = 'email' | 'uri' | 'date' | 'date-time';
export interface StringSchema extends SchemaBase {
  type: 'string';
  minLength?: number;
  maxLength?: number;
  format?: StringFormat;
  default?: string;
}
export interface NumberSchema extends SchemaBase {
  type: 'number' | 'integer';
  minimum?: number;
  maximum?: number;
  default?: number;
}
export interface BooleanSchema extends SchemaBase {
  type: 'boolean';
  default?: boolean;
}
export interface SingleSelectSchema extends SchemaBase {
  type: 'string';
  enum: string[];
  default?: string;
}
export interface TitledChoice {
  const: string;
  title: string;
}
export interface TitledSingleSelectSchema extends SchemaBase {
  type: 'string';
  oneOf: TitledChoice[];
  default?: string;
}
export interface MultiSelectSchema extends SchemaBase {
  type: 'array';
  minItems?: number;
  maxItems?: number;
  items: { type: 'string'; enum: string[] };
  default?: string[];
}
export interface TitledMultiSelectSchema extends SchemaBase {
  type: 'array';
  minItems?: number;
  maxItems?: number;
  items: { anyOf: TitledChoice[] };
  default?: string[];
}

/** The flat object schema of a form-mode elicitation. */
export interface RequestedSchema {
  $schema?: string;
  type: 'object';
  properties: Record<string, PrimitiveSchema>;
  required?: string[];
}

export interface SamplingMessage {
  role: 'user' | 'assistant';
  content: unknown;
}

/** Parameters of `sampling/createMessage`. */
export interface CreateMessageParams {
  messages: SamplingMessage[];
  maxTokens: number;
  systemPrompt?: string;
  modelPreferences?: object;
  temperature?: number;
  stopSequences?: string[];
  includeContext?: 'none' | 'thisServer' | 'allServers';
  metadata?: object;
  tools?: object[];
  toolChoice?: object;
}

/** What the client's model answered. */
export interface CreateMessageResult {
  role: 'user' | 'assistant';
  content: unknown;
  model: string;
  stopReason?: string;
  [name: string]: unknown;
}

export interface Root {
  uri: string;
  name?: string;
  _meta?: Record<string, unknown>;
}

/** One value of `inputRequests`. */
export type InputRequest =
  | { method: 'elicitation/create'; params: ElicitFormParams | ElicitUrlParams }
  | { method: 'sampling/createMessage'; params: CreateMessageParams }
  | { method: 'roots/list'; params?: object };

export interface ElicitFormParams {
  mode: 'form';
  message: string;
  requestedSchema: RequestedSchema;
}
export interface ElicitUrlParams {
  mode: 'url';
  message: string;
  url: string;
}

export function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** The URL that a text spells; `undefined` for none. */
export function urlOf(text: string): URL | undefined {
  try {
    // Not URL.canParse: once it is hot, Node 20 refuses text beyond ASCII with it.
    return new URL(text);
  } catch {
    return undefined;
  }
}
