import { isObject } from '../protocol/wire.js';

/** The texts of a result of any of the three methods, joined by newlines. */
export function textOf(result: Readonly<Record<string, unknown>> = {}): string {
  const { content, messages, contents } = result;
  const inMessages = list(messages).map((message) => message['content']);
  return [...list(content), ...list(inMessages), ...list(contents)]
    .flatMap(({ text }) => (typeof text === 'string' ? [text] : []))
    .join('\n');
}

function list(value: unknown): Record<string, unknown>[] {
  return Array.isArray(value) ? value.filter(isObject) : [];
}
