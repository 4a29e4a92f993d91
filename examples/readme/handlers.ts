import { field, form, prompt, tool, ToolError, type PromptDefinition, type ToolDefinition } from 'express-mrtr';
import * as z from 'zod';

/** What the handlers below work with. */
export interface Files {
  count(folder: string): Promise<number>;
  delete(folder: string, signal?: AbortSignal): Promise<void>;
  report(done: number): void;
}

/** An order, and who pays it back. */
export interface Shop {
  load(orderId: string): Promise<{ total: number; customer: string }>;
  reserve(item: string): Promise<string>;
  refund(orderId: string, options: { idempotencyKey: string }): Promise<void>;
  isPaid(orderId: string): Promise<boolean>;
}

export class LockedError extends Error {}

const FOLDER = z.object({ folder: z.string() });

export function rule(files: Files): ToolDefinition {
  // #region rule
  const clean = tool('clean', { inputSchema: FOLDER }, async ({ folder }, ctx) => {
    const count = await files.count(folder); // runs in both rounds
    const sure = await ctx.confirm(`Delete ${count} files?`);
    if (!sure) return 'Nothing was deleted.';
    await files.delete(folder); // runs once, after the answer
    return `Deleted ${count} files.`;
  });
  // #endregion
  return clean;
}

export function steps(shop: Shop): ToolDefinition {
  // #region steps
  const refund = tool('refund', { inputSchema: z.object({ orderId: z.string() }) }, async ({ orderId }, ctx) => {
    const order = await ctx.step('load', () => shop.load(orderId)); // runs in the first round only
    if (!(await ctx.confirm(`Refund ${order.total} to ${order.customer}?`))) return 'Nothing was refunded.';
    await shop.refund(orderId, { idempotencyKey: ctx.idempotencyKey('refund') }); // the same key in every round
    return `Refunded ${orderId}.`;
  });
  // #endregion
  return refund;
}

export function branches(shop: Shop): ToolDefinition {
  // #region branches
  const basket = tool('basket', { inputSchema: z.object({ items: z.array(z.string()) }) }, async ({ items }, ctx) => {
    const reserved = await Promise.all(
      items.map(async (item) => {
        const place = await ctx.step(`reserve ${item}`, () => shop.reserve(item)); // a name for each branch
        const gift = await ctx.confirm(`Wrap ${item} (${place}) as a gift?`, { key: `gift ${item}` });
        return gift ? `${item}, wrapped` : item;
      }),
    );
    return reserved.join('; ');
  });
  // #endregion
  return basket;
}

export function link(shop: Shop): ToolDefinition {
  // #region link
  const pay = tool('pay', { inputSchema: z.object({ orderId: z.string() }) }, async ({ orderId }, ctx) => {
    const { action } = await ctx.elicitUrl({
      message: `Pay for ${orderId}.`,
      url: `https://pay.example/orders/${encodeURIComponent(orderId)}`,
      until: () => shop.isPaid(orderId), // your own records, not what the client says
    });
    return action === 'accept' ? `${orderId} is paid.` : `${orderId} waits for its payment.`;
  });
  // #endregion
  return pay;
}

export function decline(files: Files): ToolDefinition {
  // #region decline
  const wipe = tool('wipe', { inputSchema: FOLDER }, async ({ folder }, ctx) => {
    const answer = await ctx.elicit({
      message: `Wipe ${folder}?`,
      form: form({ sure: field.boolean({ title: 'I have a backup' }) }),
    });
    switch (answer.action) {
      case 'accept':
        if (!answer.content.sure) return 'Make a backup first.';
        await files.delete(folder);
        return 'Wiped.';
      case 'decline':
        return 'The user said no.';
      case 'cancel':
        return 'The user closed the form; it may be asked again later.';
    }
  });
  // #endregion
  return wipe;
}

