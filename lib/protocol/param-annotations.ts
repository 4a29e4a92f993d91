import { MrtrTypeError } from '../errors.js';
import { isObject } from './wire.js';

/** A tool parameter that clients repeat in a header. */
export interface ParamHeader {
  /** The header's name in lower case, such as `mcp-param-region`. */
  readonly header: string;
  /** The property names that lead from the arguments to the value. */
  readonly path: readonly string[];
  readonly type: 'string' | 'integer' | 'boolean';
}

const ANNOTATION = 'x-mcp-header';
const TOKEN = /^[!#$%&'*+\-.^_`|~0-9A-Za-z]+$/;
const MAX_DEPTH = 100;

/** Keywords whose value is a table of schemas: its keys are names, not keywords. */
const TABLES = new Set([
  'properties',
  'patternProperties',
  '$defs',
  'definitions',
  'dependentSchemas',
  'dependencies',
  'dependentRequired',
]);
/** Keywords whose value is data: what looks like an annotation there is none. */
const DATA = new Set(['const', 'default', 'enum', 'examples']);

/**
 * The header annotations of a tool's `inputSchema` (MCP 2026-07-28, Streamable HTTP, Custom Headers from Tool
 * Parameters). Clients drop a tool with an invalid one from the list, so each is refused when the tool is defined.
 *
 * @param inputSchema - the JSON Schema that `tools/list` shows
 * @param tool - name of the tool, for the message
 * @throws MrtrTypeError `ERR_MRTR_DEFINITION`, naming tool and property: an annotation that is no HTTP token, that
 * occurs twice (case does not count), on a type other than string, integer or boolean, or anywhere but on a property
 * reached through `properties` alone.
 *
 * @example
 * ```ts
 * paramHeadersOf({ type: 'object', properties: { region: { type: 'string', 'x-mcp-header': 'Region' } } }, 'query');
 * // [{ header: 'mcp-param-region', path: ['region'], type: 'string' }]
 * ```
 */
export function paramHeadersOf(inputSchema: Record<string, unknown>, tool: string): readonly ParamHeader[] {
  const scan: Scan = { tool, found: new Map(), ancestors: new Set(), unreachable: new Set() };
  visit(scan, inputSchema, [], true, 0);
  return Object.freeze([...scan.found.values()]);
}

interface Scan {
  readonly tool: string;
  readonly found: Map<string, ParamHeader>;
  /** The schemas above this one: a cycle ends here. */
  readonly ancestors: Set<object>;
  /** Schemas seen off the chain of `properties`, where the place makes no difference: each is looked at once. */
  readonly unreachable: Set<object>;
}

function visit(scan: Scan, schema: unknown, path: readonly string[], reachable: boolean, depth: number): void {
  if (depth > MAX_DEPTH) fail(scan, path, `nests deeper than ${MAX_DEPTH} levels. Flatten the schema.`);
  if (Array.isArray(schema)) {
    for (const item of schema) visit(scan, item, path, false, depth + 1);
    return;
  }
  if (!isObject(schema) || scan.ancestors.has(schema)) return;
  if (!reachable) {
    if (scan.unreachable.has(schema)) return;
    scan.unreachable.add(schema);
  }
  const annotation = Object.hasOwn(schema, ANNOTATION) ? schema[ANNOTATION] : undefined;
  if (annotation !== undefined) collect(scan, schema, annotation, path, reachable);

  scan.ancestors.add(schema);
  for (const [keyword, value] of Object.entries(schema)) {
    if (DATA.has(keyword)) continue;
    if (!TABLES.has(keyword) || !isObject(value)) {
      visit(scan, value, path, false, depth + 1);
      continue;
    }
    const onChain = keyword === 'properties';
    for (const [name, child] of Object.entries(value)) {
      visit(scan, child, onChain ? [...path, name] : path, onChain && reachable, depth + 1);
    }
  }
  scan.ancestors.delete(schema);
}

function collect(
  scan: Scan,
  schema: Record<string, unknown>,
  annotation: unknown,
  path: readonly string[],
  reachable: boolean,
): void {
  if (!reachable || path.length === 0) {
    fail(
      scan,
      path,
      `carries ${ANNOTATION} where no fixed path leads. Put it on a property that "properties" alone leads to, ` +
        'not under items, oneOf, anyOf, allOf, not, if, then, else, $ref, $defs or the like.',
    );
  }
  if (typeof annotation !== 'string' || !TOKEN.test(annotation)) {
    fail(
      scan,
      path,
      `has ${ANNOTATION} ${JSON.stringify(annotation)}, which is no HTTP token. Use letters, digits and hyphens.`,
    );
  }
  const type = schema['type'];
  if (type !== 'string' && type !== 'integer' && type !== 'boolean') {
    fail(
      scan,
      path,
      `has ${ANNOTATION} ${JSON.stringify(annotation)} on type ${JSON.stringify(type)}. ` +
        'Give it the one type "string", "integer" or "boolean"; to allow no value, leave the property optional.',
    );
  }
  const header = `mcp-param-${annotation.toLowerCase()}`;
  const other = scan.found.get(header);
  if (other !== undefined) {
    fail(
      scan,
      path,
      `has ${ANNOTATION} ${JSON.stringify(annotation)}, which ${JSON.stringify(other.path.join('.'))} has already ` +
        '(case does not count). Give each its own.',
    );
  }
  scan.found.set(header, Object.freeze({ header, path: Object.freeze([...path]), type }));
}

function fail(scan: Scan, path: readonly string[], problem: string): never {
  const place = path.length === 0 ? 'the root of inputSchema' : `the property ${JSON.stringify(path.join('.'))}`;
  throw new MrtrTypeError('ERR_MRTR_DEFINITION', `tool ${JSON.stringify(scan.tool)}: ${place} ${problem}`);
}
