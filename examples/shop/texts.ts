import {
  field,
  form,
  prompt,
  ResourceNotFoundError,
  resourceTemplate,
  type PromptDefinition,
  type ResourceDefinition,
} from 'express-mrtr';
import * as z from 'zod';
import type { Orders } from './orders.js';
import { customerOf } from './tools.js';

const toneForm = form({ tone: field.choice(['friendly', 'firm']) });
const billForm = form({ company: field.string({ title: 'Company', maxLength: 80, optional: true }) });

/** A prompt that asks. */
export function complaintPrompt(): PromptDefinition {
  return prompt(
    'complaint',
    { description: 'A letter about an order', argsSchema: z.object({ orderId: z.string() }) },
    async ({ orderId }, ctx) => {
      const answer = await ctx.elicit({ message: 'What tone should the letter have?', form: toneForm });
      const tone = answer.action === 'accept' ? answer.content.tone : 'friendly';
      return `Write a ${tone} letter to the shop about order ${orderId}.`;
    },
  );
}

/** A resource that asks. */
export function invoiceResource(orders: Orders): ResourceDefinition {
  return resourceTemplate(
    'invoice',
    'shop://invoices/{orderId}',
    { description: 'The invoice of an order', mimeType: 'text/plain' },
    async (uri, { orderId }, ctx) => {
      const customer = customerOf(ctx);
      const order = await orders.find(customer, String(orderId));
      if (order === undefined) throw new ResourceNotFoundError(uri.href);
      const answer = await ctx.elicit({ message: 'Who should the invoice be made out to?', form: billForm });
      const company = answer.action === 'accept' ? answer.content.company : undefined;
      return `Invoice for ${company ?? customer}: ${order.item}, ${order.total} €`;
    },
  );
}
