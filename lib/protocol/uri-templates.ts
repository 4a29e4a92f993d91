import { UriTemplate } from '@modelcontextprotocol/server';
import { MrtrTypeError } from '../errors.js';

const MAX_URI_LENGTH = 8192;

export interface TemplateMatch<V> {
  readonly value: V;
  readonly variables: Record<string, string | string[]>;
}

/** URI templates in the order in which they were given; the first that fits wins. */
export class UriTemplates<V> {
  readonly #templates: readonly (readonly [UriTemplate, V])[];

  constructor(entries: readonly (readonly [template: string, value: V])[]) {
    this.#templates = entries.map(([template, value]) => [parse(template), value]);
  }

  match(uri: string): TemplateMatch<V> | undefined {
    if (uri.length > MAX_URI_LENGTH) return undefined;
    for (const [template, value] of this.#templates) {
      const variables = template.match(uri);
      if (variables !== null) return { value, variables };
    }
    return undefined;
  }
}

function parse(template: string): UriTemplate {
  try {
    return new UriTemplate(template);
  } catch (error) {
    throw new MrtrTypeError(
      'ERR_MRTR_DEFINITION',
      `resourceTemplate: ${JSON.stringify(template)} is no URI template of RFC 6570 (${error instanceof Error ? error.message : String(error)}).`,
    );
  }
}
