/** What must compile, and with `@ts-expect-error` what must not. `tsc --noEmit` is the test. */
import { McpServer, ResourceTemplate } from '@modelcontextprotocol/server';
import { sdkMrtr, type SdkContext } from 'express-mrtr/sdk';
import { z } from 'zod';

const { attach, withMrtr } = sdkMrtr({ audience: 'shop' });
const server = attach(new McpServer({ name: 'shop', version: '1.0.0' }));
const inputSchema = z.object({ id: z.string() });

server.registerTool(
  'either',
  { inputSchema },
  withMrtr(async ({ id }, ctx) => {
    if (await ctx.confirm('Sure?')) return 'text';
    const size: number = id.length;
    return { content: [{ type: 'text', text: id }], structuredContent: { size } };
  }),
);
server.registerTool(
  'without a context',
  { inputSchema },
  withMrtr(({ id }) => id),
);
server.registerTool(
  'without a schema',
  {},
  withMrtr(async ({ confirm }) => ({ content: [{ type: 'text', text: String(await confirm('Sure?')) }] })),
);
server.registerTool(
  'with an output schema',
  { inputSchema, outputSchema: z.object({ size: z.number() }) },
  withMrtr(({ id }, ctx) => ({ content: [], structuredContent: { size: id.length + ctx.round } })),
);
const apart = withMrtr(async ({ id }: { id: string }, ctx: SdkContext) => id + String(await ctx.confirm('Sure?')));
server.registerTool('apart', { inputSchema }, apart);

server.registerPrompt(
  'without a schema',
  {},
  withMrtr((ctx) => ({ messages: [{ role: 'user', content: { type: 'text', text: ctx.flowId } }] })),
);
server.registerPrompt(
  'with a schema',
  { argsSchema: inputSchema },
  withMrtr(({ id }, ctx) => id + ctx.flowId),
);
server.registerResource(
  'fixed',
  'shop://motd',
  {},
  withMrtr((uri, ctx) => ({ contents: [{ uri: uri.href, text: ctx.flowId }] })),
);
server.registerResource(
  'template',
  new ResourceTemplate('shop://{id}', { list: undefined }),
  {},
  withMrtr((uri, { id }, ctx) => ({ contents: [{ uri: uri.href, text: ctx.flowId + String(id) }] })),
);

const message = withMrtr((ctx) => ({ messages: [{ role: 'user', content: { type: 'text', text: ctx.flowId } }] }));
// @ts-expect-error -- a prompt's result is no tool's
server.registerTool('message', {}, message);
// @ts-expect-error -- nothing that any method answers
withMrtr((ctx) => ctx.round);
// prettier-ignore
// @ts-expect-error -- no such argument
server.registerTool('other', { inputSchema }, withMrtr(({ size }, ctx) => String(size) + ctx.flowId));
// @ts-expect-error -- Express's own is not there
withMrtr((ctx) => String(ctx.req));
// @ts-expect-error -- no option of sdkMrtr()
sdkMrtr({ audience: 'shop', replay: undefined });
// @ts-expect-error -- the audience is required
sdkMrtr({});
