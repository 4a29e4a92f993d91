import { EMPTY_LEDGER, type Ledger } from '../engine/ledger.js';
import { isPending, type MaybePromise } from '../engine/maybe.js';
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
      const readying = codec.ready?.();
      if (readying !== undefined) await readying;
      return { kind: 'flow', flow: beginFlow(params, environment) };
    }
    if (typeof token !== 'string' || token === '' || token.length > options.maxStateBytes) {
      return { kind: 'refused', reason: 'ERR_MRTR_STATE_MALFORMED' };
    }
    const readying = codec.ready?.();
    if (readying !== undefined) await readying;
    const unsealing: unknown = codec.unseal(token, binding, principal);
    const packed: unknown = isPending(unsealing) ? await unsealing : unsealing;
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

/** Seals a flow, with what its last round made of it, into the next `requestState`. Throws or rejects with `ERR_MRTR_CODEC` or `ERR_MRTR_STATE_TOO_LARGE`. */
export function sealFlow(
  { flowId, secret, startedAt, params }: FlowState,
  { rounds, ledger }: Pick<FlowState, 'rounds' | 'ledger'>,
  { binding, principal }: Bindings,
  options: ResolvedOptions,
  environment: Environment,
): MaybePromise<string> {
  const tokenId = environment.random(12).toString('base64url');
  const packed = packState({ flowId, secret, rounds, startedAt, issuedAt: environment.now(), tokenId, params, ledger });
  let token: unknown;
  try {
    token = options.codec.seal(packed, binding, principal);
  } catch (error) {
    throw sealFault(error);
  }
  if (!isPending(token)) return checkedToken(token, ledger, options);
  return Promise.resolve(token).then(
    (sealed) => checkedToken(sealed, ledger, options),
    (error: unknown) => {
      throw sealFault(error);
    },
  );
}

function sealFault(cause: unknown): MrtrError {
  return new MrtrError('ERR_MRTR_CODEC', 'The codec could not seal a state.', { cause });
}

function checkedToken(token: unknown, { steps }: Ledger, { maxStateBytes }: ResolvedOptions): string {
  if (typeof token !== 'string' || token === '') {
    throw new MrtrError('ERR_MRTR_CODEC', `The codec must seal to a text; it returned ${typeof token}.`);
  }
  const bytes = Buffer.byteLength(token);
  if (bytes <= maxStateBytes) return token;
  const step = biggestStep(steps);
  const named =
    step === undefined
      ? ''
      : `Its ${steps.size} steps are part of it, the biggest ${JSON.stringify(step.name)} (${step.runs} times, ${step.bytes} bytes): return less from them. `;
  throw new MrtrError(
    'ERR_MRTR_STATE_TOO_LARGE',
    `The requestState of this flow would be ${bytes} bytes, more than maxStateBytes (${maxStateBytes}). ` +
      `${named}Ask for shorter answers (maxLength), or raise maxStateBytes together with the limit of the body parser.`,
  );
}
