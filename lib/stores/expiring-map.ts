interface Entry<V> {
  readonly value: V;
  readonly until: number;
}

/**
 * A map whose entries end at a time of their own. Ended ones are never found, and later writes clear them away, a second's
 * worth at a time: no timer, and no write that walks all entries.
 */
export class ExpiringMap<V> {
  readonly #entries = new Map<string, Entry<V>>();
  readonly #endingIn = new Map<number, Set<string>>();
  #sweptIn = -Infinity;

  /** Entries held, ended ones included that {@link sweep} has not met yet. */
  get size(): number {
    return this.#entries.size;
  }

  get(key: string, now: number): V | undefined {
    const entry = this.#entries.get(key);
    return entry !== undefined && entry.until >= now ? entry.value : undefined;
  }

  /** @param until - the last millisecond at which the entry is there. */
  set(key: string, value: V, until: number, now: number): void {
    if (secondOf(now) > this.#sweptIn) this.sweep(now);
    this.delete(key);
    this.#entries.set(key, { value, until });
    const second = secondOf(until);
    const keys = this.#endingIn.get(second);
    if (keys === undefined) this.#endingIn.set(second, new Set([key]));
    else keys.add(key);
  }

  delete(key: string): void {
    const entry = this.#entries.get(key);
    if (entry === undefined) return;
    this.#entries.delete(key);
    const second = secondOf(entry.until);
    const keys = this.#endingIn.get(second);
    keys?.delete(key);
    if (keys?.size === 0) this.#endingIn.delete(second);
  }

  /** Clears away every entry that has ended. */
  sweep(now: number): void {
    this.#sweptIn = secondOf(now);
    for (const [second, keys] of this.#endingIn) {
      if (second > this.#sweptIn) continue;
      for (const key of keys) if (this.get(key, now) === undefined) this.delete(key);
    }
  }
}

function secondOf(milliseconds: number): number {
  return Math.floor(milliseconds / 1000);
}
