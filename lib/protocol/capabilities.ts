import { CODE, isObject, META, type ClientCapabilities, type Fault, type JsonObject } from './wire.js';

/**
 * What a question can need of the client. `elicitation` alone is met by either mode.
 *
 * The names of sampling and roots are those of features that MCP 2026-07-28 lists as deprecated.
 */
export type CapabilityName =
  'elicitation' | 'elicitation.form' | 'elicitation.url' | 'sampling' | 'sampling.tools' | 'sampling.context' | 'roots';

const NAMES: ReadonlySet<unknown> = new Set<CapabilityName>([
  'elicitation',
  'elicitation.form',
  'elicitation.url',
  'sampling',
  'sampling.tools',
  'sampling.context',
  'roots',
]);

export function isCapabilityName(value: unknown): value is CapabilityName {
  return NAMES.has(value);
}

/**
 * Whether the client declared a capability. `elicitation: {}` declares form mode (MCP 2026-07-28, Elicitation,
 * Capabilities); anything that is not an object declares nothing.
 *
 * @example
 * ```ts
 * supports({ elicitation: {} }, 'elicitation.form'); // true
 * ```
 */
export function supports(capabilities: ClientCapabilities, name: CapabilityName): boolean {
  switch (name) {
    case 'elicitation':
      return hasForm(capabilities) || has(capabilities, 'elicitation', 'url');
    case 'elicitation.form':
      return hasForm(capabilities);
    case 'elicitation.url':
      return has(capabilities, 'elicitation', 'url');
    case 'sampling':
      return member(capabilities, 'sampling') !== undefined;
    case 'sampling.tools':
      return has(capabilities, 'sampling', 'tools');
    case 'sampling.context':
      return has(capabilities, 'sampling', 'context');
    case 'roots':
      return member(capabilities, 'roots') !== undefined;
  }
}

/**
 * All that is needed and not declared, merged into one value for `data.requiredCapabilities`.
 *
 * @returns `undefined` when nothing is missing
 *
 * @example
 * ```ts
 * missingCapabilities({}, ['elicitation.form', 'sampling']); // { elicitation: { form: {} }, sampling: {} }
 * ```
 */
export function missingCapabilities(
  capabilities: ClientCapabilities,
  needed: readonly CapabilityName[],
): JsonObject | undefined {
  let missing: Record<string, JsonObject> | undefined;
  for (const name of needed) {
    if (supports(capabilities, name)) continue;
    missing ??= {};
    const [group, mode] = split(name);
    const modes = (missing[group] ??= {});
    if (mode !== undefined) modes[mode] = {};
  }
  return missing;
}

/** What {@link missingCapabilities} found, by name: `['elicitation.form', 'sampling']`. */
export function capabilityNames(required: JsonObject): string[] {
  return Object.entries(required).flatMap(([group, modes]) => {
    const named = isObject(modes) ? Object.keys(modes) : [];
    return named.length === 0 ? [group] : named.map((mode) => `${group}.${mode}`);
  });
}

/**
 * The failure of a call that needs what the client did not declare: -32021, HTTP 400, the missing capabilities under
 * `data.requiredCapabilities` (MCP 2026-07-28, Overview, Capabilities).
 */
export function missingCapabilityFault(required: JsonObject): Fault {
  return {
    code: CODE.missingCapability,
    message:
      `This call needs what the client did not declare: ${capabilityNames(required).join(', ')}. ` +
      `Declare it in _meta[${JSON.stringify(META.clientCapabilities)}] if the client can do it.`,
    status: 400,
    data: { requiredCapabilities: required },
  };
}

function hasForm(capabilities: unknown): boolean {
  const elicitation = member(capabilities, 'elicitation');
  if (elicitation === undefined) return false;
  return Object.keys(elicitation).length === 0 || member(elicitation, 'form') !== undefined;
}

function has(capabilities: unknown, group: string, mode: string): boolean {
  return member(member(capabilities, group), mode) !== undefined;
}

/** An own member that is an object; what a prototype lends was not declared. */
function member(owner: unknown, name: string): Record<string, unknown> | undefined {
  if (!isObject(owner) || !Object.hasOwn(owner, name)) return undefined;
  const value = owner[name];
  return isObject(value) ? value : undefined;
}

function split(name: CapabilityName): [group: string, mode: string | undefined] {
  const dot = name.indexOf('.');
  return dot === -1 ? [name, undefined] : [name.slice(0, dot), name.slice(dot + 1)];
}
