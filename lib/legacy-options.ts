import { MemoryMailbox } from './legacy/memory-mailbox.js';
import { sealingOf } from './legacy/sealing.js';
import { hasMethods, optionError, seconds, show, whole } from './option-checks.js';
import type { LegacyService } from './option-types.js';
import { isObject } from './protocol/wire.js';
import type { Mailbox } from './legacy/mailbox.js';
import type { Keyring } from './seal/keyring.js';
import type { ProvidedKeys } from './seal/provided-keys.js';

const KNOWN = ['mailbox', 'elicitationTimeoutSeconds', 'samplingTimeoutSeconds', 'sessionTtlSeconds', 'maxParked'];

/**
 * Checks the `legacy` option: `undefined` when earlier revisions are turned away.
 *
 * @param keys - by which sessions are sealed; `undefined` when there are none, as with a codec of somebody's own
 */
export function legacyService(
  option: unknown,
  keys: Keyring | ProvidedKeys | undefined,
  audience: string,
): LegacyService | undefined {
  if (option === false) return undefined;
  const given = option === undefined || option === true ? {} : option;
  if (!isObject(given)) {
    throw optionError(
      'legacy',
      `must be true, false or { ${KNOWN.join(', ')} }; got ${Array.isArray(given) ? 'an array' : show(given)}`,
    );
  }
  const unknown = Object.keys(given).find((name) => !KNOWN.includes(name));
  if (unknown !== undefined) throw optionError(`legacy.${unknown}`, `is not known; legacy takes ${KNOWN.join(', ')}`);
  const maxParked = whole('legacy.maxParked', given['maxParked'], 1000, 1);
  const mailbox = mailboxOf(given['mailbox']);
  return Object.freeze({
    // Beside its question a call that asks also waits for word that its client cancels it.
    mailbox: mailbox ?? new MemoryMailbox({ maxParked: 2 * maxParked }),
    ownMailbox: mailbox === undefined,
    sealing: keys && sealingOf(keys, audience),
    elicitationTimeoutMs: seconds('legacy.elicitationTimeoutSeconds', given['elicitationTimeoutSeconds'], 300),
    samplingTimeoutMs: seconds('legacy.samplingTimeoutSeconds', given['samplingTimeoutSeconds'], 600),
    sessionTtlMs: seconds('legacy.sessionTtlSeconds', given['sessionTtlSeconds'], 86_400),
    maxParked,
  });
}

function mailboxOf(mailbox: unknown): Mailbox | undefined {
  if (mailbox === undefined || hasMethods(mailbox, ['park', 'deliver'])) return mailbox as Mailbox | undefined;
  throw optionError('legacy.mailbox', 'must have the methods park and deliver, as MemoryMailbox and RedisMailbox do');
}
