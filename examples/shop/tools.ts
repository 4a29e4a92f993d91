import { field, form, tool, ToolError, type Context, type ToolDefinition } from 'express-mrtr';
import * as z from 'zod';
import type { Orders } from './orders.js';

const PRICES = { bell: 12, lamp: 25, saddle: 80 } as const;
const DELIVERY = { standard: 4, express: 9 } as const;

const reasonForm = form({ reason: field.string({ maxLength: 200 }), full: field.boolean({ default: true }) });
const addressForm = form({
  street: field.string({ maxLength: 100 }),
  city: field.string({ maxLength: 60 }),
});
const deliveryForm = form({
  speed: field.choice([
    { value: 'standard', title: 'Three days (4 €)' },
    { value: 'express', title: 'Tomorrow (9 €)' },
  ]),
});

/** The user of a request: this server lets nobody in without one. */
export function customerOf(ctx: Context): string {
  if (ctx.principal === null) throw new Error('The shop is mounted without authentication.');
  return ctx.principal.subject;
}

/** One question: whether to refund, and why. */
export function refundTool(orders: Orders): ToolDefinition {
  return tool(
    'refund',
    { description: 'Refund an order', inputSchema: z.object({ orderId: z.string() }) },
    async ({ orderId }, ctx) => {
      const order = await orders.find(customerOf(ctx), orderId);
      if (order === undefined) throw new ToolError('The customer has no order of this number.');
      const answer = await ctx.elicit({
        key: 'confirm',
        message: `Refund ${order.item}, ${order.total} €, to ${order.customer}?`,
        form: reasonForm,
      });
      if (answer.action !== 'accept') return 'Nothing was refunded.';
      const amount = answer.content.full ? order.total : order.total / 2;
      const refunded = await orders.refund(orderId, amount);
      return refunded ? `Refunded ${amount} € of ${orderId}.` : `${orderId} was refunded before.`;
    },
  );
}

/** Three questions: two forms in one round, then a confirmation that depends on both. */
export function checkoutTool(orders: Orders): ToolDefinition {
  return tool(
    'checkout',
    {
      description: 'Order an item for the customer',
      inputSchema: z.object({ item: z.enum(['bell', 'lamp', 'saddle']) }),
      requires: ['elicitation.form'],
    },
    async ({ item }, ctx) => {
      // #region several
      const [address, delivery] = await Promise.all([
        ctx.elicit({ key: 'address', message: 'Where should it go?', form: addressForm }),
        ctx.elicit({ key: 'delivery', message: 'How fast should it be there?', form: deliveryForm }),
      ]);
      if (address.action !== 'accept' || delivery.action !== 'accept') return 'Nothing was ordered.';
      // #endregion
      const { street, city } = address.content;
      const total = PRICES[item] + DELIVERY[delivery.content.speed];
      const sure = await ctx.confirm(`Order a ${item} for ${total} €, to ${street}, ${city}?`, { key: 'order' });
      if (!sure) return 'Nothing was ordered.';
      const order = await orders.place(customerOf(ctx), `a ${item}`, total, ctx.idempotencyKey('order'));
      return `Ordered ${order.item} as ${order.id} for ${total} €.`;
    },
  );
}
