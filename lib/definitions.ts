import { checkDefinition, definitionError } from './definition-checks.js';
import type { Context } from './hosts/express.js';
import type { CapabilityName } from './protocol/capabilities.js';
import type { Annotations, GetPromptResult, ReadResourceResult, ToolResult } from './protocol/content.js';
import type { JsonSchema, SchemaInput } from './protocol/schema.js';
import type { InferOutput, StandardSchema } from './protocol/standard.js';
import { urlOf, type Icon } from './protocol/wire.js';

type MaybePromise<T> = T | Promise<T>;

/** The arguments that a schema lets through: inferred from a Standard Schema, `Record<string, unknown>` from JSON Schema. */
export type ArgumentsOf<S> = S extends StandardSchema ? InferOutput<S> : Record<string, unknown>;

interface DefinitionConfig {
  /** A name for people. */
  readonly title?: string;
  readonly description?: string;
  readonly icons?: readonly Icon[];
  readonly _meta?: Readonly<Record<string, unknown>>;
  /** Capabilities that the client must have declared, or the handler does not run (-32021). */
  readonly requires?: readonly CapabilityName[];
}

/** Hints about a tool's behaviour (MCP 2026-07-28, Tools, Tool Annotations). */
export interface ToolAnnotations {
  readonly title?: string;
  readonly readOnlyHint?: boolean;
  readonly destructiveHint?: boolean;
  readonly idempotentHint?: boolean;
  readonly openWorldHint?: boolean;
}

export interface ToolConfig<In extends SchemaInput> extends DefinitionConfig {
  /** A Standard Schema or plain JSON Schema 2020-12 of an object. Without one the handler gets `{}`. */
  readonly inputSchema?: In;
  /** What `structuredContent` must satisfy; a completed result that does not is a server fault. */
  readonly outputSchema?: SchemaInput;
  readonly annotations?: ToolAnnotations;
}

export interface PromptConfig<In extends SchemaInput> extends DefinitionConfig {
  /** A Standard Schema or plain JSON Schema 2020-12 of an object of strings; members may be `completable()` of the SDK. */
  readonly argsSchema?: In;
}

export interface ResourceConfig extends DefinitionConfig {
  readonly mimeType?: string;
  readonly annotations?: Annotations;
  /** Milliseconds for which a client may keep a completed result that needed no input. @default 0 */
  readonly ttlMs?: number;
  /** Who may share a kept result. @default 'private' */
  readonly cacheScope?: 'public' | 'private';
}

/** One resource of a template's list. */
export interface ListedResource {
  readonly uri: string;
  readonly name: string;
  readonly title?: string;
  readonly description?: string;
  readonly mimeType?: string;
}

/** Suggests values for one variable of a template, given what was typed so far. */
export type Completer = (
  value: string,
  context?: { readonly arguments?: Readonly<Record<string, string>> },
) => MaybePromise<string[]>;

export interface ResourceTemplateConfig extends ResourceConfig {
  /** Names the resources that exist, for `resources/list`. */
  readonly list?: () => MaybePromise<readonly ListedResource[]>;
  /** A completer for each variable that has one. */
  readonly complete?: Readonly<Record<string, Completer>>;
}

const BRAND = Symbol.for('express-mrtr.definition');

interface Definition<Kind extends string, Config> {
  readonly kind: Kind;
  readonly name: string;
  readonly config: Config;
}

/** What `tool()` makes. */
export interface ToolDefinition extends Definition<'tool', ToolConfig<SchemaInput>> {
  readonly handler: (args: never, ctx: Context) => MaybePromise<ToolResult | string>;
}
/** What `prompt()` makes. */
export interface PromptDefinition extends Definition<'prompt', PromptConfig<SchemaInput>> {
  readonly handler: (args: never, ctx: Context) => MaybePromise<GetPromptResult | string>;
}
/** What `resource()` makes. */
export interface FixedResourceDefinition extends Definition<'resource', ResourceConfig> {
  readonly uri: string;
  readonly handler: (uri: URL, ctx: Context) => MaybePromise<ReadResourceResult | string>;
}
/** What `resourceTemplate()` makes. */
export interface TemplateDefinition extends Definition<'resourceTemplate', ResourceTemplateConfig> {
  readonly uriTemplate: string;
  readonly handler: (
    uri: URL,
    variables: Record<string, string | string[]>,
    ctx: Context,
  ) => MaybePromise<ReadResourceResult | string>;
}
export type ResourceDefinition = FixedResourceDefinition | TemplateDefinition;
export type AnyDefinition = ToolDefinition | PromptDefinition | ResourceDefinition;

