export { sdkMrtr } from './hosts/sdk-mrtr.js';
export { field, form } from './elicitation/form.js';
export { fromAuthInfo } from './principal.js';
export { generateKey, keyring } from './seal/keyring.js';
export {
  LedgerMismatchError,
  MrtrError,
  MrtrRangeError,
  MrtrTypeError,
  ResourceNotFoundError,
  ToolError,
} from './errors.js';

export type { SdkMrtr } from './hosts/sdk-mrtr.js';
export type { AttachableServer } from './hosts/sdk-mrtr-input.js';
export type { SdkMrtrOptions } from './hosts/sdk-mrtr-options.js';
export type { SdkContext, SdkResult, WithMrtr } from './hosts/with-mrtr.js';
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
export type { ErrorInfo } from './options.js';
export type { Principal, PrincipalResolver } from './principal.js';
export type { CapabilityName } from './protocol/capabilities.js';
export type { StandardSchema } from './protocol/standard.js';
export type { ClientCapabilities, CreateMessageResult, Implementation, LoggingLevel, Root } from './protocol/wire.js';
export type { RequestStateCodec, StatePrincipal, UnsealFailure } from './seal/codec.js';
export type { KeyProvider } from './seal/key-provider.js';
export type { Keyring, KeyMaterial, KeySet } from './seal/keyring.js';
