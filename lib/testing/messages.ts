import { isObject, type JsonObject } from '../protocol/wire.js';
import type { HttpReply } from './http-exchange.js';

/** The JSON-RPC messages of a reply: one of a JSON body, or those of an event stream; none of anything else. */
export function messagesOf({ headers, body }: HttpReply): JsonObject[] {
  const type = headers['content-type'] ?? '';
  if (type.startsWith('text/event-stream')) return events(body).flatMap(message);
  return type.startsWith('application/json') ? message(body) : [];
}

/** The data of each event of a stream (HTML, Server-sent events, Interpreting an event stream). */
function events(stream: string): string[] {
  const lines = stream.replaceAll(/\r\n?/g, '\n');
  return lines.split('\n\n').flatMap((event) => {
    const data = event.split('\n').flatMap((line) => /^data:? ?(.*)$/.exec(line)?.[1] ?? []);
    return data.length === 0 ? [] : [data.join('\n')];
  });
}

function message(text: string): JsonObject[] {
  try {
    const value: unknown = JSON.parse(text);
    return isObject(value) && value['jsonrpc'] === '2.0' ? [value as JsonObject] : [];
  } catch {
    return [];
  }
}
