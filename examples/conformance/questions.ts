// The suite asks for sampling and roots, which MCP 2026-07-28 lists as deprecated.
/* eslint-disable @typescript-eslint/no-deprecated */
import { field, form, tool, type Context, type CreateMessageResult, type ToolDefinition } from 'express-mrtr';

const NAME = form({ name: field.string() });
const COLOR = form({ color: field.string() });
const OK = form({ ok: field.boolean() });

function sampleText(ctx: Context, key: string, text: string, maxTokens: number): Promise<CreateMessageResult> {
  return ctx.sample({ key, messages: [{ role: 'user', content: { type: 'text', text } }], maxTokens });
}

/** Some scenarios send the answer along with a first call: `upFront` takes it. */
const elicitation = tool(
  'test_input_required_result_elicitation',
  { description: 'Asks for a name' },
  async (_args, ctx) => {
    const answer = await ctx.elicit({ key: 'user_name', message: 'What is your name?', form: NAME, upFront: true });
    return answer.action === 'accept' ? `Hello, ${answer.content.name}!` : 'Hello!';
  },
);

const sampling = tool('test_input_required_result_sampling', { description: 'Asks the model' }, async (_args, ctx) => {
  const { content } = await sampleText(ctx, 'capital_question', 'What is the capital of France?', 100);
  return `The model says: ${JSON.stringify(content)}`;
});

const roots = tool('test_input_required_result_list_roots', { description: 'Asks for roots' }, async (_args, ctx) => {
  const found = await ctx.listRoots({ key: 'client_roots' });
  return `The roots are: ${found.map(({ uri }) => uri).join(', ')}`;
});

const requestState = tool(
  'test_input_required_result_request_state',
  { description: 'Completes with a state that was sealed here' },
  async (_args, ctx) => {
    await ctx.elicit({ key: 'confirm', message: 'Please confirm', form: OK });
    return 'state-ok';
  },
);

const tamperedState = tool(
  'test_input_required_result_tampered_state',
  { description: 'Refuses a state that was changed on the way' },
  async (_args, ctx) => {
    await ctx.elicit({ key: 'confirm', message: 'Please confirm', form: OK });
    return 'The state was not changed.';
  },
);

const multipleInputs = tool(
  'test_input_required_result_multiple_inputs',
  { description: 'Asks three questions of three kinds in one round' },
  async (_args, ctx) => {
    const [name, greeting, found] = await Promise.all([
      ctx.elicit({ key: 'user_name', message: 'What is your name?', form: NAME }),
      sampleText(ctx, 'greeting', 'Generate a greeting', 50),
      ctx.listRoots({ key: 'client_roots' }),
    ]);
    return `${name.action} ${JSON.stringify(greeting.content)} ${found.length} roots`;
  },
);

const multiRound = tool(
  'test_input_required_result_multi_round',
  { description: 'Asks twice, one round after the other' },
  async (_args, ctx) => {
    const name = await ctx.elicit({ key: 'step1', message: 'Step 1: What is your name?', form: NAME });
    const color = await ctx.elicit({ key: 'step2', message: 'Step 2: What is your favorite color?', form: COLOR });
    if (name.action !== 'accept' || color.action !== 'accept') return 'Not everything was answered.';
    return `${name.content.name} likes ${color.content.color}.`;
  },
);

const capabilities = tool(
  'test_input_required_result_capabilities',
  { description: 'Asks only what the client can answer' },
  async (_args, ctx) => {
    const questions: Promise<unknown>[] = [];
    if (ctx.client.supports('elicitation.form')) {
      questions.push(ctx.elicit({ key: 'user_name', message: 'What is your name?', form: NAME }));
    }
    if (ctx.client.supports('sampling')) questions.push(sampleText(ctx, 'greeting', 'Generate a greeting', 50));
    return `${(await Promise.all(questions)).length} questions were answered.`;
  },
);

const missingCapability = tool(
  'test_missing_capability',
  { description: 'Asks the model, whether or not the client declared that it has one' },
  async (_args, ctx) => {
    await sampleText(ctx, 'capital_question', 'What is the capital of France?', 100);
    return 'The model answered.';
  },
);

const streamingElicitation = tool(
  'test_streaming_elicitation',
  { description: 'Logs, then asks for a name' },
  async (_args, ctx) => {
    ctx.log('info', 'About to ask');
    const answer = await ctx.elicit({ key: 'user_name', message: 'What is your name?', form: NAME });
    return `The answer was: ${answer.action}.`;
  },
);

/** Tools that ask. */
export const questions: readonly ToolDefinition[] = [
  elicitation,
  sampling,
  roots,
  requestState,
  tamperedState,
  multipleInputs,
  multiRound,
  capabilities,
  missingCapability,
  streamingElicitation,
];
