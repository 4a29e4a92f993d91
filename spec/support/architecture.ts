import { readdirSync, readFileSync } from 'node:fs';
import { join, posix, sep } from 'node:path';
import ts from 'typescript';

/** One import. Modules of lib/ are written from its root without extension (`/hosts/flow`), all else by its specifier. */
export interface Edge {
  readonly from: string;
  readonly to: string;
  /** Written `import type` or `export type`: nothing of it is left at run time. */
  readonly typeOnly: boolean;
}

export interface Module {
  readonly name: string;
  readonly lines: number;
  readonly edges: readonly Edge[];
}

export function modulesOf(folder: string): Module[] {
  return readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .filter((file) => file.endsWith('.ts'))
    .map((file) => {
      const name = `/${file.replaceAll(sep, '/').replace(/\.ts$/, '')}`;
      const source = readFileSync(join(folder, file), 'utf8');
      return { name, lines: source.split('\n').length - 1, edges: edgesOf(name, source) };
    });
}

export function edgesOf(from: string, source: string): Edge[] {
  const edges: Edge[] = [];
  const add = (specifier: ts.Node | undefined, typeOnly: boolean): void => {
    if (specifier === undefined || !ts.isStringLiteralLike(specifier)) return;
    edges.push({ from, to: targetOf(from, specifier.text), typeOnly });
  };
  const visit = (node: ts.Node): void => {
    if (ts.isImportDeclaration(node)) {
      // `import { type A }` stays an import at run time; only `import type` is none.
      add(node.moduleSpecifier, node.importClause?.phaseModifier === ts.SyntaxKind.TypeKeyword);
    } else if (ts.isExportDeclaration(node)) {
      add(node.moduleSpecifier, node.isTypeOnly);
    } else if (ts.isExternalModuleReference(node)) {
      add(node.expression, false);
    } else if (ts.isImportTypeNode(node)) {
      add(ts.isLiteralTypeNode(node.argument) ? node.argument.literal : undefined, true);
    } else if (ts.isCallExpression(node) && isLoad(node.expression)) {
      add(node.arguments[0], false);
    }
    ts.forEachChild(node, visit);
  };
  visit(ts.createSourceFile('module.ts', source, ts.ScriptTarget.ES2022));
  return edges;
}

function isLoad(callee: ts.Expression): boolean {
  return callee.kind === ts.SyntaxKind.ImportKeyword || (ts.isIdentifier(callee) && callee.text === 'require');
}

function targetOf(from: string, specifier: string): string {
  if (!specifier.startsWith('.')) return specifier;
  return posix.join(posix.dirname(from), specifier).replace(/\.[jt]s$/, '');
}

/** What each part of lib/ may import from lib/. A name with a slash at its end is a folder. */
const MAY_IMPORT: readonly (readonly [part: string, targets: readonly string[]])[] = [
  ['/errors', []],
  ['/principal', ['/errors']],
  ['/protocol/', ['/protocol/', '/errors']],
  ['/seal/', ['/seal/', '/errors']],
  ['/stores/', ['/stores/', '/errors']],
  // Standard Schema, from which forms can be made, has a file beside the wire since it never travels.
  ['/elicitation/', ['/elicitation/', '/protocol/wire', '/protocol/standard', '/errors']],
  ['/engine/', ['/engine/', '/elicitation/', '/protocol/', '/errors']],
  // Its mailboxes check their options as the stores do.
  ['/legacy/', ['/legacy/', '/engine/', '/protocol/', '/seal/', '/errors', '/events', '/principal', '/stores/checks']],
];

/** Packages that only some parts may import. */
const RESERVED: readonly (readonly [specifier: RegExp, parts: readonly string[]])[] = [
  // The test client mounts a bare middleware in an app of its own.
  [/^express(\/|$)/, ['/hosts/express', '/testing/client-app']],
  [/^@modelcontextprotocol\//, ['/hosts/', '/protocol/']],
  [/^(node:)?crypto$/, ['/seal/', '/engine/fingerprint']],
];

/** The middleware, the entries that export it, the test kit, and the command that reads its states. */
const COMPOSES: readonly string[] = ['/hosts/', '/index', '/sdk', '/testing/', '/inspect'];

/** A handler's context and the request are Express's own: definitions and options name these types. */
const NAMES_HOST_TYPES: readonly string[] = ['/definitions', '/catalog', '/options', '/option-types'];

/** A sentence for each edge that the layout forbids. */
export function forbidden(edges: readonly Edge[]): string[] {
  return edges.flatMap((edge) => {
    const reason = isInternal(edge) ? internalReason(edge) : externalReason(edge);
    return reason === undefined ? [] : [`${edge.from} imports ${edge.to}: ${reason}`];
  });
}

function isInternal({ to }: Edge): boolean {
  return to.startsWith('/');
}

function isIn(module: string, parts: readonly string[]): boolean {
  return parts.some((part) => (part.endsWith('/') ? module.startsWith(part) : module === part));
}

function internalReason({ from, to, typeOnly }: Edge): string | undefined {
  const [, targets] = MAY_IMPORT.find(([part]) => isIn(from, [part])) ?? [];
  if (targets !== undefined && !isIn(to, targets)) return `it may import ${targets.join(', ') || 'nothing'}`;
  if (!isIn(to, ['/hosts/']) || isIn(from, COMPOSES)) return undefined;
  if (!typeOnly) return `only ${COMPOSES.join(', ')} compose`;
  if (to === '/hosts/express' && isIn(from, NAMES_HOST_TYPES)) return undefined;
  return `of /hosts/ only the types of /hosts/express are for others, and only for ${NAMES_HOST_TYPES.join(', ')}`;
}

function externalReason({ from, to }: Edge): string | undefined {
  if (from === '/errors') return 'it may import nothing';
  const [, parts] = RESERVED.find(([specifier]) => specifier.test(to)) ?? [];
  return parts === undefined || isIn(from, parts) ? undefined : `only ${parts.join(' and ')} may`;
}

/** Each import cycle that is there at run time, as `/a > /b > /a`. */
export function cycles(edges: readonly Edge[]): string[] {
  const runTime = edges.filter((edge) => isInternal(edge) && !edge.typeOnly);
  const done = new Set<string>();
  const found: string[] = [];
  const visit = (module: string, path: readonly string[]): void => {
    if (path.includes(module)) found.push([...path.slice(path.indexOf(module)), module].join(' > '));
    if (path.includes(module) || done.has(module)) return;
    for (const { from, to } of runTime) if (from === module) visit(to, [...path, module]);
    done.add(module);
  };
  for (const { from } of runTime) visit(from, []);
  return found;
}

/** A sentence for each breach of the budget: no file over 250 lines, the median at most 100. */
export function oversized(modules: readonly Pick<Module, 'name' | 'lines'>[]): string[] {
  const long = modules.filter(({ lines }) => lines > 250).map(({ name, lines }) => `${name} has ${lines} lines`);
  const sorted = modules.map(({ lines }) => lines).sort((a, b) => a - b);
  const median = sorted[Math.floor(sorted.length / 2)] ?? 0;
  return median > 100 ? [...long, `the median file has ${median} lines`] : long;
}
