import { setTimeout as delay } from 'node:timers/promises';
import { tool, ToolError, type ToolDefinition } from 'express-mrtr';
import { PNG, WAV } from './media.js';

/** The suite calls the first tool of the list without arguments, and expects it to complete. */
const simpleText = tool(
  'test_simple_text',
  { description: 'Returns one block of text' },
  () => 'This is a simple text response for testing.',
);

const image = tool('test_image_content', { description: 'Returns an image' }, () => ({
  content: [{ type: 'image', ...PNG }],
}));

const audio = tool('test_audio_content', { description: 'Returns a sound' }, () => ({
  content: [{ type: 'audio', ...WAV }],
}));

const embeddedResource = tool('test_embedded_resource', { description: 'Returns a resource' }, () => ({
  content: [
    {
      type: 'resource',
      resource: {
        uri: 'test://embedded-resource',
        mimeType: 'text/plain',
        text: 'This is an embedded resource content.',
      },
    },
  ],
}));

const mixedContent = tool('test_multiple_content_types', { description: 'Returns blocks of several types' }, () => ({
  content: [
    { type: 'text', text: 'Multiple content types test:' },
    { type: 'image', ...PNG },
    {
      type: 'resource',
      resource: {
        uri: 'test://mixed-content-resource',
        mimeType: 'application/json',
        text: JSON.stringify({ test: 'data', value: 123 }),
      },
    },
  ],
}));

const failing = tool('test_error_handling', { description: 'Always fails' }, () => {
  throw new ToolError('This tool intentionally returns an error for testing');
});

const progressing = tool('test_tool_with_progress', { description: 'Reports progress' }, async (_args, ctx) => {
  ctx.progress(0, 100);
  await delay(50);
  ctx.progress(50, 100);
  await delay(50);
  ctx.progress(100, 100);
  return 'Done after three reports.';
});

const logging = tool('test_logging_tool', { description: 'Sends a log message' }, (_args, ctx) => {
  ctx.log('info', 'Tool execution started');
  return 'Done after one log message.';
});

const jsonSchema = tool(
  'json_schema_2020_12_tool',
  {
    description: 'Lists a schema with much of the vocabulary of JSON Schema 2020-12',
    inputSchema: {
      $schema: 'https://json-schema.org/draft/2020-12/schema',
      type: 'object',
      $defs: {
        address: {
          $anchor: 'addressDef',
          type: 'object',
          properties: { street: { type: 'string' }, city: { type: 'string' } },
        },
      },
      properties: {
        name: { type: 'string' },
        address: { $ref: '#/$defs/address' },
        contactMethod: { type: 'string', enum: ['phone', 'email'] },
        phone: { type: 'string' },
        email: { type: 'string' },
      },
      allOf: [{ anyOf: [{ required: ['phone'] }, { required: ['email'] }] }],
      if: { properties: { contactMethod: { const: 'phone' } }, required: ['contactMethod'] },
      then: { required: ['phone'] },
      else: { required: ['email'] },
      additionalProperties: false,
    },
  },
  () => 'The contact is valid.',
);

const headerParameter = tool(
  'test_header_parameter',
  {
    description: 'Takes a parameter that clients repeat in a header',
    inputSchema: {
      type: 'object',
      properties: { region: { type: 'string', 'x-mcp-header': 'Region' } },
      required: ['region'],
    },
  },
  ({ region }) => `The region is ${String(region)}.`,
);

/** Tools that need no input. */
export const tools: readonly ToolDefinition[] = [
  simpleText,
  image,
  audio,
  embeddedResource,
  mixedContent,
  failing,
  progressing,
  logging,
  jsonSchema,
  headerParameter,
];
