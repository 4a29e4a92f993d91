import { resource, resourceTemplate, type ResourceDefinition } from 'express-mrtr';
import { PNG } from './media.js';

const text = resource(
  'static-text',
  'test://static-text',
  { description: 'A text that never changes', mimeType: 'text/plain', ttlMs: 60_000, cacheScope: 'public' },
  () => 'This is the content of the static text resource.',
);

const binary = resource(
  'static-binary',
  'test://static-binary',
  { description: 'An image that never changes', mimeType: PNG.mimeType },
  ({ href }) => ({ contents: [{ uri: href, mimeType: PNG.mimeType, blob: PNG.data }] }),
);

const template = resourceTemplate(
  'template-data',
  'test://template/{id}/data',
  { description: 'Data by number', mimeType: 'application/json' },
  (_uri, { id }) => JSON.stringify({ id, templateTest: true, data: `Data for ID: ${String(id)}` }),
);

export const resources: readonly ResourceDefinition[] = [text, binary, template];
