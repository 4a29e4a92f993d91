import { within, type Clock } from '../seal/deadline.js';
import { mailboxError } from './parking.js';
import { DELIVER, TAKE } from './redis-mailbox-scripts.js';

type SendCommand = (args: readonly [command: string, ...args: string[]]) => Promise<unknown>;

/** The messages of a mailbox in Redis. All methods reject with `ERR_MRTR_MAILBOX` when Redis fails or is late. */
export class RedisLetters {
  readonly #mailbox: string;
  readonly #sendCommand: SendCommand;
  readonly #prefix: string;
  readonly #keepMs: number;
  readonly #timeoutMs: number;
  readonly #clock: Clock;

  /** @param mailbox - what messages call it. */
  constructor(
    mailbox: string,
    sendCommand: SendCommand,
    prefix: string,
    keepMs: number,
    timeoutMs: number,
    clock: Clock,
  ) {
    this.#mailbox = mailbox;
    this.#sendCommand = sendCommand;
    this.#prefix = prefix;
    this.#keepMs = keepMs;
    this.#timeoutMs = timeoutMs;
    this.#clock = clock;
  }

  /** Keeps the first message for an id and calls its word out on the channel. */
  async put(id: string, message: string, channel: string): Promise<void> {
    const reply = await this.#run(DELIVER, id, [wordOf(message), String(this.#keepMs), channel, wordOf(id)]);
    if (reply !== 'delivered') throw this.#unexpected(reply);
  }

  /** The message for an id, if there is one that nobody else has taken. */
  async take(id: string, taker: string): Promise<string | undefined> {
    const reply = await this.#run(TAKE, id, [taker, String(this.#keepMs)]);
    if (reply === '') return undefined;
    const message = messageOf(reply);
    if (message === undefined) throw this.#unexpected(reply);
    return message;
  }

  /** @param option - the function that is waited for. */
  async inTime<T>(option: string, work: () => Promise<T>): Promise<T> {
    const late = mailboxError(
      `${this.#mailbox}: Redis has not answered ${option} within ${this.#timeoutMs} ms (its option "timeoutMs").`,
    );
    try {
      return await within(this.#timeoutMs, this.#clock, work, () => late);
    } catch (error) {
      throw error === late ? late : mailboxError(`${this.#mailbox}: ${option} failed; see the cause.`, error);
    }
  }

  #run(script: string, id: string, args: readonly string[]): Promise<unknown> {
    const key = this.#prefix + wordOf(id);
    return this.inTime('sendCommand', () => this.#sendCommand(['EVAL', script, '1', key, ...args]));
  }

  /** Names the type only: the reply may hold the answer of somebody. */
  #unexpected(reply: unknown): Error {
    const type = reply === null ? 'null' : Array.isArray(reply) ? 'an array' : typeof reply;
    return mailboxError(
      `${this.#mailbox}: "sendCommand" gave back the wrong reply (${type}). It must send its arguments to Redis unchanged and ` +
        'give back the reply with texts as strings, not as Buffers.',
    );
  }
}

/** Well-formed text for any text, since UTF-8 makes every lone surrogate the same character. No two texts become one. */
export function wordOf(text: string): string {
  return JSON.stringify(text);
}

function messageOf(reply: unknown): string | undefined {
  try {
    const message: unknown = typeof reply === 'string' ? JSON.parse(reply) : undefined;
    return typeof message === 'string' ? message : undefined;
  } catch {
    return undefined;
  }
}
