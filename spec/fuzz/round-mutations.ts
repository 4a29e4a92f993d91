import { placeholder, type Draft, type Mutator } from './draft.js';
import { isObject, memberOf, type Seed } from './input.js';
import type { Random } from './random.js';
import { ODD_NAMES, ODD_TEXTS } from './values.js';

/** Mutations of what makes a request the next round of a flow: its state and its answers. */

const ALPHABET = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_'.split('');

type StateMutation = (state: string, random: Random, other: string) => string;

const STATE_MUTATIONS: readonly StateMutation[] = [
  function flipBit(state, random) {
    const { head, body } = taken(state);
    if (body.length === 0) return `${state}A`;
    const at = random.below(body.length);
    body[at] = (body[at] ?? 0) ^ (1 << random.below(8));
    return head + body.toString('base64url');
  },
  function changeCharacter(state, random) {
    const at = random.below(state.length);
    return state.slice(0, at) + random.pick(ALPHABET) + state.slice(at + 1);
  },
  function truncate(state, random) {
    return state.slice(0, random.below(state.length));
  },
  function truncateBytes(state, random) {
    const { head, body } = taken(state);
    return head + body.subarray(0, random.below(body.length + 1)).toString('base64url');
  },
  function splice(state, random, other) {
    const at = random.below(state.length);
    return state.slice(0, at) + other.slice(at);
  },
  function spliceBytes(state, random, other) {
    const { head, body } = taken(state);
    const at = random.below(body.length + 1);
    return head + Buffer.concat([body.subarray(0, at), taken(other).body.subarray(at)]).toString('base64url');
  },
  function insert(state, random) {
    const at = random.below(state.length + 1);
    return state.slice(0, at) + random.pick(['=', ' ', '\n', '\u0000', '.', '+', '/', '😀', 'A']) + state.slice(at);
  },
  function respell(state, random) {
    return random.pick([
      `${state}=`,
      state.toUpperCase(),
      state.replaceAll('-', '+').replaceAll('_', '/'),
      state.replace('mrtr1', 'mrtr2'),
      state.replace(/\..{6}\./, '.AAAAAA.'),
      state.split('.').reverse().join('.'),
      encodeURIComponent(` ${state}`),
    ]);
  },
  function grow(state, random) {
    return state + 'A'.repeat(random.pick([1, 4, 1000, 49_152, 200_000]));
  },
];

function taken(state: string): { head: string; body: Buffer } {
  const at = state.lastIndexOf('.') + 1;
  return { head: state.slice(0, at), body: Buffer.from(state.slice(at), 'base64url') };
}

const mutateState: Mutator = (draft) => {
  const params = memberOf(draft.document, 'params');
  const { random, corpus } = draft;
  if (!isObject(params)) return undefined;
  const given = params['requestState'];
  const state = typeof given === 'string' && given !== '' ? given : random.pick(corpus.states);
  const mutation = random.pick(STATE_MUTATIONS);
  params['requestState'] = mutation(state, random, random.pick(corpus.states));
  return `state: ${mutation.name}`;
};

const foreignState: Mutator = (draft) => {
  const params = memberOf(draft.document, 'params');
  if (!isObject(params)) return undefined;
  params['requestState'] = draft.random.pick(draft.corpus.states);
  return 'state of another round';
};

/** State and answers as they belong together, under another call. */
const transplant: Mutator = (draft) => {
  const { random, corpus, document } = draft;
  const params = memberOf(document, 'params');
  if (!isObject(params)) return undefined;
  const rounds = corpus.seeds.filter((seed) => memberOf(seed.document, 'params', 'requestState') !== undefined);
  // Tools and prompts of one name, the arguments being the same: only the method tells them apart.
  const twins = rounds.filter(
    (seed) =>
      seed.mount === draft.mount &&
      sameUser(seed, draft) &&
      memberOf(seed.document, 'params', 'name') === params['name'] &&
      memberOf(seed.document, 'method') !== memberOf(document, 'method'),
  );
  const { name, document: donor } = random.pick(twins.length > 0 && random.chance(0.5) ? twins : rounds);
  params['requestState'] = memberOf(donor, 'params', 'requestState');
  params['inputResponses'] = structuredClone(memberOf(donor, 'params', 'inputResponses'));
  return `state and answers of ${name}`;
};

