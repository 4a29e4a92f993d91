export { mrtr, mrtrErrors } from './hosts/express.js';
export { prompt, resource, resourceTemplate, tool } from './definitions.js';
export { field, form } from './elicitation/form.js';
export { MemoryMailbox } from './legacy/memory-mailbox.js';
export { RedisMailbox } from './legacy/redis-mailbox.js';
export { fromAuthInfo, fromPassport } from './principal.js';
export { generateKey, keyring } from './seal/keyring.js';
export { MemoryReplayStore } from './stores/memory.js';
export { RedisReplayStore } from './stores/redis.js';
export {
  ElicitationTimeoutError,
  LedgerMismatchError,
  MrtrError,
  MrtrRangeError,
  MrtrTypeError,
  ResourceNotFoundError,
  SamplingTimeoutError,
  ToolError,
} from './errors.js';

export type { Context, MrtrHandler, MrtrRequest, RequestUser } from './hosts/express.js';
export type { Notifier } from './hosts/notifier.js';
export type { ErrorInfo, LegacyOptions, MrtrOptions, ReplayOptions } from './options.js';
export type {
  ArgumentsOf,
  Completer,
  ListedResource,
  PromptConfig,
  PromptDefinition,
  ResourceConfig,
  ResourceDefinition,
  ResourceTemplateConfig,
  ToolAnnotations,
  ToolConfig,
  ToolDefinition,
} from './definitions.js';
export type {
  ElicitOptions,
  ElicitResult,
  ElicitUrlOptions,
  QuestionOptions,
  SampleOptions,
  UrlElicitResult,
} from './engine/ask.js';
export type { Asking, ClientView, Telling } from './engine/context.js';
export type { Stepping } from './engine/stepping.js';
export type { FormInput } from './elicitation/content.js';
export type { Choice, Field, Form, FormContent } from './elicitation/form.js';
export type {
  ErrorEvent,
  EventBase,
  MrtrEvents,
  QuestionEvent,
  RefusedEvent,
  RoundEvent,
  WarningEvent,
} from './events.js';
export type { MrtrErrorCode } from './errors.js';
export type { Mailbox } from './legacy/mailbox.js';
export type { Principal, PrincipalResolver } from './principal.js';
export type { CapabilityName } from './protocol/capabilities.js';
export type { JsonSchema, SchemaInput } from './protocol/schema.js';
export type {
  CallToolResult,
  ContentBlock,
  GetPromptResult,
  PromptMessage,
  ReadResourceResult,
  ToolResult,
} from './protocol/content.js';
export type { StandardSchema } from './protocol/standard.js';
export type { ClientCapabilities, CreateMessageResult, Implementation, LoggingLevel, Root } from './protocol/wire.js';
export type { RequestStateCodec, StatePrincipal, UnsealFailure } from './seal/codec.js';
export type { KeyProvider } from './seal/key-provider.js';
export type { Keyring, KeyMaterial, KeySet } from './seal/keyring.js';
export type { Claim, ReplayStore } from './stores/store.js';
