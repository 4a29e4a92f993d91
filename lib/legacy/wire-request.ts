import { isObject, type InputRequest } from '../protocol/wire.js';
import type { LegacyVersion } from './session.js';

/**
 * A request as an earlier revision spells it: in 2025-11-25 URL mode carries an `elicitationId`; 2025-06-18 knows no modes,
 * and gives titles of choices as `enumNames`.
 */
export function wireRequest(request: InputRequest, version: LegacyVersion, elicitationId: string): object {
  if (request.method !== 'elicitation/create') return request;
  const { method, params } = request;
  if (params.mode === 'url') return { method, params: { ...params, elicitationId } };
  if (version !== '2025-06-18') return request;
  const { mode: _mode, requestedSchema, ...rest } = params;
  const properties = Object.fromEntries(
    Object.entries(requestedSchema.properties).map(([name, property]) => [name, withEnumNames(property)]),
  );
  return { method, params: { ...rest, requestedSchema: { ...requestedSchema, properties } } };
}

function withEnumNames(property: object): object {
  const { oneOf, ...rest } = property as Record<string, unknown>;
  if (!Array.isArray(oneOf)) return property;
  const choices = (oneOf as unknown[]).filter(isObject);
  return {
    ...rest,
    enum: choices.map((choice) => choice['const']),
    enumNames: choices.map((choice) => choice['title']),
  };
}
