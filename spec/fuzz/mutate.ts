import type { Corpus } from './corpus.js';
import { DOCUMENT_MUTATIONS, TEXT_MUTATIONS } from './document-mutations.js';
import { write, type Draft, type Mutator } from './draft.js';
import { BYTE_MUTATIONS, FRAMING_MUTATIONS, HEADER_MUTATIONS } from './http-mutations.js';
import { TAG, type Header, type Input, type Seed } from './input.js';
import { Random } from './random.js';
import { ROUND_MUTATIONS } from './round-mutations.js';
import type { States } from './states.js';

/** What may be mutated, by weight, in the order in which a request is put together. */
const KINDS = [
  'round',
  'round',
  'round',
  'round',
  'document',
  'document',
  'document',
  'text',
  'body',
  'header',
  'header',
  'framing',
] as const;
type Kind = (typeof KINDS)[number];

const MUTATIONS: { readonly [K in Exclude<Kind, 'text'>]: readonly Mutator[] } = {
  round: ROUND_MUTATIONS,
  document: DOCUMENT_MUTATIONS,
  body: BYTE_MUTATIONS,
  header: HEADER_MUTATIONS,
  framing: FRAMING_MUTATIONS,
};
/** One mutation gets further into the app than several; how likely it is that another one joins it. */
const ANOTHER = 0.35;
/** What remains as it is shows that the app does serve what it should. */
const UNTOUCHED = 0.1;
const NODE_HEADER_LIMIT = 15_000;
/** Control characters but the tab. */
const FORBIDDEN = /(?!\t)\p{Cc}/u;

/** Makes one input of a seed: the same for the same seed number and index. */
export function mutate(seed: Seed, corpus: Corpus, states: States, seedNumber: number, index: number): Input {
  const random = new Random(seedNumber, index);
  const draft: Draft = {
    mount: seed.mount,
    random,
    corpus,
    method: 'POST',
    path: seed.mount,
    protocol: 'HTTP/1.1',
    headers: [...seed.headers.map(([name, value]): Header => [name, value]), [TAG, String(index)]],
    document: structuredClone(seed.document),
    texts: [],
    body: Buffer.alloc(0),
    framing: undefined,
    http: 'sound',
    astray: false,
    cut: undefined,
  };
  const express = random.below(2);
  const mutations: string[] = [];
  const kinds = kindsOf(random);
  apply('round', draft, kinds, mutations);
  apply('document', draft, kinds, mutations);
  let text = write(draft);
  if (kinds.includes('text')) {
    text = random.pick(TEXT_MUTATIONS)(text, draft);
    mutations.push('text');
  }
  draft.body = Buffer.from(text);
  apply('body', draft, kinds, mutations);
  const document = readable(draft.body);
  apply('header', draft, kinds, mutations);
  apply('framing', draft, kinds, mutations);
  return render(seed, draft, states, { index, express, mutations, document });
}

function kindsOf(random: Random): Kind[] {
  const kinds: Kind[] = [];
  if (random.chance(UNTOUCHED)) return kinds;
  do kinds.push(random.pick(KINDS));
  while (random.chance(ANOTHER));
  return kinds;
}

function apply(kind: Exclude<Kind, 'text'>, draft: Draft, kinds: readonly Kind[], log: string[]): void {
  for (const each of kinds) {
    const done = each === kind ? draft.random.pick(MUTATIONS[kind])(draft) : undefined;
    if (done !== undefined) log.push(done);
  }
}

/** What the most lenient reader finds in a body. */
function readable(body: Buffer): unknown {
  try {
    return JSON.parse(body.toString().replace(/^\ufeff/, ''));
  } catch {
    return undefined;
  }
}

function render(
  seed: Seed,
  draft: Draft,
  states: States,
  { index, express, mutations, document }: Pick<Input, 'index' | 'express' | 'mutations'> & { document: unknown },
): Input {
  const { method, path, protocol, headers, body, mount, astray } = draft;
  const framing = draft.framing ?? [`content-length: ${body.length}`];
  const lines = [`${method} ${path} ${protocol}`, ...headers.map((header) => header.join(': ')), ...framing];
  const head = Buffer.from(`${lines.join('\r\n')}\r\n\r\n`, 'latin1');
  const raw = Buffer.concat([head, body]);
  const user = userOf(headers);
  return {
    index,
    name: seed.name,
    mutations,
    express,
    raw,
    ...(draft.cut !== undefined && { cut: Math.floor(draft.cut * raw.length) }),
    expectation: {
      mount,
      http: draft.http === 'sound' && isOddForHttp(headers, head.length) ? 'odd' : draft.http,
      astray,
      large: raw.length > SOCKET_BUFFER,
      method,
      user,
      document,
      ...(mutations.length === 0 && seed.outcome !== '' && { outcome: seed.outcome }),
      mayTransfer: states.mayTransfer(mount, user, document),
    },
  };
}

/** What a socket holds at the least: a longer request may still be on its way when it is refused for its head. */
const SOCKET_BUFFER = 64 * 1024;

function userOf(headers: readonly Header[]): string | undefined {
  const values = headers.filter(([name]) => name.toLowerCase() === 'x-user').map(([, value]) => value.trim());
  const user = values.join(', ');
  return user === '' ? undefined : user;
}

/** Whether Node itself refuses the head of a request. */
function isOddForHttp(headers: readonly Header[], size: number): boolean {
  const names = headers.map(([name]) => name.toLowerCase());
  return size > NODE_HEADER_LIMIT || !names.includes('host') || headers.some(([, value]) => FORBIDDEN.test(value));
}
