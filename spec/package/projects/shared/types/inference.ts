import { field, form, mrtr, resourceTemplate, tool, type ElicitResult, type MrtrOptions } from 'express-mrtr';
import { accept, testClient } from 'express-mrtr/testing';
import * as z from 'zod';

type Equal<A, B> = (<T>() => T extends A ? 1 : 2) extends <T>() => T extends B ? 1 : 2 ? true : false;
const same = <A, B>(_equal: Equal<A, B>): void => undefined;

const delivery = form({
  street: field.string({ maxLength: 80 }),
  speed: field.choice(['slow', 'fast']),
  note: field.string({ optional: true }),
});
const stay = z.object({ nights: z.int().default(1), pets: z.boolean().optional() });

export const order = tool(
  'order',
  { inputSchema: z.object({ id: z.string(), n: z.number().optional() }) },
  async (args, ctx) => {
    same<typeof args.id, string>(true);
    same<typeof args.n, number | undefined>(true);
    const loaded = await ctx.step('load', async () => ({ total: 7 }));
    same<typeof loaded, { total: number }>(true);
    const nothing = await ctx.step('mark', () => undefined);
    same<typeof nothing, undefined>(true);
    const where = await ctx.elicit({ message: 'Where to?', form: delivery });
    // @ts-expect-error content exists only after a check of action
    void where.content;
    if (where.action !== 'accept') return 'Nothing was ordered.';
    same<typeof where.content.street, string>(true);
    same<typeof where.content.speed, 'slow' | 'fast'>(true);
    same<typeof where.content.note, string | undefined>(true);
    const answer = await ctx.elicit({ message: 'How long?', form: stay });
    if (answer.action === 'accept') {
      same<typeof answer.content.nights, number>(true);
      same<typeof answer.content.pets, boolean | undefined>(true);
    }
    const paid = await ctx.elicitUrl({
      message: 'Pay',
      url: 'https://pay.example',
      until: () => Promise.resolve(true),
    });
    same<typeof paid.action, 'accept' | 'decline' | 'cancel'>(true);
    // @ts-expect-error until says yes or no
    void ctx.elicitUrl({ message: 'Pay', url: 'https://pay.example', until: () => 'yes' }).catch(() => undefined);
    // @ts-expect-error a step needs a function
    void ctx.step('load', 7).catch(() => undefined);
    same<ReturnType<typeof ctx.idempotencyKey>, string>(true);
    return { structuredContent: { id: args.id } };
  },
);

/** C126: a switch that forgets one action does not compile under `noImplicitReturns` and an annotated result. */
export function exhaustive(answer: ElicitResult<{ n: number }>): number {
  switch (answer.action) {
    case 'accept':
      return answer.content.n;
    case 'decline':
      return 0;
    case 'cancel':
      return -1;
  }
}
export function forgetful(answer: ElicitResult<{ n: number }>): number {
  switch (answer.action) {
    case 'accept':
      return answer.content.n;
    case 'decline':
      return 0;
    default: {
      // @ts-expect-error C126 cancel was forgotten
      const never: never = answer;
      return never;
    }
  }
}

export const untyped = tool('untyped', { inputSchema: { type: 'object' } }, (args) => {
  same<typeof args, Record<string, unknown>>(true);
  return 'done';
});
export const bare = tool('bare', {}, () => 'done');
export const orders = resourceTemplate(
  'orders',
  'shop://orders/{id}',
  {},
  (uri, { id }) => `${uri.href} ${String(id)}`,
);

// @ts-expect-error a result is content or structured content
tool('wrong', {}, () => ({ text: 'done' }));
tool('wrong', {}, () => ({
  // @ts-expect-error there is no such block
  content: [{ type: 'txt', text: 'done' }],
}));
tool(
  'wrong',
  {
    // @ts-expect-error there is no such option
    inputShema: {},
  },
  () => 'done',
);
tool(
  'wrong',
  {
    // @ts-expect-error there is no such capability
    requires: ['elicitation.fax'],
  },
  () => 'done',
);

const server = { name: 'shop', version: '1.0.0' };
// @ts-expect-error server is required
mrtr({});
mrtr({
  server,
  // @ts-expect-error there is no such option
  maxRound: 3,
});
mrtr({
  server,
  // @ts-expect-error a number of seconds
  ttlSeconds: '5m',
});
mrtr({
  server,
  // @ts-expect-error made by tool()
  tools: [orders],
});
export const options: MrtrOptions = {
  server,
  tools: [order, untyped, bare],
  resources: [orders],
  checkDeterminism: true,
};

export async function tested(): Promise<string | undefined> {
  const client = testClient(mrtr(options), { user: { id: 1 } });
  const { text } = await client.callTool('order', { id: 'A' }, { answers: { 'elicit-1': accept({ street: 'Here' }) } });
  return text;
}
