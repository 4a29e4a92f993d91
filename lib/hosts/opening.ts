import { EMPTY_LEDGER } from '../engine/ledger.js';
import { biggestStep } from '../engine/steps.js';
import { MrtrError, type MrtrErrorCode } from '../errors.js';
import type { ResolvedOptions } from '../options.js';
import type { Principal } from '../principal.js';
import { isObject } from '../protocol/wire.js';
import type { UnsealFailure } from '../seal/codec.js';
import type { Environment } from './environment.js';
import { packState, staleness, unpackState, type FlowState } from './state.js';

export type Opening =
  | { readonly kind: 'flow'; readonly flow: FlowState }
  | { readonly kind: 'refused'; readonly reason: MrtrErrorCode }
  | { readonly kind: 'broken'; readonly error: unknown };

export interface Bindings {
  readonly binding: Uint8Array;
  readonly principal: Principal | null;
  /** The canonical parameters of this request. */
  readonly params: string;
}

const UNSEAL_REASONS: { readonly [Failure in UnsealFailure]: MrtrErrorCode } = {
  malformed: 'ERR_MRTR_STATE_MALFORMED',
  unknown_key: 'ERR_MRTR_STATE_UNKNOWN_KEY',
  unverified: 'ERR_MRTR_STATE_UNVERIFIED',
};

/** Opens the state that a request brought, or begins a flow for a request that brought none. */
export async function openFlow(
  token: unknown,
  { binding, principal, params }: Bindings,
  options: ResolvedOptions,
  environment: Environment,
): Promise<Opening> {
  const { codec } = options;
  try {
    if (token === undefined || token === null) {
      await codec.ready?.();
      return { kind: 'flow', flow: beginFlow(params, environment) };
    }
    if (typeof token !== 'string' || token === '' || token.length > options.maxStateBytes) {
      return { kind: 'refused', reason: 'ERR_MRTR_STATE_MALFORMED' };
    }
    await codec.ready?.();
    const packed: unknown = await codec.unseal(token, binding, principal);
    if (packed === undefined) {
      return { kind: 'refused', reason: UNSEAL_REASONS[(await codec.diagnose?.(token)) ?? 'unverified'] };
    }
    const flow = isObject(packed) ? unpackState(packed) : undefined;
    if (flow === undefined) return { kind: 'refused', reason: 'ERR_MRTR_STATE_MALFORMED' };
    const reason = staleness(flow, params, environment.now(), options);
    return reason === undefined ? { kind: 'flow', flow } : { kind: 'refused', reason };
  } catch (error) {
    return { kind: 'broken', error };
  }
}

function beginFlow(params: string, environment: Environment): FlowState {
  const now = environment.now();
  return {
    flowId: environment.random(16).toString('base64url'),
    secret: environment.random(16).toString('base64url'),
    rounds: 0,
    startedAt: now,
    issuedAt: now,
    tokenId: '',
    params,
    ledger: EMPTY_LEDGER,
  };
}

/** Whether a flow comes from a call without state. */
export function isFresh(flow: FlowState): boolean {
  return flow.tokenId === '';
}

/** Seals a flow into the next `requestState`. Throws `ERR_MRTR_CODEC` or `ERR_MRTR_STATE_TOO_LARGE`. */
export async function sealFlow(
  flow: Omit<FlowState, 'issuedAt' | 'tokenId'>,
  { binding, principal }: Bindings,
  options: ResolvedOptions,
  environment: Environment,
): Promise<string> {
  const tokenId = environment.random(12).toString('base64url');
  const packed = packState({ ...flow, issuedAt: environment.now(), tokenId });
  let token: unknown;
  try {
    token = await options.codec.seal(packed, binding, principal);
  } catch (error) {
    throw new MrtrError('ERR_MRTR_CODEC', 'The codec could not seal a state.', { cause: error });
  }
  if (typeof token !== 'string' || token === '') {
    throw new MrtrError('ERR_MRTR_CODEC', `The codec must seal to a text; it returned ${typeof token}.`);
  }
  const bytes = Buffer.byteLength(token);
  if (bytes <= options.maxStateBytes) return token;
  const step = biggestStep(flow.ledger.steps);
  const named =
    step === undefined
      ? ''
      : `Its ${flow.ledger.steps.size} steps are part of it, the biggest ${JSON.stringify(step.name)} (${step.runs} times, ${step.bytes} bytes): return less from them. `;
  throw new MrtrError(
    'ERR_MRTR_STATE_TOO_LARGE',
    `The requestState of this flow would be ${bytes} bytes, more than maxStateBytes (${options.maxStateBytes}). ` +
      `${named}Ask for shorter answers (maxLength), or raise maxStateBytes together with the limit of the body parser.`,
  );
}
