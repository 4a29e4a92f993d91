import { specTypeSchemas } from '@modelcontextprotocol/server';
import type { StandardSchema } from '../protocol/standard.js';
import { isObject, type Fault } from '../protocol/wire.js';
import { invalidParams } from './faults.js';

/** Requests whose parameters the SDK checks, too, but refuses as if the fault were the server's (-32603). */
const SCHEMAS: ReadonlyMap<string, StandardSchema> = new Map<string, StandardSchema>([
  ['completion/complete', specTypeSchemas.CompleteRequest],
  ['prompts/get', specTypeSchemas.GetPromptRequest],
  ['prompts/list', specTypeSchemas.ListPromptsRequest],
  ['resources/list', specTypeSchemas.ListResourcesRequest],
  ['resources/read', specTypeSchemas.ReadResourceRequest],
  ['resources/templates/list', specTypeSchemas.ListResourceTemplatesRequest],
  ['tools/list', specTypeSchemas.ListToolsRequest],
]);

/** The same of methods that the present revision does not have: under it they are unknown, whatever they carry. */
const EARLIER: ReadonlyMap<string, StandardSchema> = new Map<string, StandardSchema>([
  ['initialize', specTypeSchemas.InitializeRequest],
  ['logging/setLevel', specTypeSchemas.SetLevelRequest],
]);

/** The fault of a message whose parameters the SDK cannot use: -32602, since it is the client's. */
export function sdkParamsFault(era: 'modern' | 'legacy', message: unknown): Fault | undefined {
  const method = isObject(message) ? message['method'] : undefined;
  if (typeof method !== 'string') return undefined;
  const schema = SCHEMAS.get(method) ?? (era === 'legacy' ? EARLIER.get(method) : undefined);
  const validation = schema?.['~standard'].validate(message);
  if (validation === undefined || validation instanceof Promise || validation.issues === undefined) return undefined;
  return invalidParams('The request is not of the form that this method takes.');
}
