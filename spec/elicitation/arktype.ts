// arktype ships ES modules only, which Jest cannot load: arktype.spec.ts runs this in a process of its own.
import { type } from 'arktype';
import { compileForm } from '../../lib/elicitation/content.js';

const person = compileForm(
  type({
    mail: 'string.email',
    'nick?': 'string <= 5',
    color: "'Red'|'Green'",
    sizes: "1 <= ('S'|'M')[] <= 2",
    age: 'number.integer >= 18',
    full: 'boolean = true',
  }),
);
const picky = compileForm(type({ name: type('string').narrow((_, context) => context.mustBe('known')) }));
const nullable = () => compileForm(type({ name: 'string | null' }));

const answer = { mail: 'a@example.com', color: 'Red', sizes: ['S'], age: 18 };
const refused = nullableMessage();
console.log(
  JSON.stringify({
    requestedSchema: person.requestedSchema,
    accepted: await person.accept({ ...answer, more: 1 }),
    wrong: await person.accept({ ...answer, age: '18' }),
    picky: await picky.accept({ name: 'abc' }),
    refused,
  }),
);

function nullableMessage(): string {
  try {
    nullable();
    return 'nothing was thrown';
  } catch (error) {
    return (error as Error).message;
  }
}
