import { toNodeHandler } from '@modelcontextprotocol/node';
import {
  acceptedContent,
  createMcpHandler,
  createRequestStateCodec,
  inputRequired,
  McpServer,
  type AuthInfo,
} from '@modelcontextprotocol/server';
import type { RequestHandler } from 'express';
import { z } from 'zod';
import { questionFor, REQUESTED_SCHEMA, resultFor, SERVER, TOOL, TTL_SECONDS } from '../wire.js';

const INPUT = z.object({ orderId: z.string() });
const CONFIRMATION = z.object({ reason: z.string().max(200), full: z.boolean().default(true) });

interface State {
  readonly orderId: string;
}

/** The official SDK as it documents itself: a server for each request, its own codec bound to method and client. */
export function sdkHandler(): RequestHandler {
  const codec = createRequestStateCodec<State>({
    key: Buffer.alloc(32, 7).fill(9, 16),
    ttlSeconds: TTL_SECONDS,
    bind: (ctx) => `${ctx.mcpReq.method}\0${ctx.http?.authInfo?.clientId ?? ''}`,
  });
  const handler = createMcpHandler(
    () => {
      const server = new McpServer(SERVER, { requestState: { verify: (state, ctx) => codec.verify(state, ctx) } });
      server.registerTool(TOOL, { inputSchema: INPUT }, async ({ orderId }, ctx) => {
        const state = ctx.mcpReq.requestState<State>();
        const content = acceptedContent(ctx.mcpReq.inputResponses, 'confirm', CONFIRMATION);
        if (content === undefined || state?.orderId !== orderId) {
          const question = { mode: 'form' as const, message: questionFor(orderId), requestedSchema: REQUESTED_SCHEMA };
          return inputRequired({
            inputRequests: { confirm: inputRequired.elicit(question) },
            requestState: await codec.mint({ orderId }, ctx),
          });
        }
        return { content: [{ type: 'text', text: resultFor(orderId, content.reason) }] };
      });
      return server;
    },
    { legacy: 'reject' },
  );
  const serve = toNodeHandler(handler);
  return (req, res) => {
    const user = req.user as { sub: string } | undefined;
    if (user !== undefined)
      Object.assign(req, { auth: { token: '', clientId: user.sub, scopes: [] } satisfies AuthInfo });
    void serve(req, res, req.body);
  };
}
