import type { Target } from '../catalog.js';
import type { MaybePromise } from '../engine/maybe.js';
import { MrtrError } from '../errors.js';
import type { CompiledSchema } from '../protocol/schema.js';

/**
 * Turns what a handler returned into the result that goes out, without `_meta` of the server.
 * Throws `ERR_MRTR_RESULT` or `ERR_MRTR_OUTPUT_SCHEMA`.
 *
 * @param usedInput - whether answers or state had a part in it: such a result is for that person, once
 */
export function completeResult(
  target: Target,
  value: unknown,
  usedInput: boolean,
): MaybePromise<Record<string, unknown>> {
  const result = target.readResult(value);
  if (result === undefined) {
    throw new MrtrError(
      'ERR_MRTR_RESULT',
      `${target.kind}(${JSON.stringify(target.name)}, …) returned no result of its method. Return the protocol's result object, or a string.`,
    );
  }
  const { output, caching } = target;
  if (output === undefined || result['isError'] === true) {
    return caching === undefined ? result : { ...result, ...hints(target, result, usedInput) };
  }
  return checkOutput(target, output, result).then(() => ({ ...result, ...hints(target, result, usedInput) }));
}

async function checkOutput({ name }: Target, output: CompiledSchema, result: Record<string, unknown>): Promise<void> {
  const validation = await output.validate(result['structuredContent']);
  if (validation.ok) return;
  throw new MrtrError(
    'ERR_MRTR_OUTPUT_SCHEMA',
    `tool(${JSON.stringify(name)}, …) returned structuredContent that does not fit its outputSchema: ${validation.problems}.`,
  );
}

function hints({ name, caching: declared }: Target, result: Record<string, unknown>, usedInput: boolean): object {
  if (declared === undefined) return {};
  if (usedInput) return { ttlMs: 0, cacheScope: 'private' };
  const { ttlMs = declared.ttlMs, cacheScope = declared.cacheScope } = result;
  if (Number.isSafeInteger(ttlMs) && (ttlMs as number) >= 0 && (cacheScope === 'public' || cacheScope === 'private')) {
    return { ttlMs, cacheScope };
  }
  throw new MrtrError(
    'ERR_MRTR_RESULT',
    `resource(${JSON.stringify(name)}, …) returned caching hints that cannot be sent: ttlMs is a whole number of milliseconds, cacheScope "public" or "private".`,
  );
}
