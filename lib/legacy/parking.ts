import { MrtrError } from '../errors.js';
import type { Clock } from '../seal/deadline.js';
import { Aborts } from './aborts.js';

interface Parked {
  readonly settle: (message: string | undefined) => void;
  readonly fail: (error: Error) => void;
}

export function mailboxError(message: string, cause?: unknown): MrtrError {
  return new MrtrError('ERR_MRTR_MAILBOX', message, cause === undefined ? undefined : { cause });
}

/** The calls of one process that wait at a mailbox. However one ends, its timer and its abort listener end with it. */
export class Parking {
  readonly #parked = new Map<string, Parked>();
  readonly #aborts = new Aborts();
  readonly #mailbox: string;
  readonly #limit: number;
  readonly #clock: Clock;
  #closed = false;

  /** @param mailbox - what messages call it. */
  constructor(mailbox: string, limit: number, clock: Clock) {
    this.#mailbox = mailbox;
    this.#limit = limit;
    this.#clock = clock;
  }

  get size(): number {
    return this.#parked.size;
  }

  has(id: string): boolean {
    return this.#parked.has(id);
  }

  /** @throws MrtrError `ERR_MRTR_MAILBOX` when it is closed. */
  checkOpen(): void {
    if (this.#closed) throw mailboxError(`${this.#mailbox} is closed: nothing can be received any more.`);
  }

  /** @throws MrtrError `ERR_MRTR_MAILBOX` when nobody can be parked. */
  checkRoom(): void {
    this.checkOpen();
    if (this.#parked.size < this.#limit) return;
    throw mailboxError(
      `${this.#mailbox} is full: ${this.#limit} questions of this process wait for their answers. ` +
        'Raise its option "maxParked", shorten the time-outs of questions, or add nodes.',
    );
  }

  /**
   * @param late - asked when the time is over: an error in place of `undefined`.
   * @throws MrtrError `ERR_MRTR_MAILBOX` when nobody can be parked, or somebody is at `id`.
   */
  park(
    id: string,
    timeoutMs: number,
    signal: AbortSignal,
    late: () => Error | undefined = () => undefined,
  ): Promise<string | undefined> {
    this.checkRoom();
    if (this.#parked.has(id)) {
      throw mailboxError(`${this.#mailbox}: another call waits at this id; park() takes a new random id each time.`);
    }
    return new Promise((resolve, reject) => {
      const end = (): void => {
        this.#parked.delete(id);
        stopListening();
        cancel();
      };
      const settle = (message: string | undefined): void => {
        end();
        resolve(message);
      };
      const fail = (error: Error): void => {
        end();
        reject(error);
      };
      const cancel = this.#clock.after(timeoutMs, () => {
        const error = late();
        if (error === undefined) settle(undefined);
        else fail(error);
      });
      this.#parked.set(id, { settle, fail });
      const stopListening = this.#aborts.on(signal, () => settle(undefined));
    });
  }

  /** Whether somebody was there to take the message. */
  settle(id: string, message: string): boolean {
    const parked = this.#parked.get(id);
    parked?.settle(message);
    return parked !== undefined;
  }

  fail(id: string, error: Error): void {
    this.#parked.get(id)?.fail(error);
  }

  /** Ends every call that waits, with `ERR_MRTR_MAILBOX`. */
  close(): void {
    this.#closed = true;
    const error = mailboxError(`${this.#mailbox} was closed while a call waited for an answer.`);
    for (const { fail } of [...this.#parked.values()]) fail(error);
  }
}