function sameUser(one: Pick<Seed, 'headers'>, other: Pick<Seed, 'headers'>): boolean {
  const [user, otherUser] = [one, other].map(({ headers }) => headers.find(([name]) => name === 'x-user')?.[1]);
  return user === otherUser;
}

/** The call changed under state and answers. */
const swindle: Mutator = (draft) => {
  const { random } = draft;
  const params = memberOf(draft.document, 'params');
  if (!isObject(params)) return undefined;
  const args = isObject(params['arguments']) ? params['arguments'] : {};
  params['arguments'] = random.pick([
    { ...args, amount: 10_000 },
    { ...args, more: 1 },
    { ...args, [random.pick([...Object.keys(args), 'n'])]: placeholder(draft, random.pick(ODD_TEXTS)) },
    JSON.parse(JSON.stringify({ ...args, x: 1 }).replace('"x"', '"__proto__"')) as unknown,
    {},
  ]);
  return 'arguments changed';
};

const foreignAnswers: Mutator = (draft) => {
  const params = memberOf(draft.document, 'params');
  if (!isObject(params)) return undefined;
  params['inputResponses'] = structuredClone(draft.random.pick(draft.corpus.answers));
  return 'answers of another round';
};

const everyAnswer: Mutator = (draft) => {
  const params = memberOf(draft.document, 'params');
  if (!isObject(params)) return undefined;
  params['inputResponses'] = structuredClone(Object.assign({}, ...draft.corpus.answers.filter(isObject)) as unknown);
  return 'answers of all rounds';
};

/** One answer replaced, or taken apart. */
const mutateAnswer: Mutator = (draft) => {
  const { random } = draft;
  const answers = memberOf(draft.document, 'params', 'inputResponses');
  if (!isObject(answers)) return foreignAnswers(draft);
  const key = random.pick([...Object.keys(answers), random.pick(ODD_NAMES)]);
  const answer = Object.hasOwn(answers, key) ? answers[key] : undefined;
  const odd = (): string => placeholder(draft, random.pick(ODD_TEXTS));
  const changed = isObject(answer) ? changedAnswer(random, answer, odd) : odd();
  Object.defineProperty(answers, key, { value: changed, writable: true, enumerable: true, configurable: true });
  return `answer ${key}`;
};

function changedAnswer(random: Random, answer: Record<string, unknown>, odd: () => string): unknown {
  const content = isObject(answer['content']) ? answer['content'] : {};
  switch (random.below(7)) {
    case 0:
      return { ...answer, action: random.pick(['decline', 'cancel', 'ACCEPT', 'accept ', '']) };
    case 1:
      return { ...answer, action: odd() };
    case 2:
      return { ...answer, content: odd() };
    case 3:
      return { action: answer['action'] };
    case 4:
      return { method: 'elicitation/create', result: answer };
    case 5:
      return { ...answer, content: { ...content, [random.pick([...Object.keys(content), ...ODD_NAMES])]: odd() } };
    default:
      return [answer];
  }
}

const dropAnswers: Mutator = (draft: Draft) => {
  const params = memberOf(draft.document, 'params');
  if (!isObject(params)) return undefined;
  Reflect.deleteProperty(params, draft.random.pick(['inputResponses', 'requestState']));
  return 'state or answers dropped';
};

export const ROUND_MUTATIONS: readonly Mutator[] = [
  mutateState,
  mutateState,
  mutateState,
  foreignState,
  transplant,
  transplant,
  swindle,
  swindle,
  foreignAnswers,
  everyAnswer,
  mutateAnswer,
  mutateAnswer,
  mutateAnswer,
  dropAnswers,
];
