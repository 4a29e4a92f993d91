import { digestOf } from '../engine/fingerprint.js';
import { packLedger, unpackLedger, type Ledger } from '../engine/ledger.js';
import type { MrtrErrorCode } from '../errors.js';
import type { ResolvedOptions } from '../options.js';
import { fieldsOf, type Principal } from '../principal.js';
import { canonicalJson } from '../protocol/canonical.js';
import { PROTOCOL_VERSION, type OwnedMethod } from '../protocol/wire.js';
import { lengthPrefixed } from '../seal/aad.js';

/** What a flow carries from round to round. Times are milliseconds of the epoch. */
export interface FlowState {
  readonly flowId: string;
  readonly secret: string;
  /** Rounds so far that brought an answer. */
  readonly rounds: number;
  readonly startedAt: number;
  readonly issuedAt: number;
  /** Names this one state. */
  readonly tokenId: string;
  /** The canonical text of the parameters, or its digest. */
  readonly params: string;
  readonly ledger: Ledger;
}

const MAX_PARAMS_BYTES = 4096;

/**
 * The parameters in the form in which they are sealed and compared: the canonical text up to 4 KiB, its SHA-256 beyond.
 * `undefined` when they hold what JSON cannot say or nest too deeply.
 */
export function sealedParams(params: Readonly<Record<string, unknown>>): string | undefined {
  const text = canonicalJson(params);
  if (text === undefined || text.length * 3 <= MAX_PARAMS_BYTES || Buffer.byteLength(text) <= MAX_PARAMS_BYTES)
    return text;
  return digestOf(text);
}

/** What a state is bound to beside its content: service, request and principal. */
export function bindingOf(
  audience: string,
  method: OwnedMethod,
  target: string,
  principal: Principal | null,
): Uint8Array {
  return lengthPrefixed([audience, `${method}\0${PROTOCOL_VERSION}\0${target}`, ...fieldsOf(principal)]);
}

export function packState(state: FlowState): Record<string, unknown> {
  return {
    f: state.flowId,
    s: state.secret,
    r: state.rounds,
    b: state.startedAt,
    t: state.issuedAt,
    i: state.tokenId,
    p: state.params,
    l: packLedger(state.ledger),
  };
}

export function unpackState(packed: Record<string, unknown>): FlowState | undefined {
  const { f, s, r, b, t, i, p, l } = packed;
  const ledger = unpackLedger(l);
  if (typeof f !== 'string' || typeof s !== 'string' || typeof i !== 'string' || typeof p !== 'string')
    return undefined;
  if (ledger === undefined || !isNumber(r) || !isNumber(b) || !isNumber(t)) return undefined;
  return { flowId: f, secret: s, rounds: r, startedAt: b, issuedAt: t, tokenId: i, params: p, ledger };
}

function isNumber(value: unknown): value is number {
  return typeof value === 'number' && Number.isFinite(value);
}

/** Why an authentic state cannot be used for this request at this time; `undefined` when it can. */
export function staleness(
  state: FlowState,
  params: string,
  now: number,
  options: Pick<ResolvedOptions, 'ttlMs' | 'maxFlowMs' | 'clockSkewMs' | 'maxRounds'>,
): MrtrErrorCode | undefined {
  if (state.issuedAt > now + options.clockSkewMs || state.startedAt > now + options.clockSkewMs) {
    return 'ERR_MRTR_STATE_FUTURE';
  }
  if (now >= state.issuedAt + options.ttlMs) return 'ERR_MRTR_STATE_EXPIRED';
  if (now >= state.startedAt + options.maxFlowMs) return 'ERR_MRTR_STATE_FLOW_EXPIRED';
  if (state.rounds >= options.maxRounds) return 'ERR_MRTR_STATE_ROUNDS';
  if (state.params !== params) return 'ERR_MRTR_STATE_PARAMS';
  return undefined;
}
