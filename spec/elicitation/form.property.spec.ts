import fc from 'fast-check';
import { compileForm } from '../../lib/elicitation/content.js';
import type { Acceptance } from '../../lib/elicitation/content.js';
import type { Field } from '../../lib/elicitation/form.js';
import { field, form } from '../../lib/elicitation/form.js';

/** A field together with the answers that it must take. */
interface Sample {
  readonly made: Field<unknown>;
  readonly answers: fc.Arbitrary<unknown>;
}

const codePoints = (text: string) => Array.from(text).length;
const pair = <T>(one: fc.Arbitrary<T>) => fc.tuple(one, one);
const presence = fc.constantFrom({}, { optional: true as const });
const choiceList = fc.uniqueArray(fc.string(), { minLength: 1, maxLength: 6 });

const strings = fc.tuple(fc.nat(5), fc.nat(5), presence).map(([minLength, more, rest]): Sample => ({
  made: field.string({ minLength, maxLength: minLength + more, ...rest }),
  answers: fc
    .array(fc.string({ unit: 'binary', minLength: 1, maxLength: 1 }), { minLength, maxLength: minLength + more })
    .map((parts) => parts.join(''))
    .filter((text) => codePoints(text) >= minLength && codePoints(text) <= minLength + more),
}));
const numbers = fc
  .tuple(pair(fc.double({ noNaN: true, noDefaultInfinity: true })), presence)
  .map(([ends, rest]): Sample => {
    const [minimum, maximum] = ends.sort((a, b) => a - b);
    return {
      made: field.number({ minimum, maximum, ...rest }),
      answers: fc.constantFrom(minimum, maximum, Math.min(Math.max(0, minimum), maximum)),
    };
  });
const integers = fc.tuple(pair(fc.maxSafeInteger()), presence).map(([ends, rest]): Sample => {
  const [minimum, maximum] = ends.sort((a, b) => a - b);
  return { made: field.integer({ minimum, maximum, ...rest }), answers: fc.integer({ min: minimum, max: maximum }) };
});
const booleans = presence.map((rest): Sample => ({ made: field.boolean(rest), answers: fc.boolean() }));
const single = fc.tuple(choiceList, presence, fc.boolean()).map(([values, rest, titled]): Sample => ({
  made: field.choice(titled ? values.map((value) => ({ value, title: `T ${value}` })) : values, rest),
  answers: fc.constantFrom(...values),
}));
const multiple = fc.tuple(choiceList, presence, fc.boolean()).map(([values, rest, titled]): Sample => ({
  made: field.choices(titled ? values.map((value) => ({ value, title: `T ${value}` })) : values, rest),
  answers: fc.shuffledSubarray(values),
}));
const names = fc
  .oneof(fc.constantFrom('constructor', 'toString', 'hasOwnProperty', 'then'), fc.string())
  .filter((name) => name !== '__proto__' && !/^\d+$/.test(name));
const samples = fc.dictionary(names, fc.oneof(strings, numbers, integers, booleans, single, multiple), {
  maxKeys: 6,
  noNullPrototype: true,
});

function formOf(fields: Record<string, Sample>) {
  return form(Object.fromEntries(Object.entries(fields).map(([name, { made }]) => [name, made])));
}
function acceptedBy(fields: Record<string, Sample>, content: unknown) {
  return compileForm(formOf(fields)).accept(content) as Acceptance<unknown>;
}
/** Sealing turns -0 into 0. */
const sealed = (value: unknown): unknown => JSON.parse(JSON.stringify(value));

describe('for any form', () => {
  it('every valid answer is taken and recorded as it is', () => {
    const cases = samples.chain((fields) => {
      const answers = Object.fromEntries(Object.entries(fields).map(([name, sample]) => [name, sample.answers]));
      const requiredKeys = Object.keys(fields).filter((name) => fields[name]?.made.optional === false);
      return fc.tuple(fc.constant(fields), fc.record(answers, { requiredKeys, noNullPrototype: true }));
    });
    fc.assert(
      fc.property(cases, ([fields, content]) => {
        const found = acceptedBy(fields, content);
        expect(found).toEqual({ ok: true, record: sealed(content), value: sealed(content) });
        expect(sealed(found.ok && found.record)).toEqual(found.ok && found.record);
      }),
    );
  });

  it('junk never throws, reaches the record only under declared names, and is refused in a short text', () => {
    fc.assert(
      fc.property(
        samples,
        fc.oneof(fc.jsonValue(), fc.anything(), fc.dictionary(fc.string(), fc.anything())),
        (fields, content) => {
          const found = acceptedBy(fields, content);
          if (!found.ok) expect(found.reason.length).toBeLessThanOrEqual(200);
          else for (const name of Object.keys(found.record)) expect(Object.hasOwn(fields, name)).toBe(true);
        },
      ),
    );
  });

  it('an answer of another JSON type is refused', () => {
    const wrong: Record<string, fc.Arbitrary<unknown>> = {
      string: fc.jsonValue().filter((junk) => typeof junk !== 'string'),
      number: fc.jsonValue().filter((junk) => typeof junk !== 'number'),
      integer: fc.jsonValue().filter((junk) => !Number.isInteger(junk)),
      boolean: fc.jsonValue().filter((junk) => typeof junk !== 'boolean'),
      array: fc.jsonValue().filter((junk) => !Array.isArray(junk)),
    };
    const cases = fc
      .oneof(strings, numbers, integers, booleans, single, multiple)
      .chain((sample) => fc.tuple(fc.constant(sample), wrong[sample.made.schema.type] ?? fc.constant(null)));
    fc.assert(fc.property(cases, ([sample, junk]) => expect(acceptedBy({ it: sample }, { it: junk }).ok).toBe(false)));
  });
});
