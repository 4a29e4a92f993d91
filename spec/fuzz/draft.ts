import type { Random } from './random.js';
import type { Corpus } from './corpus.js';
import type { Header, Mount } from './input.js';

/** A request while it is being mutated. */
export interface Draft {
  readonly mount: Mount;
  readonly random: Random;
  readonly corpus: Corpus;
  method: string;
  path: string;
  protocol: string;
  headers: Header[];
  document: unknown;
  /** JSON texts that no JavaScript value can stand for; the document holds placeholders of them. */
  readonly texts: string[];
  /** The body, once the document has been written. */
  body: Buffer;
  /** The header lines that say where the body ends; `undefined` for those that are right. */
  framing: readonly string[] | undefined;
  http: 'sound' | 'odd' | 'gone';
  astray: boolean;
  cut: number | undefined;
}

/** Changes a draft in one way and says how; `undefined` when it found nothing to change. */
export type Mutator = (draft: Draft) => string | undefined;

/** Stands for a JSON text until the document is written. */
export function placeholder(draft: Draft, text: string): string {
  return `@@${draft.texts.push(text) - 1}@@`;
}

export function write({ document, texts }: Draft): string {
  // What has no JSON text has a request without a body.
  const text = JSON.stringify(document) as string | undefined;
  return (text ?? '').replaceAll(/"@@(\d+)@@"/g, (_match, index: string) => texts[Number(index)] ?? '');
}

export function setHeader(draft: Draft, name: string, value: string): void {
  const header = draft.headers.find(([other]) => other === name);
  if (header === undefined) draft.headers.push([name, value]);
  else header[1] = value;
}
