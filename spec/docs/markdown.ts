import { readdirSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';

const ROOT = join(__dirname, '../..');

export interface Block {
  readonly language: string;
  readonly text: string;
  /** File and line, for a failing test. */
  readonly where: string;
}

export function read(file: string): string {
  return readFileSync(join(ROOT, file), 'utf8');
}

/** README.md and everything in docs/. */
export function documents(): string[] {
  const docs = readdirSync(join(ROOT, 'docs')).filter((name) => name.endsWith('.md'));
  return ['README.md', ...docs.map((name) => `docs/${name}`)];
}

/** The fenced blocks of a document. */
export function blocks(file: string): Block[] {
  const found: Block[] = [];
  let open: { language: string; lines: string[]; where: string } | undefined;
  for (const [index, line] of read(file).split('\n').entries()) {
    const fence = /^\s*```(\w*)/.exec(line);
    if (fence === null) open?.lines.push(line);
    else if (open === undefined) open = { language: fence[1] ?? '', lines: [], where: `${file}:${index + 1}` };
    else {
      found.push({ language: open.language, text: open.lines.join('\n'), where: open.where });
      open = undefined;
    }
  }
  return found;
}

/** The TypeScript files under examples/ that belong to this project. */
export function exampleFiles(folder = 'examples'): string[] {
  return readdirSync(join(ROOT, folder)).flatMap((name) => {
    const path = `${folder}/${name}`;
    if (name === 'node_modules') return [];
    if (statSync(join(ROOT, path)).isDirectory()) return exampleFiles(path);
    return name.endsWith('.ts') ? [path] : [];
  });
}

/** Lines without their indentation and without the marks of regions, in one text that can be searched for whole lines. */
export function comparable(source: string): string {
  const lines = source.split('\n').map((line) => line.trim());
  return `\n${lines.filter((line) => !/^\/\/ #(?:end)?region\b/.test(line)).join('\n')}\n`;
}
