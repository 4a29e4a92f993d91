import express from 'express';
import { field, form, fromAuthInfo, mrtr, mrtrErrors, tool, type Context, type MrtrRequest } from 'express-mrtr';

const order = tool(
  'order',
  { inputSchema: { type: 'object', properties: { size: { type: 'string' } } } },
  async (args, ctx) => {
    const answer = await ctx.elicit({
      message: 'Where to?',
      form: form({ street: field.string(), floor: field.integer({ optional: true }) }),
    });
    // @ts-expect-error content comes with accept only
    answer.content;
    if (answer.action !== 'accept') return 'Nothing was ordered.';
    const street: string = answer.content.street;
    const floor: number | undefined = answer.content.floor;
    const size: unknown = args['size'];
    return { content: [{ type: 'text', text: `${String(size)} to ${street}, floor ${String(floor)}` }] };
  },
);

export const user = (ctx: Context): unknown => ctx.user;
export const request = (ctx: Context): MrtrRequest => ctx.req;

const app = express();
app.use(
  '/mcp',
  (_req, _res, next) => next(),
  mrtr({
    server: { name: 'shop', version: '1.0.0' },
    tools: [order],
    // @ts-expect-error the package brings no `req.user` of its own
    principal: (req) => req.user ?? null,
  }),
);
app.use('/mcp2', mrtr({ server: { name: 'shop', version: '1.0.0' }, principal: fromAuthInfo }));
app.use('/mcp3', mrtr({ server: { name: 'shop', version: '1.0.0' }, principal: (req) => req.get('x-user') ?? null }));
app.use('/mcp', mrtrErrors());
