import fc from 'fast-check';
import {
  isCapabilityName,
  missingCapabilities,
  missingCapabilityFault,
  supports,
  type CapabilityName,
} from '../../lib/protocol/capabilities.js';
import type { ClientCapabilities } from '../../lib/protocol/wire.js';

const NAMES: CapabilityName[] = [
  'elicitation',
  'elicitation.form',
  'elicitation.url',
  'sampling',
  'sampling.tools',
  'sampling.context',
  'roots',
];
const declared = (value: unknown): ClientCapabilities => value as ClientCapabilities;
const supported = (value: unknown): CapabilityName[] => NAMES.filter((name) => supports(declared(value), name));

describe('supports', () => {
  it.each([
    ['C101', { elicitation: {} }, ['elicitation', 'elicitation.form']],
    ['C101', { elicitation: { form: {} } }, ['elicitation', 'elicitation.form']],
    ['C101', { elicitation: { form: {}, url: {} } }, ['elicitation', 'elicitation.form', 'elicitation.url']],
    ['C101', { elicitation: { someFuture: {} } }, []],
    ['C102', { elicitation: { url: {} } }, ['elicitation', 'elicitation.url']],
    ['C102', {}, []],
    ['sampling', { sampling: {} }, ['sampling']],
    ['sampling', { sampling: { tools: {} } }, ['sampling', 'sampling.tools']],
    ['sampling', { sampling: { context: {} } }, ['sampling', 'sampling.context']],
    ['roots', { roots: {} }, ['roots']],
    ['roots', { roots: { listChanged: true } }, ['roots']],
  ])('%s reads %j', (_case, value, expected) => {
    expect(supported(value)).toEqual(expected);
  });

  it.each([null, undefined, true, 'elicitation', [], [{ elicitation: {} }], 7])(
    'takes %j for no capabilities',
    (value) => {
      expect(supported(value)).toEqual([]);
    },
  );

  it('takes what is no object for not declared', () => {
    for (const junk of [null, true, 1, 'form', [], ['form']]) {
      expect(supported({ elicitation: junk, sampling: junk, roots: junk })).toEqual([]);
      expect(supported({ elicitation: { form: junk, url: junk } })).toEqual([]);
      expect(supported({ sampling: { tools: junk, context: junk } })).toEqual(['sampling']);
    }
  });

  it('takes nothing from a prototype', () => {
    expect(supported(Object.create({ elicitation: {}, sampling: {}, roots: {} }))).toEqual([]);
    expect(
      supported({ elicitation: Object.assign(Object.create({ form: {}, url: {} }) as object, { other: {} }) }),
    ).toEqual([]);
    expect(supported(JSON.parse('{"__proto__":{"elicitation":{},"roots":{}}}'))).toEqual([]);
  });

  it('never throws, whatever arrives', () => {
    fc.assert(
      fc.property(fc.anything(), fc.anything(), (capabilities, group) => {
        for (const value of [capabilities, { elicitation: group, sampling: group, roots: group }]) {
          expect(NAMES).toEqual(expect.arrayContaining(supported(value)));
        }
      }),
    );
  });
});

describe('missingCapabilities', () => {
  it('is undefined when nothing is missing', () => {
    expect(missingCapabilities({ elicitation: {} }, ['elicitation.form'])).toBeUndefined();
    expect(missingCapabilities({}, [])).toBeUndefined();
  });

  it('C102 names the mode that is missing', () => {
    expect(missingCapabilities({ elicitation: { url: {} } }, ['elicitation.form'])).toEqual({
      elicitation: { form: {} },
    });
    expect(missingCapabilities({ elicitation: {} }, ['elicitation.url'])).toEqual({ elicitation: { url: {} } });
    expect(missingCapabilities({}, ['elicitation.url'])).toEqual({ elicitation: { url: {} } });
  });

  it('merges all that is missing and leaves out what is there', () => {
    expect(
      missingCapabilities({ sampling: {} }, [
        'elicitation.url',
        'elicitation',
        'elicitation.form',
        'sampling',
        'sampling.tools',
        'roots',
        'roots',
      ]),
    ).toEqual({ elicitation: { url: {}, form: {} }, sampling: { tools: {} }, roots: {} });
  });

  it('asks for what satisfies the need', () => {
    for (const name of NAMES) {
      expect(supports(declared(missingCapabilities({}, [name])), name)).toBe(true);
    }
  });
});

describe('missingCapabilityFault', () => {
  it('C102 carries the missing capabilities', () => {
    expect(missingCapabilityFault({ elicitation: { form: {}, url: {} }, roots: {} })).toEqual({
      code: -32021,
      status: 400,
      message:
        'This call needs what the client did not declare: elicitation.form, elicitation.url, roots. ' +
        'Declare it in _meta["io.modelcontextprotocol/clientCapabilities"] if the client can do it.',
      data: { requiredCapabilities: { elicitation: { form: {}, url: {} }, roots: {} } },
    });
  });
});

describe('isCapabilityName', () => {
  it('knows the names and nothing else', () => {
    expect(NAMES.every(isCapabilityName)).toBe(true);
    for (const value of ['', 'form', 'elicitation.', 'constructor', 'tools', undefined, null, ['roots']]) {
      expect(isCapabilityName(value)).toBe(false);
    }
  });
});
