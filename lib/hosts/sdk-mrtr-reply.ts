import { ProtocolError, type ServerContext } from '@modelcontextprotocol/server';
import { toolFailure } from '../protocol/result.js';
import { CODE, META, type Fault, type OwnedMethod } from '../protocol/wire.js';
import { INTERNAL, INVALID_STATE } from './faults.js';
import type { CallReply } from './reply.js';

/** The words with which the SDK refuses a state itself: nobody can tell from them who refused, or why. */
const SDK_INVALID_STATE = 'Invalid or expired requestState';

const CANNOT_ASK =
  'This call needs input that the client on this connection cannot be asked for: it did not declare the capability, ' +
  'or its connection has no session through which to ask.';

/** A reply that the SDK sends: it holds what became of a call until the callback returns it. */
export class SdkReply implements CallReply {
  readonly #sdk: ServerContext;
  readonly #method: OwnedMethod;
  readonly #modern: boolean;
  readonly #stop = new AbortController();
  readonly #forward = (): void => this.#stop.abort(this.#sdk.mcpReq.signal.reason);
  #outcome: Record<string, unknown> | ProtocolError | undefined;

  constructor(sdk: ServerContext, method: OwnedMethod, modern: boolean) {
    this.#sdk = sdk;
    this.#method = method;
    this.#modern = modern;
    const { signal } = sdk.mcpReq;
    if (signal.aborted) this.#forward();
    else signal.addEventListener('abort', this.#forward, { once: true });
  }

  /** What the SDK is to send. */
  get outcome(): Record<string, unknown> | ProtocolError {
    return this.#outcome ?? new ProtocolError(INTERNAL.code, INTERNAL.message);
  }

  get gone(): boolean {
    return this.#sdk.mcpReq.signal.aborted;
  }

  get signal(): AbortSignal {
    return this.#stop.signal;
  }

  abort(reason: unknown): void {
    this.#stop.abort(reason);
  }

  /** Lets go of the request: its signal may be one that many requests share. */
  end(): void {
    this.#sdk.mcpReq.signal.removeEventListener('abort', this.#forward);
  }

  notify(method: string, params: object): void {
    if (this.#outcome !== undefined || this.gone) return;
    // A client that cannot be reached, or a server without the capability, is no reason to fail.
    void this.#send(method, params).catch(() => undefined);
  }

  result(_id: unknown, text: string): void {
    const { _meta = {}, resultType, ...result } = JSON.parse(text) as { _meta?: object; resultType?: string };
    // The SDK adds its own.
    const { [META.serverInfo]: _serverInfo, ...meta } = _meta as Record<string, unknown>;
    this.#outcome ??= {
      ...result,
      ...(resultType === 'input_required' && { resultType }),
      ...(Object.keys(meta).length > 0 && { _meta: meta }),
    };
  }

  fault(_id: unknown, fault: Fault): void {
    this.#outcome ??= this.#refusal(fault);
  }

  #refusal(fault: Fault): Record<string, unknown> | ProtocolError {
    if (fault === INVALID_STATE) return new ProtocolError(fault.code, SDK_INVALID_STATE, fault.data);
    if (fault.code !== CODE.missingCapability || this.#modern) {
      return new ProtocolError(fault.code, fault.message, fault.data);
    }
    // Earlier revisions have no such code.
    return this.#method === 'tools/call' ? toolFailure(CANNOT_ASK) : new ProtocolError(CODE.invalidRequest, CANNOT_ASK);
  }

  async #send(method: string, params: object): Promise<void> {
    const { mcpReq } = this.#sdk;
    if (method !== 'notifications/message') return mcpReq.notify({ method, params: { ...params } });
    const { level, data, logger } = params as { level: 'info'; data: unknown; logger: string };
    // eslint-disable-next-line @typescript-eslint/no-deprecated -- it knows the level that a client of an earlier revision set
    return mcpReq.log(level, data, logger);
  }
}
