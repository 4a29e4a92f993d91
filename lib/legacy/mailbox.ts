/**
 * Where a call waits for the client's response to a question of the server (MCP 2025-11-25 and earlier), whichever node that
 * response reaches. Ids are random and each is parked at once; messages are sealed texts that only the parked call can open,
 * so a mailbox need not keep them secret.
 *
 * A method that throws or rejects says that the mailbox is out of order; the call then fails rather than wait for nothing.
 *
 * @example
 * ```ts
 * const answer = mailbox.park(id, 300_000, signal);
 * // elsewhere, when the response comes
 * await mailbox.deliver(id, sealed);
 * await answer; // sealed
 * ```
 */
export interface Mailbox {
  /**
   * Waits for the one message delivered to `id`. A message that was delivered shortly before is not lost.
   *
   * @returns `undefined` when `timeoutMs` passed or the signal aborted first.
   */
  park(id: string, timeoutMs: number, signal: AbortSignal): Promise<string | undefined>;
  /**
   * Hands a message to whoever parks at `id`, here or on another node, now or shortly. Nothing happens for an id at which
   * nobody ever parks; a repeat after the first message is dropped.
   */
  deliver(id: string, message: string): Promise<void> | void;
  /** Called before a call may ask. A rejection says that nothing could be received, so that nothing must be asked. */
  ready?(): Promise<void> | void;
  /** Ends what is parked and gives back what the mailbox holds. */
  close?(): Promise<void> | void;
}