/**
 * Defines a tool (MCP 2026-07-28, Tools). The handler gets the validated arguments and a {@link Context}; it returns a
 * {@link ToolResult}, or a string for one block of text.
 *
 * Throws `MrtrTypeError` `ERR_MRTR_DEFINITION` for an unusable name or an unknown option.
 *
 * @example
 * ```ts
 * const greet = tool('greet', { inputSchema: z.object({ name: z.string() }) }, ({ name }) => `Hello, ${name}!`);
 * ```
 */
export function tool<In extends SchemaInput = JsonSchema>(
  name: string,
  config: ToolConfig<In>,
  handler: (args: ArgumentsOf<In>, ctx: Context) => MaybePromise<ToolResult | string>,
): ToolDefinition {
  checkDefinition('tool', name, config, handler, ['inputSchema', 'outputSchema', 'annotations']);
  return define({ kind: 'tool', name, config, handler });
}

/**
 * Defines a prompt (MCP 2026-07-28, Prompts). The handler returns a `GetPromptResult`, or a string for one message of
 * the user.
 *
 * @example
 * ```ts
 * const review = prompt('review', { argsSchema: z.object({ code: z.string() }) }, ({ code }) => `Review this:\n${code}`);
 * ```
 */
export function prompt<In extends SchemaInput = JsonSchema>(
  name: string,
  config: PromptConfig<In>,
  handler: (args: ArgumentsOf<In>, ctx: Context) => MaybePromise<GetPromptResult | string>,
): PromptDefinition {
  checkDefinition('prompt', name, config, handler, ['argsSchema']);
  return define({ kind: 'prompt', name, config, handler });
}

const RESOURCE = ['mimeType', 'annotations', 'ttlMs', 'cacheScope'];

/**
 * Defines a resource at a fixed URI (MCP 2026-07-28, Resources). The handler returns a `ReadResourceResult`, or a
 * string for one text content.
 *
 * @example
 * ```ts
 * const motd = resource('motd', 'shop://motd', { mimeType: 'text/plain' }, () => 'Everything is on sale today.');
 * ```
 */
export function resource(
  name: string,
  uri: string,
  config: ResourceConfig,
  handler: FixedResourceDefinition['handler'],
): FixedResourceDefinition {
  checkDefinition('resource', name, config, handler, RESOURCE);
  if (typeof uri !== 'string' || urlOf(uri) === undefined) {
    throw definitionError('resource', name, `needs an absolute URI, such as "shop://motd"; got ${JSON.stringify(uri)}`);
  }
  return define({ kind: 'resource', name, uri, config, handler });
}

/**
 * Defines the resources that a URI template of RFC 6570 describes (MCP 2026-07-28, Resources, Resource Templates).
 *
 * @example
 * ```ts
 * const order = resourceTemplate('order', 'shop://orders/{id}', {}, (uri, { id }) => orders.text(String(id)));
 * ```
 */
export function resourceTemplate(
  name: string,
  uriTemplate: string,
  config: ResourceTemplateConfig,
  handler: TemplateDefinition['handler'],
): TemplateDefinition {
  checkDefinition('resourceTemplate', name, config, handler, [...RESOURCE, 'list', 'complete']);
  if (typeof uriTemplate !== 'string' || !uriTemplate.includes('{')) {
    throw definitionError(
      'resourceTemplate',
      name,
      `needs a URI template with a variable, such as "shop://orders/{id}"; got ${JSON.stringify(uriTemplate)}`,
    );
  }
  return define({ kind: 'resourceTemplate', name, uriTemplate, config, handler });
}

/** Whether a value was made by one of the four functions, of whichever copy of this package. */
export function isDefinition(value: unknown): value is AnyDefinition {
  return typeof value === 'object' && value !== null && BRAND in value;
}

function define<D extends AnyDefinition>(definition: D): D {
  Object.defineProperty(definition, BRAND, { value: true });
  return Object.freeze(definition);
}
