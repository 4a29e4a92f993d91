/** The shape that schema libraries share (standardschema.dev), with its JSON Schema extension. */
export interface StandardSchema<Input = unknown, Output = Input> {
  readonly '~standard': {
    readonly version: 1;
    readonly vendor: string;
    readonly validate: (value: unknown) => StandardResult<Output> | Promise<StandardResult<Output>>;
    readonly types?: { readonly input: Input; readonly output: Output } | undefined;
    readonly jsonSchema?: {
      readonly input: (options: { readonly target: 'draft-2020-12' }) => Record<string, unknown>;
      readonly output: (options: { readonly target: 'draft-2020-12' }) => Record<string, unknown>;
    };
  };
}
export type StandardResult<Output> =
  { readonly value: Output; readonly issues?: undefined } | { readonly issues: readonly StandardIssue[] };
export interface StandardIssue {
  readonly message: string;
  readonly path?: readonly (PropertyKey | { readonly key: PropertyKey })[] | undefined;
}

// arktype and valibot end their messages with the value that they found.
const FOUND = / \(was | but received /;
const SHORTEST_ECHO = 4;

/**
 * What a validator says about a value, without the value: messages reach models, logs and people, and some libraries repeat
 * in them what they were given. `undefined` when nothing can be kept of it.
 */
export function messageWithout(value: unknown, message: string): string | undefined {
  const [text = ''] = message.split(FOUND, 1);
  const members = [value];
  const seen = new Set<unknown>();
  // The list grows while it is walked, so that no nesting can exhaust the stack.
  for (const member of members) {
    if (typeof member === 'string' && repeats(text, member)) return undefined;
    if (typeof member !== 'object' || member === null || seen.has(member)) continue;
    seen.add(member);
    for (const inner of Object.values(member)) members.push(inner);
  }
  return text;
}

function repeats(text: string, value: string): boolean {
  if (value.length < SHORTEST_ECHO) return false;
  return text.includes(value) || text.includes(JSON.stringify(value).slice(1, -1));
}

export type InferInput<S extends StandardSchema> = NonNullable<S['~standard']['types']>['input'];
export type InferOutput<S extends StandardSchema> = NonNullable<S['~standard']['types']>['output'];

export function isStandardSchema(value: unknown): value is StandardSchema {
  if (value === null || (typeof value !== 'object' && typeof value !== 'function')) return false;
  const standard = (value as Partial<StandardSchema>)['~standard'];
  return typeof standard === 'object' && typeof standard.validate === 'function';
}
