import { completable } from '@modelcontextprotocol/server';
import { field, form, prompt, type PromptDefinition } from 'express-mrtr';
import { z } from 'zod';
import { PNG } from './media.js';

const WORDS = ['paris', 'park', 'party', 'testValue1'];

const simple = prompt(
  'test_simple_prompt',
  { description: 'One message' },
  () => 'This is a simple prompt for testing.',
);

const withArguments = prompt(
  'test_prompt_with_arguments',
  {
    description: 'Two arguments, the first with suggestions',
    argsSchema: z.object({
      arg1: completable(z.string(), (typed) => WORDS.filter((word) => word.startsWith(typed))),
      arg2: z.string(),
    }),
  },
  ({ arg1, arg2 }) => `Prompt with arguments: arg1='${arg1}', arg2='${arg2}'`,
);

const withResource = prompt(
  'test_prompt_with_embedded_resource',
  { description: 'Embeds a resource', argsSchema: z.object({ resourceUri: z.string() }) },
  ({ resourceUri }) => ({
    messages: [
      {
        role: 'user',
        content: {
          type: 'resource',
          resource: { uri: resourceUri, mimeType: 'text/plain', text: 'Embedded resource content for testing.' },
        },
      },
      { role: 'user', content: { type: 'text', text: 'Please process the embedded resource above.' } },
    ],
  }),
);

const withImage = prompt('test_prompt_with_image', { description: 'Shows an image' }, () => ({
  messages: [
    { role: 'user', content: { type: 'image', ...PNG } },
    { role: 'user', content: { type: 'text', text: 'Please analyze the image above.' } },
  ],
}));

const CONTEXT = form({ context: field.string() });

const asking = prompt(
  'test_input_required_result_prompt',
  { description: 'Asks for a context' },
  async (_args, ctx) => {
    const answer = await ctx.elicit({
      key: 'user_context',
      message: 'What context should the prompt use?',
      form: CONTEXT,
    });
    return answer.action === 'accept' ? `Use this context: ${answer.content.context}` : 'Use no context.';
  },
);

export const prompts: readonly PromptDefinition[] = [simple, withArguments, withResource, withImage, asking];
