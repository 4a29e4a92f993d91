import { UriTemplates } from './protocol/uri-templates.js';
import {
  isDefinition,
  type AnyDefinition,
  type FixedResourceDefinition,
  type PromptDefinition,
  type ResourceDefinition,
  type TemplateDefinition,
  type ToolDefinition,
} from './definitions.js';
import { MrtrTypeError } from './errors.js';
import type { Context } from './hosts/express.js';
import type { CapabilityName } from './protocol/capabilities.js';
import { paramHeadersOf, type ParamHeader } from './protocol/headers.js';
import { promptResult, resourceResult, toolResult, type ResultReader } from './protocol/result.js';
import { compileSchema, type CompiledSchema } from './protocol/schema.js';
import { urlOf, type OwnedMethod } from './protocol/wire.js';

/** What one of the three methods runs: a definition, made ready for one request. */
export interface Target {
  readonly kind: AnyDefinition['kind'];
  readonly name: string;
  readonly requires: readonly CapabilityName[];
  /** The schema of the arguments, if the definition has one. */
  readonly input: CompiledSchema | undefined;
  readonly output: CompiledSchema | undefined;
  readonly paramHeaders: readonly ParamHeader[];
  /** How long and by whom a completed result may be kept. */
  readonly caching: { readonly ttlMs: number; readonly cacheScope: 'public' | 'private' } | undefined;
  readonly readResult: ResultReader;
  run(args: unknown, ctx: Context): unknown;
}

/** A tool or prompt with its schemas compiled, as the SDK's lists need it, too. */
export interface Compiled<D extends AnyDefinition> {
  readonly definition: D;
  readonly target: Target;
}

/** Everything that a middleware serves. */
export class Catalog {
  readonly tools: ReadonlyMap<string, Compiled<ToolDefinition>>;
  readonly prompts: ReadonlyMap<string, Compiled<PromptDefinition>>;
  readonly resources: readonly FixedResourceDefinition[];
  readonly templates: readonly TemplateDefinition[];
  readonly #fixed: ReadonlyMap<string, FixedResourceDefinition>;
  readonly #uriTemplates: UriTemplates<TemplateDefinition>;

  /** Throws `MrtrTypeError` for duplicates, foreign objects and schemas that cannot be used. */
  constructor(definitions: {
    readonly tools: readonly ToolDefinition[];
    readonly prompts: readonly PromptDefinition[];
    readonly resources: readonly ResourceDefinition[];
  }) {
    const { tools, prompts, resources } = definitions;
    this.tools = byName('tools', tools.map(compileTool));
    this.prompts = byName('prompts', prompts.map(compilePrompt));
    this.resources = resources.filter((definition) => definition.kind === 'resource');
    this.templates = resources.filter((definition) => definition.kind === 'resourceTemplate');
    this.#fixed = new Map(this.resources.map((definition) => [definition.uri, definition]));
    if (this.#fixed.size < this.resources.length)
      throw duplicate(
        'resources',
        this.resources.map(({ uri }) => uri),
      );
    const names = this.templates.map(({ name }) => name);
    if (new Set(names).size < names.length) throw duplicate('resources', names);
    this.#uriTemplates = new UriTemplates(this.templates.map((definition) => [definition.uriTemplate, definition]));
  }

  /** Finds what a request aims at; a URI is looked up as sent, then in its normal form. */
  find(method: OwnedMethod, name: string): Target | undefined {
    switch (method) {
      case 'tools/call':
        return this.tools.get(name)?.target;
      case 'prompts/get':
        return this.prompts.get(name)?.target;
      case 'resources/read':
        return this.#resource(name, name) ?? this.#resource(urlOf(name)?.href, name);
    }
  }

  #resource(uri: string | undefined, sent: string): Target | undefined {
    if (uri === undefined) return undefined;
    const fixed = this.#fixed.get(uri);
    if (fixed !== undefined) return resourceTarget(fixed, sent, (ctx) => fixed.handler(new URL(sent), ctx));
    const match = this.#uriTemplates.match(uri);
    if (match === undefined || urlOf(sent) === undefined) return undefined;
    const { value: template, variables } = match;
    return resourceTarget(template, sent, (ctx) => template.handler(new URL(sent), variables, ctx));
  }
}

/** Checks one list of definitions from the options. */
export function checkDefinitions<Kind extends AnyDefinition['kind']>(
  option: string,
  list: unknown,
  kinds: readonly Kind[],
  maker: string,
): readonly Extract<AnyDefinition, { kind: Kind }>[] {
  if (!Array.isArray(list)) throw optionError(option, `must be an array of what ${maker} makes; got ${typeof list}`);
  list.forEach((entry: unknown, index) => {
    if (!isDefinition(entry) || !kinds.some((kind) => kind === entry.kind)) {
      throw optionError(
        option,
        `entry ${index} was not made by ${maker}; define it with ${maker} and put the result here`,
      );
    }
  });
  return list as Extract<AnyDefinition, { kind: Kind }>[];
}

function compileTool(definition: ToolDefinition): Compiled<ToolDefinition> {
  const { name, config, handler } = definition;
  const { inputSchema, outputSchema } = config;
  const input = inputSchema && compileSchema(inputSchema, 'input', `tool(${JSON.stringify(name)}): inputSchema`);
  const output = outputSchema && compileSchema(outputSchema, 'output', `tool(${JSON.stringify(name)}): outputSchema`);
  const target: Target = {
    kind: 'tool',
    name,
    requires: config.requires ?? [],
    input,
    output,
    paramHeaders: input === undefined ? [] : paramHeadersOf(input.json, name),
    caching: undefined,
    readResult: toolResult,
    run: (args, ctx) => handler(args as never, ctx),
  };
  return { definition, target };
}

function compilePrompt(definition: PromptDefinition): Compiled<PromptDefinition> {
  const { name, config, handler } = definition;
  const { argsSchema } = config;
  const target: Target = {
    kind: 'prompt',
    name,
    requires: config.requires ?? [],
    input: argsSchema && compileSchema(argsSchema, 'input', `prompt(${JSON.stringify(name)}): argsSchema`),
    output: undefined,
    paramHeaders: [],
    caching: undefined,
    readResult: promptResult,
    run: (args, ctx) => handler(args as never, ctx),
  };
  return { definition, target };
}

function resourceTarget(
  { kind, name, config }: ResourceDefinition,
  uri: string,
  run: (ctx: Context) => unknown,
): Target {
  return {
    kind,
    name,
    requires: config.requires ?? [],
    input: undefined,
    output: undefined,
    paramHeaders: [],
    caching: { ttlMs: config.ttlMs ?? 0, cacheScope: config.cacheScope ?? 'private' },
    readResult: resourceResult(uri, config.mimeType),
    run: (_args, ctx) => run(ctx),
  };
}

function byName<D extends AnyDefinition>(
  option: string,
  list: readonly Compiled<D>[],
): ReadonlyMap<string, Compiled<D>> {
  const names = list.map(({ definition }) => definition.name);
  if (new Set(names).size < names.length) throw duplicate(option, names);
  return new Map(list.map((compiled) => [compiled.definition.name, compiled]));
}

function duplicate(option: string, names: readonly string[]): MrtrTypeError {
  const twice = names.find((name, index) => names.indexOf(name) !== index);
  return optionError(
    option,
    `${JSON.stringify(twice)} is defined twice; give each definition a name or URI of its own`,
  );
}

function optionError(option: string, problem: string): MrtrTypeError {
  return new MrtrTypeError('ERR_MRTR_OPTION', `mrtr: option "${option}": ${problem}.`);
}
