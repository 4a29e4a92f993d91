import { MrtrTypeError } from '../errors.js';
import type { JsonValue } from '../protocol/wire.js';

const MAX_DEPTH = 128;
const MAX_PATH = 80;

/**
 * A copy of a value that has to survive a round: JSON data and nothing else. Members that are `undefined` are left out,
 * as JSON does. Throws `ERR_MRTR_STEP` for what JSON would lose or change, naming the place and the remedy, never the value.
 *
 * @param where - how a message calls the value, such as `ctx.step("load")`
 */
export function jsonOf(value: unknown, where: string): JsonValue {
  return copyOf(value, where, '', 0);
}

function copyOf(value: unknown, where: string, path: string, depth: number): JsonValue {
  switch (typeof value) {
    case 'string':
    case 'boolean':
      return value;
    case 'number':
      // JSON has no -0, so the first round must not see one either.
      if (Number.isFinite(value)) return value + 0;
      throw refusal(where, path, String(value), 'a finite number, or null');
    case 'object':
      if (value === null) return value;
      if (depth === MAX_DEPTH)
        throw refusal(where, path, 'a cycle, or a very deep structure', 'a flat copy of what you need');
      return Array.isArray(value) ? itemsOf(value, where, path, depth) : membersOf(value, where, path, depth);
    case 'bigint':
      throw refusal(where, path, 'a bigint', 'String(value), and BigInt(text) after the step');
    case 'function':
      throw refusal(where, path, 'a function', 'the data that you need of it');
    case 'symbol':
      throw refusal(where, path, 'a symbol', 'its description');
    case 'undefined':
      throw refusal(where, path, 'undefined in an array', 'null');
  }
}

function itemsOf(items: readonly unknown[], where: string, path: string, depth: number): JsonValue {
  // Array.from, as map would skip the holes of a sparse array.
  return Array.from(items, (item, index) => copyOf(item, where, `${path}[${index}]`, depth + 1));
}

function membersOf(value: object, where: string, path: string, depth: number): JsonValue {
  const prototype: unknown = Object.getPrototypeOf(value);
  // Plain objects of another realm (vm, jest) have an Object.prototype of their own: one without a prototype above it.
  if (prototype !== null && Object.getPrototypeOf(prototype) !== null) throw classRefusal(value, where, path);
  const copy: Record<string, JsonValue> = {};
  for (const [name, member] of Object.entries(value) as [string, unknown][]) {
    if (member === undefined) continue;
    // A name that is no identifier may be data of somebody's.
    const place = /^[A-Za-z_$][\w$]{0,31}$/.test(name) ? `.${name}` : '[…]';
    const copied = copyOf(member, where, path + place, depth + 1);
    // Assignment would take `__proto__` for the prototype.
    Object.defineProperty(copy, name, { value: copied, enumerable: true, configurable: true, writable: true });
  }
  return copy;
}

function classRefusal(value: object, where: string, path: string): MrtrTypeError {
  if (value instanceof Date) return refusal(where, path, 'a Date', 'date.toISOString()');
  if (value instanceof Map) return refusal(where, path, 'a Map', '[...map], and new Map(entries) after the step');
  if (value instanceof Set) return refusal(where, path, 'a Set', '[...set]');
  if (ArrayBuffer.isView(value))
    return refusal(where, path, 'bytes', 'a text of them, such as buffer.toString("base64")');
  if (value instanceof Promise) return refusal(where, path, 'a promise', 'what it resolves to: await it');
  const made: unknown = (value as { constructor?: unknown }).constructor;
  const name =
    typeof made === 'function' && made.name !== '' ? `an instance of ${made.name}` : 'an instance of a class';
  return refusal(
    where,
    path,
    name,
    'a plain object with the members that you need, as in ({ id, total }) => ({ id, total })',
  );
}

function refusal(where: string, path: string, what: string, instead: string): MrtrTypeError {
  const from = path.startsWith('.') ? path.slice(1) : path;
  const place = from === '' ? '' : ` (at ${from.length > MAX_PATH ? `${from.slice(0, MAX_PATH)}…` : from})`;
  return new MrtrTypeError(
    'ERR_MRTR_STEP',
    `${where} gave ${what}${place}, which does not survive a round as it is. Return ${instead}.`,
  );
}
