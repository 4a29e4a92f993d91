import type { Icon } from './wire.js';

/** What handlers return: blocks of content, and the results of the three methods that are made of them. */

export interface Annotations {
  audience?: ('user' | 'assistant')[];
  priority?: number;
  lastModified?: string;
}

interface ContentBase {
  annotations?: Annotations;
  _meta?: Record<string, unknown>;
}
export interface TextContent extends ContentBase {
  type: 'text';
  text: string;
}
export interface ImageContent extends ContentBase {
  type: 'image';
  data: string;
  mimeType: string;
}
export interface AudioContent extends ContentBase {
  type: 'audio';
  data: string;
  mimeType: string;
}
export interface ResourceLink extends ContentBase {
  type: 'resource_link';
  uri: string;
  name: string;
  title?: string;
  description?: string;
  mimeType?: string;
  size?: number;
  icons?: Icon[];
}
export interface TextResourceContents {
  uri: string;
  mimeType?: string;
  text: string;
  _meta?: Record<string, unknown>;
}
export interface BlobResourceContents {
  uri: string;
  mimeType?: string;
  blob: string;
  _meta?: Record<string, unknown>;
}
export interface EmbeddedResource extends ContentBase {
  type: 'resource';
  resource: TextResourceContents | BlobResourceContents;
}
export type ContentBlock = TextContent | ImageContent | AudioContent | ResourceLink | EmbeddedResource;

/** What a tool's handler returns beside a string: `content`, `structuredContent`, or both. */
export interface ToolResult {
  /** Left out, it is made of `structuredContent`: its JSON as one block of text. */
  content?: ContentBlock[];
  structuredContent?: unknown;
  isError?: boolean;
  _meta?: Record<string, unknown>;
}

/** Result of `tools/call`. */
export interface CallToolResult extends ToolResult {
  content: ContentBlock[];
}

export interface PromptMessage {
  role: 'user' | 'assistant';
  content: ContentBlock;
}

/** Result of `prompts/get`. */
export interface GetPromptResult {
  description?: string;
  messages: PromptMessage[];
  _meta?: Record<string, unknown>;
}

/** Result of `resources/read`. `ttlMs` (milliseconds) and `cacheScope` override the definition's. */
export interface ReadResourceResult {
  contents: (TextResourceContents | BlobResourceContents)[];
  ttlMs?: number;
  cacheScope?: 'public' | 'private';
  _meta?: Record<string, unknown>;
}
