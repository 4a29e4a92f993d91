import { toNodeHandler, type NodeMcpRequestHandler } from '@modelcontextprotocol/node';
import {
  createMcpHandler,
  McpServer,
  ProtocolError,
  ResourceTemplate,
  type McpHttpHandler,
  type McpRequestContext,
  type ServerCapabilities,
} from '@modelcontextprotocol/server';
import type { ServerResponse } from 'node:http';
import type { AnyDefinition, ResourceConfig, TemplateDefinition } from '../definitions.js';
import { codeOf } from '../errors.js';
import type { ResolvedOptions } from '../options.js';
import { LEGACY_VERSIONS } from '../legacy/session.js';
import { PROTOCOL_VERSION } from '../protocol/wire.js';
import { guardErrors } from './error-guard.js';
import type { MrtrRequest } from './express.js';
import { internal } from './failure.js';
import { INTERNAL } from './faults.js';
import type { Notifier } from './notifier.js';
import { report } from './report.js';

type Era = McpRequestContext['era'];

/** Everything of MCP beside the three methods, served by the official SDK from the same definitions. */
export class SdkHost {
  readonly #options: ResolvedOptions;
  readonly #handler: McpHttpHandler;
  readonly #serve: NodeMcpRequestHandler;

  constructor(options: ResolvedOptions) {
    this.#options = options;
    this.#handler = createMcpHandler(({ era }) => this.#server(era), {
      legacy: options.legacy === undefined ? 'reject' : 'stateless',
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

  serve(req: MrtrRequest, res: ServerResponse, body: unknown): Promise<void> {
    return this.#serve(req, res, body);
  }

  /** A server for one request; schemas were converted when the options were resolved. */
  #server(era: Era): McpServer {
    const { server: info, instructions } = this.#options;
    const server = new McpServer(info, {
      supportedProtocolVersions: [PROTOCOL_VERSION, ...LEGACY_VERSIONS],
      ...(instructions !== undefined && { instructions }),
    });
    guardErrors(server, (method, error) => {
      report(this.#options.onError, error, { code: codeOf(error) ?? 'ERR_MRTR_HANDLER', method, target: '' });
      return internal(error, this.#options.exposeErrors);
    });
    server.server.registerCapabilities(this.#capabilities(era));
    this.#registerTools(server);
    this.#registerPrompts(server);
    this.#registerResources(server);
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

  #registerTools(server: McpServer): void {
    for (const [name, { definition, target }] of this.#options.catalog.tools) {
      const { outputSchema: _output, ...config } = listed(definition);
      const schemas = {
        ...(target.input !== undefined && { inputSchema: target.input.standard }),
        ...(target.output !== undefined && { outputSchema: target.output.standard }),
      };
      server.registerTool(name, { ...config, ...schemas } as object, neverCalled as never);
    }
  }

  #registerPrompts(server: McpServer): void {
    for (const [name, { definition, target }] of this.#options.catalog.prompts) {
      const schema = target.input !== undefined && { argsSchema: target.input.standard };
      server.registerPrompt(name, { ...listed(definition), ...schema } as object, neverCalled as never);
    }
  }

  #registerResources(server: McpServer): void {
    const { resources, templates } = this.#options.catalog;
    for (const definition of resources) {
      server.registerResource(definition.name, definition.uri, listedResource(definition), neverCalled);
    }
    for (const definition of templates) {
      server.registerResource(definition.name, sdkTemplate(definition), listedResource(definition), neverCalled);
    }
  }
}

/** Calls of what is registered here are served before the SDK sees them, in every era. */
function neverCalled(): Promise<never> {
  return Promise.reject(new ProtocolError(INTERNAL.code, INTERNAL.message));
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
