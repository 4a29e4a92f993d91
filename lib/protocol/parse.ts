import {
  isObject,
  META,
  PROTOCOL_VERSION,
  type ClientCapabilities,
  type Implementation,
  type LoggingLevel,
  type OwnedMethod,
  type RequestId,
} from './wire.js';

/** A well-formed request of one of the three methods, read once into plain members. */
export interface Call {
  readonly id: RequestId;
  readonly method: OwnedMethod;
  /** `params.name`, or `params.uri` of `resources/read`, as sent. */
  readonly target: string;
  readonly params: Readonly<Record<string, unknown>>;
  readonly capabilities: ClientCapabilities;
  readonly clientInfo: Implementation | undefined;
  readonly logLevel: LoggingLevel | undefined;
  readonly progressToken: RequestId | undefined;
}

/** The log levels, from the least severe. */
export const LOG_LEVELS: readonly LoggingLevel[] = [
  'debug',
  'info',
  'notice',
  'warning',
  'error',
  'critical',
  'alert',
  'emergency',
];

/** Where each of the three methods names its target. */
export const TARGET_MEMBER: { readonly [Method in OwnedMethod]: 'name' | 'uri' } = {
  'tools/call': 'name',
  'prompts/get': 'name',
  'resources/read': 'uri',
};

export function isOwnedMethod(method: unknown): method is OwnedMethod {
  return method === 'tools/call' || method === 'prompts/get' || method === 'resources/read';
}

/** What a body aims at, whether or not it is well-formed otherwise. */
export function aimOf(body: unknown): { readonly method: OwnedMethod; readonly target: string } | undefined {
  if (!isObject(body) || !isOwnedMethod(body['method']) || !isObject(body['params'])) return undefined;
  const { method } = body;
  const target = body['params'][TARGET_MEMBER[method]];
  return typeof target === 'string' ? { method, target } : undefined;
}

/**
 * Reads a request that needs no second look. It is strict: `undefined` says only that this is none, and the SDK's
 * classifier, which costs more, has to say what it is and what is wrong with it.
 */
export function parseCall(body: unknown): Call | undefined {
  if (!isObject(body) || body['jsonrpc'] !== '2.0' || Object.keys(body).length !== 4) return undefined;
  const { id, params } = body;
  const aim = aimOf(body);
  if (aim === undefined || !isRequestId(id) || !isObject(params)) return undefined;
  const meta = params['_meta'];
  if (!isObject(meta) || meta[META.protocolVersion] !== PROTOCOL_VERSION) return undefined;
  const capabilities = meta[META.clientCapabilities];
  const clientInfo = meta[META.clientInfo];
  const logLevel = meta[META.logLevel];
  const { progressToken } = meta;
  if (!isCapabilities(capabilities)) return undefined;
  if (clientInfo !== undefined && !isImplementation(clientInfo)) return undefined;
  if (logLevel !== undefined && !isLoggingLevel(logLevel)) return undefined;
  if (progressToken !== undefined && !isRequestId(progressToken)) return undefined;
  const { method, target } = aim;
  return { id, method, target, params, capabilities, clientInfo, logLevel, progressToken };
}

function isRequestId(value: unknown): value is RequestId {
  return typeof value === 'string' || Number.isSafeInteger(value);
}

function isCapabilities(value: unknown): value is ClientCapabilities {
  if (!isObject(value)) return false;
  const { elicitation, sampling, roots } = value;
  return [elicitation, sampling, roots].every((declared) => declared === undefined || isObject(declared));
}

function isImplementation(value: unknown): value is Implementation {
  return isObject(value) && typeof value['name'] === 'string' && typeof value['version'] === 'string';
}

function isLoggingLevel(value: unknown): value is LoggingLevel {
  return LOG_LEVELS.includes(value as LoggingLevel);
}
