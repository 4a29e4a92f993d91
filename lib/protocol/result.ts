import { isObject, type JsonObject } from './wire.js';

/** What a handler may return, brought into the result object of its method; `undefined` for junk. */
export type ResultReader = (value: unknown) => Record<string, unknown> | undefined;

/**
 * `tools/call`: a string is one block of text. A result with `structuredContent` alone also gets its JSON as text, as
 * the specification recommends for older clients.
 */
export const toolResult: ResultReader = (value) => {
  if (typeof value === 'string') return { content: [textBlock(value)] };
  if (!isOwnResult(value)) return undefined;
  if (value['isError'] !== undefined && typeof value['isError'] !== 'boolean') return undefined;
  if (value['content'] === undefined && value['structuredContent'] !== undefined) {
    return { ...value, content: [textBlock(JSON.stringify(value['structuredContent']))] };
  }
  return isContent(value['content']) ? value : undefined;
};

/** `prompts/get`: a string is one message of the user. */
export const promptResult: ResultReader = (value) => {
  if (typeof value === 'string') return { messages: [{ role: 'user', content: textBlock(value) }] };
  if (!isOwnResult(value) || !Array.isArray(value['messages'])) return undefined;
  const messages: unknown[] = value['messages'];
  return messages.every((message) => isObject(message) && isRole(message['role']) && isContent([message['content']]))
    ? value
    : undefined;
};

/** `resources/read`: a string is one text content at the URI that was asked for. */
export function resourceResult(uri: string, mimeType: string | undefined): ResultReader {
  return (value) => {
    if (typeof value === 'string') {
      return { contents: [{ uri, ...(mimeType !== undefined && { mimeType }), text: value }] };
    }
    if (!isOwnResult(value) || !Array.isArray(value['contents'])) return undefined;
    const contents: unknown[] = value['contents'];
    return contents.every(isResourceContents) ? value : undefined;
  };
}

/** A failed tool call, as the model reads it. */
export function toolFailure(text: string): JsonObject {
  return { content: [{ type: 'text', text }], isError: true };
}

/** Whoever asks does so through `ctx`; a hand-built ask, with a state that nobody sealed, never goes out. */
function isOwnResult(value: unknown): value is Record<string, unknown> {
  return (
    isObject(value) &&
    // It would decide what goes out in the place of what was looked at here.
    value['toJSON'] === undefined &&
    value['requestState'] === undefined &&
    value['inputRequests'] === undefined &&
    (value['_meta'] === undefined || isObject(value['_meta'])) &&
    (value['resultType'] === undefined || value['resultType'] === 'complete')
  );
}

function isContent(value: unknown): boolean {
  return Array.isArray(value) && value.every((block) => isObject(block) && typeof block['type'] === 'string');
}

function isRole(value: unknown): boolean {
  return value === 'user' || value === 'assistant';
}

function isResourceContents(value: unknown): boolean {
  if (!isObject(value) || typeof value['uri'] !== 'string') return false;
  return typeof value['text'] === 'string' || typeof value['blob'] === 'string';
}

function textBlock(text: string): JsonObject {
  return { type: 'text', text };
}
