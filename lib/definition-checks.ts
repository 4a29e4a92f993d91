import { MrtrTypeError } from './errors.js';
import { isCapabilityName } from './protocol/capabilities.js';
import { isObject } from './protocol/wire.js';

const CONTROL = /\p{Cc}/u;
const COMMON = ['title', 'description', 'icons', '_meta', 'requires'];

/** Refuses a name, options or a handler that no definition can have. `own` names the options beside the common ones. */
export function checkDefinition(
  call: string,
  name: unknown,
  config: unknown,
  handler: unknown,
  own: readonly string[],
): void {
  if (typeof name !== 'string' || name === '' || name.length > 256) {
    throw definitionError(call, name, 'needs a name of 1 to 256 characters');
  }
  if (CONTROL.test(name)) throw definitionError(call, name, 'has a control character in its name');
  if (!isObject(config)) throw definitionError(call, name, 'needs an object of options as its second-last argument');
  if (typeof handler !== 'function') throw definitionError(call, name, 'needs a handler function as its last argument');
  const known = [...COMMON, ...own];
  const unknown = Object.keys(config).find((option) => !known.includes(option));
  if (unknown !== undefined) {
    throw definitionError(call, name, `knows no option ${JSON.stringify(unknown)}; it takes ${known.join(', ')}`);
  }
  checkRequires(call, name, config['requires']);
  checkCaching(call, name, config);
}

function checkRequires(call: string, name: string, requires: unknown): void {
  if (requires === undefined || (Array.isArray(requires) && requires.every(isCapabilityName))) return;
  throw definitionError(
    call,
    name,
    `has requires ${JSON.stringify(requires)}; it must be an array of capabilities such as "elicitation.form"`,
  );
}

function checkCaching(call: string, name: string, { ttlMs, cacheScope }: Record<string, unknown>): void {
  if (ttlMs !== undefined && !(Number.isSafeInteger(ttlMs) && (ttlMs as number) >= 0)) {
    throw definitionError(
      call,
      name,
      `has ttlMs ${JSON.stringify(ttlMs)}; it must be a whole number of milliseconds, 0 or more`,
    );
  }
  if (cacheScope !== undefined && cacheScope !== 'public' && cacheScope !== 'private') {
    throw definitionError(call, name, `has cacheScope ${JSON.stringify(cacheScope)}; it must be "public" or "private"`);
  }
}

export function definitionError(call: string, name: unknown, problem: string): MrtrTypeError {
  return new MrtrTypeError('ERR_MRTR_DEFINITION', `${call}(${JSON.stringify(name)}, …) ${problem}.`);
}
