import { supports } from '../protocol/capabilities.js';
import { isObject, type ClientCapabilities } from '../protocol/wire.js';
import { LEGACY_VERSIONS, type LegacyVersion } from './session.js';

/** The revision that both sides speak from now on: the requested one, if it is served, else the newest before 2026-07-28. */
export function negotiated(requested: unknown): LegacyVersion {
  return LEGACY_VERSIONS.find((version) => version === requested) ?? LEGACY_VERSIONS[0];
}

/** What a client declared in `initialize`, as far as its revision knows it: 2025-06-18 has no modes, and no tools in sampling. */
export function declaredIn(capabilities: unknown, version: LegacyVersion): ClientCapabilities {
  if (!isObject(capabilities)) return {};
  if (version !== '2025-06-18') return capabilities;
  return {
    ...(isObject(capabilities['elicitation']) && { elicitation: {} }),
    ...(supports(capabilities, 'sampling') && { sampling: {} }),
    ...(supports(capabilities, 'roots') && { roots: {} }),
  };
}