export function loop(): ToolDefinition {
  // #region loop
  const tag = tool('tag', {}, async (_args, ctx) => {
    const tags: string[] = [];
    for (let n = 1; n <= 3; n += 1) {
      const answer = await ctx.elicit({
        key: `tag-${n}`,
        message: `Tag number ${n}?`,
        form: form({ tag: field.string({ maxLength: 30 }) }),
      });
      if (answer.action !== 'accept') break;
      tags.push(answer.content.tag);
    }
    return `Tagged: ${tags.join(', ')}.`;
  });
  // #endregion
  return tag;
}

export function schema(): ToolDefinition {
  // #region schema
  const booking = z
    .object({ from: z.iso.date(), to: z.iso.date(), guests: z.int().min(1).max(6).default(2) })
    .refine(({ from, to }) => from < to, { path: ['to'], error: 'must be after the day of arrival' });

  const book = tool('book', {}, async (_args, ctx) => {
    const answer = await ctx.elicit({ message: 'When do you want to come?', form: booking });
    if (answer.action !== 'accept') return 'Nothing was booked.';
    const { from, to, guests } = answer.content;
    return `Booked for ${guests}, from ${from} to ${to}.`;
  });
  // #endregion
  return book;
}

export function catching(files: Files): ToolDefinition {
  // #region catch
  const purge = tool('purge', { inputSchema: FOLDER }, async ({ folder }, ctx) => {
    try {
      if (!(await ctx.confirm(`Purge ${folder}?`))) return 'Nothing was purged.';
      await files.delete(folder);
    } catch (error) {
      if (!(error instanceof LockedError)) throw error; // an open question passes here
      return `${folder} is in use.`;
    }
    return 'Purged.';
  });
  // #endregion
  return purge;
}

export function upFront(files: Files): ToolDefinition {
  // #region upfront
  const drop = tool('drop', { inputSchema: FOLDER }, async ({ folder }, ctx) => {
    if (!(await ctx.confirm(`Drop ${folder}?`, { key: 'sure', upFront: true }))) return 'Nothing was dropped.';
    await files.delete(folder);
    return 'Dropped.';
  });
  // #endregion
  return drop;
}

export function requiring(): PromptDefinition {
  // #region requires
  const letter = prompt('letter', { requires: ['elicitation.form'] }, async (_args, ctx) => {
    const answer = await ctx.elicit({ message: 'Who is it for?', form: form({ name: field.string() }) });
    return answer.action === 'accept' ? `Write to ${answer.content.name}.` : 'Write to whom it may concern.';
  });
  // #endregion
  return letter;
}

export function supporting(files: Files): ToolDefinition {
  // #region supports
  const tidy = tool('tidy', { inputSchema: FOLDER }, async ({ folder }, ctx) => {
    if (!ctx.client.supports('elicitation.form')) return 'This client cannot ask; pass the folder to "drop" instead.';
    if (!(await ctx.confirm(`Tidy ${folder}?`))) return 'Nothing was tidied.';
    await files.delete(folder, ctx.signal);
    return 'Tidied.';
  });
  // #endregion
  return tidy;
}

export function telling(files: Files): ToolDefinition {
  // #region telling
  const sweep = tool('sweep', { inputSchema: FOLDER }, async ({ folder }, { confirm, progress, log, signal }) => {
    if (!(await confirm(`Sweep ${folder}?`))) return 'Nothing was swept.';
    for (let done = 1; done <= 3; done += 1) {
      signal.throwIfAborted();
      files.report(done);
      progress(done, 3, 'sweeping');
    }
    log('info', { swept: folder });
    return 'Swept.';
  });
  // #endregion
  return sweep;
}

export function failing(files: Files): ToolDefinition {
  // #region errors
  const shred = tool('shred', { inputSchema: FOLDER }, async ({ folder }, ctx) => {
    if ((await files.count(folder)) === 0) throw new ToolError('The folder is empty. Ask the user for another one.');
    if (!(await ctx.confirm(`Shred ${folder}?`))) return 'Nothing was shredded.';
    await files.delete(folder); // whatever this throws, the client reads "The tool failed."
    return 'Shredded.';
  });
  // #endregion
  return shred;
}
