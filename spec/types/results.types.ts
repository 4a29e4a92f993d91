/* eslint-disable @typescript-eslint/no-unnecessary-type-parameters, @typescript-eslint/no-meaningless-void-operator, @typescript-eslint/switch-exhaustiveness-check, @typescript-eslint/no-unused-vars -- a type test says what nobody would write */
/** What must compile, and with `@ts-expect-error` what must not. `tsc --noEmit` is the test. */
import { z } from 'zod';
import {
  field,
  form,
  mrtr,
  prompt,
  resource,
  resourceTemplate,
  tool,
  type ElicitResult,
  type MrtrOptions,
} from 'express-mrtr';

type Equal<A, B> = (<T>() => T extends A ? 1 : 2) extends <T>() => T extends B ? 1 : 2 ? true : false;
const same = <A, B>(_equal: Equal<A, B>): void => undefined;

const confirm = form({ confirm: field.boolean(), size: field.choice(['S', 'M']) });

export const asking = tool('asking', { inputSchema: z.object({ amount: z.number() }) }, async (args, ctx) => {
  same<typeof args, { amount: number }>(true);
  const answer = await ctx.elicit({ message: 'Sure?', form: confirm });
  // @ts-expect-error content exists only after a check of action
  void answer.content;
  if (answer.action === 'accept') {
    same<typeof answer.content.confirm, boolean>(true);
    same<typeof answer.content.size, 'S' | 'M'>(true);
    // @ts-expect-error no such field
    void answer.content.colour;
  }
  const link = await ctx.elicitUrl({ message: 'Pay', url: 'https://pay.example' });
  // @ts-expect-error a link has no content
  void link.content;
  const schema = await ctx.elicit({
    message: 'When?',
    form: z.object({ day: z.iso.date().transform((day) => new Date(day)) }),
  });
  if (schema.action === 'accept') same<typeof schema.content.day, Date>(true);
  same<Awaited<ReturnType<typeof ctx.confirm>>, boolean>(true);
  // @ts-expect-error a question needs a message
  void ctx.elicit({ form: confirm }).catch(() => undefined);
  // @ts-expect-error there is no such capability
  void ctx.client.supports('elicitation.fax');
  return 'done';
});

/** A switch over an answer that forgets one action does not compile. */
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

// @ts-expect-error cancel is missing, so not every path returns
export function forgetful(answer: ElicitResult<{ n: number }>): number {
  switch (answer.action) {
    case 'accept':
      return answer.content.n;
    case 'decline':
      return 0;
  }
}

export const plain = tool('plain', { inputSchema: { type: 'object' } }, (args) => {
  same<typeof args, Record<string, unknown>>(true);
  return { content: [], structuredContent: { n: 1 } };
});
export const letter = prompt('letter', { argsSchema: z.object({ to: z.string() }) }, ({ to }) => `Dear ${to}`);
export const fixed = resource('fixed', 'shop://fixed', { mimeType: 'text/plain' }, (uri) => uri.href);
export const order = resourceTemplate('order', 'shop://orders/{id}', {}, (_uri, { id }) => String(id));

// @ts-expect-error a tool has no argsSchema
tool('wrong', { argsSchema: z.object({}) }, () => 'x');
// @ts-expect-error a handler returns a result or a string
tool('wrong', {}, () => 7);
// @ts-expect-error a prompt returns messages
prompt('wrong', {}, () => ({ content: [] }));

const server = { name: 'shop', version: '1.0.0' };
export const options: MrtrOptions = { server, tools: [asking, plain], prompts: [letter], resources: [fixed, order] };

// @ts-expect-error server is required
mrtr({});
// @ts-expect-error no such option
mrtr({ server, ttl: 5 });
// @ts-expect-error seconds are a number
mrtr({ server, ttlSeconds: '5m' });
// @ts-expect-error a prompt is no tool
mrtr({ server, tools: [letter] });
// @ts-expect-error a principal has a subject
mrtr({ server, principal: () => ({ issuer: 'x' }) });
mrtr({ server, principal: (req) => req.get('x-user') ?? null });
// @ts-expect-error onLedgerMismatch knows two values
mrtr({ server, onLedgerMismatch: 'ignore' });
