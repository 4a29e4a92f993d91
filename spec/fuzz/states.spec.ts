import { States } from './states.js';

const PARAMS = { name: 'pay', arguments: { amount: 10, to: { b: 1, a: 2 } } };
const CALL = { method: 'tools/call', params: PARAMS };
const YES = { go: { action: 'accept', content: { confirm: true } } };
const ask = (requestState: string, ...keys: string[]) => ({
  result: { requestState, inputRequests: Object.fromEntries(keys.map((key) => [key, {}])) },
});

describe('which inputs of the fuzz run may lead to a transfer', () => {
  const states = new States();
  states.note('/bare', 'ann', CALL, ask('last', 'go'));
  states.note('/bare', 'ann', CALL, ask('earlier', 'elicit-1'));

  const retry = (changes: object = {}, method = 'tools/call') => ({
    method,
    params: { ...PARAMS, requestState: 'last', inputResponses: YES, ...changes },
  });

  it('lets the very call with a yes pass, however its members are ordered', () => {
    expect(states.mayTransfer('/bare', 'ann', retry())).toBe(true);
    const reordered = { arguments: { to: { a: 2, b: 1 }, amount: 10 } };
    expect(states.mayTransfer('/bare', 'ann', retry(reordered))).toBe(true);
  });

  it.each<[string, unknown]>([
    ['another state', retry({ requestState: 'lasT' })],
    ['a state of an earlier round', retry({ requestState: 'earlier' })],
    ['no state', retry({ requestState: undefined })],
    ['a state in an array', retry({ requestState: ['last'] })],
    ['other arguments', retry({ arguments: { amount: 11 } })],
    ['a member more', retry({ arguments: JSON.parse('{"amount":10,"to":{"b":1,"a":2},"__proto__":{}}') as unknown })],
    ['another tool', retry({ name: 'pay-slowly' })],
    ['another method', retry({}, 'prompts/get')],
    ['no answer', retry({ inputResponses: {} })],
    ['a no', retry({ inputResponses: { go: { action: 'accept', content: { confirm: false } } } })],
    ['a refusal', retry({ inputResponses: { go: { action: 'decline', content: { confirm: true } } } })],
    ['an inherited answer', retry({ inputResponses: Object.create(YES) as unknown })],
    ['no request at all', 7],
  ])('forbids one with %s', (_name, document) => {
    expect(states.mayTransfer('/bare', 'ann', document)).toBe(false);
  });

  it('forbids one of somebody else, and on another mount', () => {
    expect(states.mayTransfer('/bare', 'bob', retry())).toBe(false);
    expect(states.mayTransfer('/bare', undefined, retry())).toBe(false);
    expect(states.mayTransfer('/parsed', 'ann', retry())).toBe(false);
  });
});
