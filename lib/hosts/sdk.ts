import { AsyncLocalStorage } from 'node:async_hooks';
import { toNodeHandler, type NodeMcpRequestHandler } from '@modelcontextprotocol/node';
import {
  createMcpHandler,
  McpServer,
  ProtocolError,
  ResourceTemplate,
  type McpHttpHandler,
  type McpRequestContext,
  type ServerCapabilities,
  type ServerContext,
} from '@modelcontextprotocol/server';
import type { ServerResponse } from 'node:http';
import type { Target } from '../catalog.js';
import type { AnyDefinition, ResourceConfig, TemplateDefinition } from '../definitions.js';
import { codeOf } from '../errors.js';
import type { ResolvedOptions } from '../options.js';
import type { Principal } from '../principal.js';
import type { OwnedMethod } from '../protocol/wire.js';
import type { Environment } from './environment.js';
import { guardErrors } from './error-guard.js';
import type { MrtrRequest } from './express.js';
import { internal } from './failure.js';
import { INTERNAL } from './faults.js';
import { legacyCall } from './legacy-call.js';
import type { Notifier } from './notifier.js';
import { report } from './report.js';

type Era = McpRequestContext['era'];

interface Serving {
  readonly req: MrtrRequest;
  readonly principal: Principal | null;
}

/** Everything of MCP beside the three methods, served by the official SDK from the same definitions. */
export class SdkHost {
  readonly #options: ResolvedOptions;
  readonly #environment: Environment;
  readonly #handler: McpHttpHandler;
  readonly #serve: NodeMcpRequestHandler;
  // The SDK's callbacks see a web request; handlers are promised Express's own.
  readonly #serving = new AsyncLocalStorage<Serving>();

  constructor(options: ResolvedOptions, environment: Environment) {
    this.#options = options;
    this.#environment = environment;
    this.#handler = createMcpHandler(({ era }) => this.#server(era), {
      legacy: options.legacy ? 'stateless' : 'reject',
    });
    this.#serve = toNodeHandler(this.#handler, {
      onerror: (error) => report(options.onError, error, { code: 'ERR_MRTR_INTERNAL', method: 'other', target: '' }),
    });
  }

  get notify(): Notifier {
    return this.#handler.notify;
  }

  close(): Promise<void> {
    return this.#handler.close();
  }

  serve(req: MrtrRequest, res: ServerResponse, body: unknown, principal: Principal | null): Promise<void> {
    return this.#serving.run({ req, principal }, () => this.#serve(req, res as never, body));
  }

  /** A server for one request; schemas were converted when the options were resolved. */
  #server(era: Era): McpServer {
    const { server: info, instructions } = this.#options;
    const server = new McpServer(info, { ...(instructions !== undefined && { instructions }) });
    guardErrors(server, (method, error) => {
      report(this.#options.onError, error, { code: codeOf(error) ?? 'ERR_MRTR_HANDLER', method, target: '' });
      return internal(error, this.#options.exposeErrors);
    });
    server.server.registerCapabilities(this.#capabilities(era));
    this.#registerTools(server, era);
    this.#registerPrompts(server, era);
    this.#registerResources(server, era);
    return server;
  }

  #capabilities(era: Era): ServerCapabilities {
    const { tools, prompts, resources, templates } = this.#options.catalog;
    const subscribe = era === 'modern';
    return {
      logging: {},
      ...(tools.size > 0 && { tools: { listChanged: true } }),
      ...(prompts.size > 0 && { prompts: { listChanged: true } }),
      ...(resources.length + templates.length > 0 && {
        resources: { listChanged: true, ...(subscribe && { subscribe }) },
      }),
    };
  }

  #registerTools(server: McpServer, era: Era): void {
    for (const [name, { definition, target }] of this.#options.catalog.tools) {
      const { outputSchema: _output, ...config } = listed(definition);
      const schemas = {
        ...(target.input !== undefined && { inputSchema: target.input.standard }),
        ...(target.output !== undefined && { outputSchema: target.output.standard }),
      };
      const call = this.#callback(era, 'tools/call', target);
      server.registerTool(name, { ...config, ...schemas } as object, call as never);
    }
  }

  #registerPrompts(server: McpServer, era: Era): void {
    for (const [name, { definition, target }] of this.#options.catalog.prompts) {
      const schema = target.input !== undefined && { argsSchema: target.input.standard };
      const call = this.#callback(era, 'prompts/get', target);
      server.registerPrompt(name, { ...listed(definition), ...schema } as object, call as never);
    }
  }

  #registerResources(server: McpServer, era: Era): void {
    const { resources, templates } = this.#options.catalog;
    const read = (uri: URL, ...rest: unknown[]): Promise<Record<string, unknown>> => this.#read(era, uri, rest.at(-1));
    for (const definition of resources) {
      server.registerResource(definition.name, definition.uri, listedResource(definition), read as never);
    }
    for (const definition of templates) {
      server.registerResource(definition.name, sdkTemplate(definition), listedResource(definition), read as never);
    }
  }

  #callback(era: Era, method: OwnedMethod, target: Target): (...params: unknown[]) => Promise<Record<string, unknown>> {
    // The SDK passes the arguments only where there is a schema.
    return (...params) => this.#call(era, method, target, params.length > 1 ? params[0] : {}, params.at(-1));
  }

  #read(era: Era, uri: URL, sdk: unknown): Promise<Record<string, unknown>> {
    return this.#call(era, 'resources/read', this.#options.catalog.find('resources/read', uri.href), {}, sdk);
  }

  /** Calls of this revision never get here: they are served before the SDK sees them. */
  #call(
    era: Era,
    method: OwnedMethod,
    target: Target | undefined,
    args: unknown,
    sdk: unknown,
  ): Promise<Record<string, unknown>> {
    const serving = this.#serving.getStore();
    if (era === 'modern' || serving === undefined || target === undefined) {
      return Promise.reject(new ProtocolError(INTERNAL.code, INTERNAL.message));
    }
    const parts = { options: this.#options, environment: this.#environment, sdk: sdk as ServerContext };
    return legacyCall({ ...serving, ...parts, method, target, args });
  }
}

/** The part of a definition that the lists show. */
function listed({ config }: AnyDefinition): Record<string, unknown> {
  const { requires: _requires, inputSchema: _input, argsSchema: _args, ...rest } = config as Record<string, unknown>;
  return rest;
}

function listedResource({ config }: { readonly config: ResourceConfig }): Record<string, unknown> {
  const { requires: _requires, ttlMs: _ttlMs, cacheScope: _cacheScope, ...rest } = config;
  const { list: _list, complete: _complete, ...shown } = rest as Record<string, unknown>;
  return shown;
}

function sdkTemplate({ uriTemplate, config }: TemplateDefinition): ResourceTemplate {
  const { list, complete } = config;
  return new ResourceTemplate(uriTemplate, {
    list: list === undefined ? undefined : async () => ({ resources: [...(await list())] }),
    ...(complete !== undefined && { complete: { ...complete } }),
  });
}
