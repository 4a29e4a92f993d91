import { z } from 'zod';
import { field, form, prompt, resource, resourceTemplate, tool, ToolError, type Context } from '../../lib/index.js';
import type { MrtrOptions } from '../../lib/options.js';
import { SENTINELS } from './input.js';

export type Definitions = Pick<MrtrOptions, 'tools' | 'prompts' | 'resources'>;

const [HANDLER, , RESULT] = SENTINELS;
const AMOUNT = z.object({ amount: z.number(), to: z.string().max(200).optional() });
const PLAIN = { type: 'object', properties: { n: { type: 'integer' }, deep: { type: 'object' } } };
const HEADERS = {
  type: 'object',
  properties: {
    region: { type: 'string', 'x-mcp-header': 'Region' },
    size: { type: 'integer', 'x-mcp-header': 'Size' },
    nested: { type: 'object', properties: { dry: { type: 'boolean', 'x-mcp-header': 'Dry' } } },
  },
};
const PERSON = form({
  name: field.string({ maxLength: 40 }),
  mail: field.string({ format: 'email', optional: true }),
  age: field.integer({ minimum: 0, maximum: 150 }),
  size: field.choice(['S', 'M', 'L']),
  tags: field.choices(['red', 'green'], { minItems: 1 }),
  agreed: field.boolean({ default: false }),
});
const PLACE = form({ city: field.string(), since: field.string({ format: 'date', optional: true }) });

/** The last question of everything that acts. */
async function pay(ctx: Context, transfer: (ctx: Context) => void, text: string): Promise<string> {
  if (!(await ctx.confirm(text, { key: 'go' }))) return 'Nothing was done.';
  transfer(ctx);
  return 'Done.';
}

/**
 * Everything that the app serves. What is called `fault…` fails in a way that is the server's fault.
 *
 * @param singleUse - under which no answer may come before its question
 */
export function definitions(transfer: (ctx: Context) => void, singleUse: boolean): Definitions {
  const tools = [
    tool('pay', { inputSchema: AMOUNT }, ({ amount }, ctx) => pay(ctx, transfer, `Pay ${amount}?`)),
    tool('pay-slowly', { inputSchema: AMOUNT }, async ({ amount }, ctx) => {
      const person = await ctx.elicit({ message: 'Who are you?', form: PERSON });
      if (person.action !== 'accept') return 'Nobody.';
      const login = await ctx.step('login', () => ({ id: SENTINELS[0], at: amount }));
      const { action } = await ctx.elicitUrl({
        message: 'Log in.',
        url: 'https://bank.example/login',
        until: () => login.at % 7 !== 1,
      });
      if (action !== 'accept') return 'Not logged in.';
      return pay(ctx, transfer, `Pay ${amount} as ${person.content.name}?`);
    }),
    tool('pay-at-once', { inputSchema: PLAIN }, async (_args, ctx) => {
      const places = await Promise.all([
        ctx.elicit({ key: 'from', message: 'From?', form: PLACE }),
        ctx.elicit({ key: 'to', message: 'To?', form: PLACE }),
        ctx.elicit({ message: 'By whom?', form: PERSON }),
      ]);
      return pay(ctx, transfer, `Move ${places.map(({ action }) => action).join()}?`);
    }),
    tool('pay-by-key', { inputSchema: PLAIN }, async (_args, ctx) => {
      for (const key of ['constructor', 'toString', 'hasOwnProperty']) {
        await ctx.elicit({ key, message: `What about ${key}?`, form: form({}) });
      }
      return pay(ctx, transfer, 'Pay by key?');
    }),
    tool('pay-twin', {}, (_args, ctx) => pay(ctx, transfer, 'Pay as either?')),
    tool('ask-client', {}, async (_args, ctx) => {
      const [message, roots] = await Promise.all([
        ctx.sample({ messages: [{ role: 'user', content: { type: 'text', text: 'Hi' } }], maxTokens: 9 }),
        ctx.listRoots(),
      ]);
      return `${message.model} ${roots.length}`;
    }),
    tool('ask-up-front', {}, async (_args, ctx) => {
      const answer = await ctx.elicit({ key: 'colour', message: 'Which?', form: PLACE, upFront: !singleUse });
      return answer.action === 'accept' ? answer.content.city : 'none';
    }),
    tool('ask-swallowed', {}, async (_args, ctx) => {
      try {
        return String(await ctx.confirm('Sure?'));
      } catch {
        return 'swallowed';
      }
    }),
    tool('ask-needing-url', { requires: ['elicitation.url'] }, (_args, ctx) => String(ctx.round)),
    tool('headers', { inputSchema: HEADERS }, (_args, ctx) => ctx.flowId),
    tool('structured', { inputSchema: PLAIN, outputSchema: PLAIN }, () => ({
      content: [],
      structuredContent: { n: 1 },
    })),
    tool('stream', {}, async (_args, ctx) => {
      ctx.progress(1, 2);
      ctx.log('info', { from: 'stream' });
      const sure = await ctx.confirm('Sure?');
      ctx.log('error', { sure });
      return String(sure);
    }),
    tool('slow', {}, async (_args, { signal }) => {
      await new Promise((resolve) => setTimeout(resolve, 20));
      return String(signal.aborted);
    }),
    tool('tells', {}, () => {
      throw new ToolError('There is no such order.');
    }),
    tool('throws', {}, () => {
      throw new Error(HANDLER);
    }),
    tool('throws-late', {}, async (_args, ctx) => {
      await ctx.confirm('Then what?');
      throw new Error(HANDLER);
    }),
    tool('fault-junk', {}, () => ({ content: 7, _meta: { secret: RESULT } }) as never),
    tool('fault-cycle', {}, () => {
      const cycle: Record<string, unknown> = { secret: RESULT };
      cycle['self'] = cycle;
      return { content: [], structuredContent: cycle };
    }),
    tool('fault-output', { outputSchema: PLAIN }, () => ({ content: [], structuredContent: { n: RESULT } })),
    tool('fault-keys', {}, async (_args, ctx) => {
      await Promise.all([ctx.confirm('One?', { key: 'twice' }), ctx.confirm('Two?', { key: 'twice' })]);
      return RESULT;
    }),
  ];
  const prompts = [
    prompt('pay', { argsSchema: z.object({ topic: z.string().optional() }) }, (_args, ctx) =>
      pay(ctx, transfer, 'Pay by prompt?'),
    ),
    prompt('pay-twin', {}, (_args, ctx) => pay(ctx, transfer, 'Pay as either?')),
    prompt('pay größe', {}, (_args, ctx) => pay(ctx, transfer, 'Größe?')),
    prompt('plain', {}, () => 'Just do it.'),
    prompt('fault-prompt', {}, () => {
      throw new Error(HANDLER);
    }),
  ];
  const resources = [
    resource('plain', 'fuzz://plain', { ttlMs: 1000, cacheScope: 'public' }, () => 'plain'),
    resource('fault', 'fuzz://fault', {}, () => {
      throw new Error(HANDLER);
    }),
    resourceTemplate('pay', 'fuzz://pay/{id}', {}, (_uri, { id }, ctx) => pay(ctx, transfer, `Pay ${String(id)}?`)),
    resourceTemplate(
      'item',
      'fuzz://item/{id}{?page}',
      { list: () => [{ uri: 'fuzz://item/1', name: 'one' }], complete: { id: (start) => [`${start}1`] } },
      (_uri, { id }) => `item ${String(id)}`,
    ),
  ];
  return { tools, prompts, resources };
}
