import { placeholder, type Draft, type Mutator } from './draft.js';
import { isObject, memberOf } from './input.js';
import { ODD_NAMES, ODD_TEXTS } from './values.js';

/** Mutations of the JSON-RPC message as a structure. */

interface Place {
  readonly parent: Record<string, unknown> | unknown[];
  readonly name: string;
}

const MAX_PLACES = 300;

function placesOf(value: unknown, places: Place[] = []): Place[] {
  if (typeof value !== 'object' || value === null) return places;
  for (const name of Object.keys(value)) {
    if (places.length >= MAX_PLACES) break;
    places.push({ parent: value as Record<string, unknown>, name });
    placesOf((value as Record<string, unknown>)[name], places);
  }
  return places;
}

function valueAt({ parent, name }: Place): unknown {
  return (parent as Record<string, unknown>)[name];
}

/** Defines rather than assigns: `__proto__` is to become a member. */
function put({ parent, name }: Place, value: unknown): void {
  Object.defineProperty(parent, name, { value, writable: true, enumerable: true, configurable: true });
}

function remove({ parent, name }: Place): void {
  if (Array.isArray(parent)) parent.splice(Number(name), 1);
  else Reflect.deleteProperty(parent, name);
}

function anyPlace({ document, random }: Draft): Place | undefined {
  const places = placesOf(document);
  return places.length === 0 ? undefined : random.pick(places);
}

function anyObject(draft: Draft): Record<string, unknown> | undefined {
  const objects = [draft.document, ...placesOf(draft.document).map(valueAt)].filter(isObject);
  return objects.length === 0 ? undefined : draft.random.pick(objects);
}

const replace: Mutator = (draft) => {
  const place = anyPlace(draft);
  if (place === undefined) return undefined;
  const text = draft.random.pick(ODD_TEXTS);
  put(place, placeholder(draft, text));
  return `replace ${place.name} by ${text.slice(0, 40)}`;
};

const drop: Mutator = (draft) => {
  const place = anyPlace(draft);
  if (place === undefined) return undefined;
  remove(place);
  return `drop ${place.name}`;
};

const add: Mutator = (draft) => {
  const parent = anyObject(draft);
  if (parent === undefined) return undefined;
  const name = draft.random.pick(ODD_NAMES);
  const text = draft.random.pick(ODD_TEXTS);
  put({ parent, name }, placeholder(draft, text));
  return `add ${name}: ${text.slice(0, 40)}`;
};

const rename: Mutator = (draft) => {
  const place = anyPlace(draft);
  if (place === undefined || Array.isArray(place.parent)) return undefined;
  const name = draft.random.pick(ODD_NAMES);
  const value = valueAt(place);
  remove(place);
  put({ parent: place.parent, name }, value);
  return `rename ${place.name} to ${name}`;
};

const reorder: Mutator = (draft) => {
  const parent = anyObject(draft);
  if (parent === undefined) return undefined;
  for (const [name, value] of Object.entries(parent).reverse()) {
    remove({ parent, name });
    put({ parent, name }, value);
  }
  return 'reorder';
};

const swap: Mutator = (draft) => {
  const one = anyPlace(draft);
  const other = anyPlace(draft);
  if (one === undefined || other === undefined) return undefined;
  const value = valueAt(one);
  put(one, structuredClone(valueAt(other)));
  put(other, structuredClone(value));
  return `swap ${one.name} and ${other.name}`;
};

const cross: Mutator = (draft) => {
  const { document } = draft.random.pick(draft.corpus.seeds);
  const path = draft.random.pick([
    ['method'],
    ['params'],
    ['params', '_meta'],
    ['params', 'name'],
    ['params', 'arguments'],
  ]);
  const parent = path.length === 1 ? draft.document : memberOf(draft.document, 'params');
  if (!isObject(parent)) return undefined;
  put({ parent, name: path.at(-1) ?? '' }, structuredClone(memberOf(document, ...path)));
  return `${path.join('.')} of another request`;
};

const wrap: Mutator = (draft) => {
  const { random, document } = draft;
  const count = random.below(4);
  draft.document = Array.from({ length: count }, () => document);
  return `batch of ${count}`;
};

const whole: Mutator = (draft) => {
  const text = draft.random.pick(ODD_TEXTS);
  draft.document = placeholder(draft, text);
  return `only ${text.slice(0, 40)}`;
};

export const DOCUMENT_MUTATIONS: readonly Mutator[] = [
  replace,
  replace,
  replace,
  drop,
  drop,
  add,
  add,
  rename,
  reorder,
  swap,
  cross,
  cross,
  wrap,
  whole,
];

/** A member twice in one object, which only the text can say: JSON takes the last. */
export const TEXT_MUTATIONS: readonly ((text: string, draft: Draft) => string)[] = [
  (text, { random }) => {
    const starts = [...text.matchAll(/"([^"\\]{1,60})":/g)];
    if (starts.length === 0) return text;
    const { 0: member, index } = random.pick(starts);
    return (
      text.slice(0, index) +
      member +
      random.pick(ODD_TEXTS.filter(({ length }) => length < 200)) +
      ',' +
      text.slice(index)
    );
  },
  (text) => `\ufeff${text}`,
  (text, { random }) => text.replaceAll(/([{,:])/g, (sign) => sign + random.pick(['', ' ', '\n', '\t'])),
  (text, { random }) => `${text}${random.pick([' ', '\n\n', '}', ',', '\u0000', '//', text])}`,
  (text) =>
    text.replaceAll(/"(\w)(\w*)":/g, (_all, head: string, tail: string) => {
      return `"\\u${head.charCodeAt(0).toString(16).padStart(4, '0')}${tail}":`;
    }),
];
