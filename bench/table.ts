/** One line of a result: the same members in the same order in all rows of a table. */
export type Row = Readonly<Record<string, string | number>>;

/** Three significant digits, more before the decimal point: 12,345 · 123 · 12.3 · 1.23 · 0.0123. */
export function formatNumber(value: number): string {
  if (!Number.isFinite(value)) return String(value);
  if (Number.isInteger(value)) return value.toLocaleString('en');
  const digits = value === 0 ? 0 : 2 - Math.floor(Math.log10(Math.abs(value)));
  const decimals = Math.min(Math.max(digits, 0), 20);
  return value.toLocaleString('en', { minimumFractionDigits: decimals, maximumFractionDigits: decimals });
}

/** A titled table of text, numbers to the right. */
export function renderTable(title: string, rows: readonly Row[]): string {
  const columns = Object.keys(rows[0] ?? {});
  const cells = rows.map((row) => columns.map((column) => formatCell(row[column])));
  const widths = columns.map((column, index) =>
    Math.max(column.length, ...cells.map((line) => line[index]?.length ?? 0)),
  );
  const numeric = columns.map((column) => rows.every((row) => typeof row[column] === 'number'));
  const line = (texts: readonly string[]): string =>
    texts
      .map((text, index) =>
        numeric[index] === true ? text.padStart(widths[index] ?? 0) : text.padEnd(widths[index] ?? 0),
      )
      .join('  ')
      .trimEnd();
  const rule = widths.map((width) => '-'.repeat(width)).join('  ');
  return [title, line(columns), rule, ...cells.map(line)].join('\n');
}

function formatCell(value: string | number | undefined): string {
  return typeof value === 'number' ? formatNumber(value) : (value ?? '');
}
