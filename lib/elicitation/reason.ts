import { messageWithout, type StandardIssue } from '../protocol/standard.js';
import type { JsonObject, RequestedSchema } from '../protocol/wire.js';

const LONGEST = 200;
const LONGEST_LABEL = 60;
const MOST_PROBLEMS = 3;

/** How a reason names a field: by its title where it has one, since that is what the person sees. */
export function labelOf(name: string, properties: RequestedSchema['properties']): string {
  const title = Object.hasOwn(properties, name) ? properties[name]?.title : undefined;
  return JSON.stringify(shorten(title ?? name, LONGEST_LABEL));
}

/** The first problems as one text for the person; a later one only where it fits as a whole. */
export function reasonOf(problems: readonly string[]): string {
  let reason = shorten(problems[0] ?? 'The answer does not fit the form.', LONGEST);
  for (const problem of problems.slice(1, MOST_PROBLEMS)) {
    if (reason.length + 1 + problem.length > LONGEST) break;
    reason += ` ${problem}`;
  }
  return reason;
}

/** The first issue of a validator. Its text is the library's: whatever of the answer it repeats is kept out. */
export function issuesReason(
  issues: readonly StandardIssue[],
  record: JsonObject,
  label: (name: string) => string,
): string {
  const [issue] = issues;
  if (issue === undefined) return reasonOf([]);
  const [first] = issue.path ?? [];
  const name = typeof first === 'object' ? first.key : first;
  const subject = name === undefined ? '' : `${label(String(name))}: `;
  const message = messageWithout(record, issue.message)?.replace(/\p{Cc}+/gu, ' ');
  return reasonOf([subject + (message ?? 'this answer is not accepted')]);
}

function shorten(text: string, longest: number): string {
  if (text.length <= longest) return text;
  return `${text.slice(0, longest - 1).replace(/[\ud800-\udbff]$/, '')}…`;
}
