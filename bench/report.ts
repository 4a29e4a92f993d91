import { renderTable, type Row } from './table.js';

/** Where results go: tables for people, or one JSON object a line. What is no result goes to stderr. */
export interface Report {
  table(part: string, title: string, rows: readonly Row[]): void;
}

export const tables: Report = {
  table: (_part, title, rows) => void process.stdout.write(`\n${renderTable(title, rows)}\n`),
};

export const jsonLines: Report = {
  table(part, title, rows) {
    for (const row of rows) process.stdout.write(`${JSON.stringify({ part, table: title, ...row })}\n`);
  },
};

export function say(text: string): void {
  process.stderr.write(`${text}\n`);
}
