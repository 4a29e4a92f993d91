// The suite asks for sampling, which MCP 2026-07-28 lists as deprecated.
/* eslint-disable @typescript-eslint/no-deprecated */
import { setTimeout as delay } from 'node:timers/promises';
import { field, form, tool, type ElicitResult, type ToolDefinition } from 'express-mrtr';
import { z } from 'zod';

const PERSON = form({
  username: field.string({ description: "User's response" }),
  email: field.string({ description: "User's email address" }),
});

const DEFAULTS = form({
  name: field.string({ default: 'John Doe' }),
  age: field.integer({ default: 30 }),
  score: field.number({ default: 95.5 }),
  status: field.choice(['active', 'inactive', 'pending'], { default: 'active' }),
  verified: field.boolean({ default: true }),
});

const PLAIN = ['option1', 'option2', 'option3'];
const TITLED = [
  { value: 'value1', title: 'First Option' },
  { value: 'value2', title: 'Second Option' },
  { value: 'value3', title: 'Third Option' },
];
const CHOICES = form({
  untitledSingle: field.choice(PLAIN),
  titledSingle: field.choice(TITLED),
  legacyEnum: field.choice([
    { value: 'opt1', title: 'Option One' },
    { value: 'opt2', title: 'Option Two' },
    { value: 'opt3', title: 'Option Three' },
  ]),
  untitledMulti: field.choices(PLAIN),
  titledMulti: field.choices(TITLED),
});

const completed = (answer: ElicitResult<object>): string =>
  `Elicitation completed: action=${answer.action}, content=${JSON.stringify(answer.action === 'accept' ? answer.content : {})}`;

const sampling = tool(
  'test_sampling',
  { description: 'Puts a prompt to the model of the client', inputSchema: z.object({ prompt: z.string() }) },
  async ({ prompt }, ctx) => {
    const messages = [{ role: 'user' as const, content: { type: 'text', text: prompt } }];
    const { content } = await ctx.sample({ messages, maxTokens: 100 });
    return `LLM response: ${JSON.stringify(content)}`;
  },
);

const elicitation = tool(
  'test_elicitation',
  { description: 'Asks for a name and an address', inputSchema: z.object({ message: z.string() }) },
  async ({ message }, ctx) => `User response: ${completed(await ctx.elicit({ message, form: PERSON }))}`,
);

const defaults = tool('test_elicitation_sep1034_defaults', { description: 'Asks with defaults' }, async (_args, ctx) =>
  completed(await ctx.elicit({ message: 'Please look through the defaults', form: DEFAULTS })),
);

const choices = tool('test_elicitation_sep1330_enums', { description: 'Asks for choices' }, async (_args, ctx) =>
  completed(await ctx.elicit({ message: 'Please choose', form: CHOICES })),
);

const logging = tool('test_tool_with_logging', { description: 'Sends three log messages' }, async (_args, ctx) => {
  ctx.log('info', 'Tool execution started');
  await delay(50);
  ctx.log('info', 'Tool processing data');
  await delay(50);
  ctx.log('info', 'Tool execution completed');
  return 'Done after three log messages.';
});

const reconnection = tool('test_reconnection', { description: 'Takes its time on one stream' }, async (_args, ctx) => {
  ctx.log('info', 'About to take its time');
  await delay(100);
  return 'Done on the stream of the call.';
});

/** Tools by the names that the suite gives them under 2025-11-25. */
export const blocking: readonly ToolDefinition[] = [sampling, elicitation, defaults, choices, logging, reconnection];
