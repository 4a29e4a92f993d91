import { isObject, memberOf } from './input.js';

/** Answers as a well-behaved client would give them, to the `inputRequests` of a reply. */
export function answersTo(requests: Readonly<Record<string, unknown>>): Record<string, unknown> {
  return Object.fromEntries(Object.entries(requests).map(([key, request]) => [key, answerTo(request)]));
}

function answerTo(request: unknown): unknown {
  switch (memberOf(request, 'method')) {
    case 'sampling/createMessage':
      return { role: 'assistant', content: { type: 'text', text: 'Hello.' }, model: 'fuzz-1', stopReason: 'endTurn' };
    case 'roots/list':
      return { roots: [{ uri: 'file:///work', name: 'work' }] };
    default: {
      const properties = memberOf(request, 'params', 'requestedSchema', 'properties');
      if (!isObject(properties)) return { action: 'accept' };
      const content = Object.entries(properties).map(([name, schema]) => [name, valueFor(schema)]);
      return { action: 'accept', content: Object.fromEntries(content) as unknown };
    }
  }
}

function valueFor(schema: unknown): unknown {
  const choices = memberOf(schema, 'enum');
  if (Array.isArray(choices)) return choices[0];
  switch (memberOf(schema, 'type')) {
    case 'boolean':
      return true;
    case 'integer':
    case 'number':
      return 30;
    case 'array':
      return ['red'];
    default:
      return FORMATS[String(memberOf(schema, 'format'))] ?? 'Zürich';
  }
}

const FORMATS: Readonly<Record<string, string>> = { email: 'ann@example.com', date: '2026-02-28' };
