import type { LedgerEntry } from './engine/ledger.js';
import { bindingOf, unpackState, type FlowState } from './hosts/state.js';
import type { Principal } from './principal.js';
import type { OwnedMethod } from './protocol/wire.js';
import { SealedCodec } from './seal/codec.js';
import { decodeEnvelope, ENVELOPE_VERSION } from './seal/envelope.js';
import type { Keyring } from './seal/keyring.js';
import { NONCE_LENGTH, TAG_LENGTH } from './seal/xaes.js';

/** What a state was sealed for; without all of it nobody can open the payload. */
export interface Binding {
  readonly audience: string;
  readonly method: OwnedMethod;
  readonly target: string;
  /** `null` is an anonymous caller. */
  readonly principal: Principal | null;
}

export interface Showing {
  /** Milliseconds of the epoch. */
  readonly now: number;
  readonly answers: boolean;
}

/** The lines that say what everybody can see of a state. */
export interface Header {
  readonly lines: readonly string[];
  readonly keyId: string;
  /** Whether one of the keys has this id. */
  readonly known: boolean;
}

/** What can be read of a state without its binding; `undefined` when the text is no state. */
export function readHeader(token: string, keyring: Keyring): Header | undefined {
  const envelope = decodeEnvelope(token);
  if (envelope === undefined) return undefined;
  const { keyId, sealed } = envelope;
  const known = keyring.for('state').find(keyId) !== undefined;
  const lines = [
    `version     ${ENVELOPE_VERSION}`,
    `key id      ${keyId}, ${known ? 'of a key' : 'of none of the keys'} in MRTR_KEYS`,
    `size        ${token.length} characters`,
    `nonce       ${NONCE_LENGTH} bytes`,
    `ciphertext  ${sealed.length - TAG_LENGTH} bytes`,
    `tag         ${TAG_LENGTH} bytes`,
  ];
  return { lines, keyId, known };
}

/** The lines that say what is inside; `undefined` when the state does not open under these keys and this binding. */
export function readPayload(
  token: string,
  keyring: Keyring,
  { audience, method, target, principal }: Binding,
  showing: Showing,
): readonly string[] | undefined {
  const packed = new SealedCodec({ keyring }).unseal(token, bindingOf(audience, method, target, principal));
  const state = packed && unpackState(packed);
  return state && payloadLines(state, showing).map(printable);
}

/** Everything but the flow secret, from which idempotency keys are made. */
function payloadLines({ flowId, rounds, startedAt, issuedAt, params, ledger }: FlowState, showing: Showing): string[] {
  return [
    `flow        ${flowId}`,
    `rounds      ${rounds} with an answer`,
    `started     ${timeOf(startedAt, showing.now)}`,
    `issued      ${timeOf(issuedAt, showing.now)}`,
    `params      ${params.startsWith('{') ? params : `SHA-256 ${params}`}`,
    `questions   ${ledger.entries.length}`,
    ...ledger.entries.map((entry) => `  ${entryText(entry, showing.answers)}`),
  ];
}

function entryText({ key, kind, status, attempts, fingerprint, answer }: LedgerEntry, answers: boolean): string {
  const text = `${JSON.stringify(key)} ${kind}, ${status}, unusable answers: ${attempts}, fingerprint: ${fingerprint}`;
  if (status === 'open') return text;
  return `${text}, answer: ${answers ? JSON.stringify(answer) : '<redacted>'}`;
}

function timeOf(ms: number, now: number): string {
  const date = new Date(ms);
  const age = Math.round((now - ms) / 1000);
  return `${Number.isNaN(date.getTime()) ? ms : date.toISOString()}, ${Math.abs(age)} s ${age < 0 ? 'ahead' : 'ago'}`;
}

/** Clients choose what some of these lines say; it must not reach a terminal as a command. */
function printable(line: string): string {
  return line.replaceAll(/[\p{Cc}\p{Cf}\p{Cs}\p{Zl}\p{Zp}]/gu, (character) => {
    return `\\u{${(character.codePointAt(0) ?? 0).toString(16)}}`;
  });
}
