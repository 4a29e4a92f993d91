/** At most `limit` values, each good for `ms` milliseconds from when it was set. A full cache forgets the oldest. */
export class ExpiringCache<V> {
  readonly #entries = new Map<string, { readonly value: V; readonly until: number }>();
  readonly #limit: number;
  readonly #ms: number;
  readonly #now: () => number;

  constructor(limit: number, ms: number, now: () => number) {
    this.#limit = limit;
    this.#ms = ms;
    this.#now = now;
  }

  get(name: string): V | undefined {
    const entry = this.#entries.get(name);
    if (entry === undefined) return undefined;
    if (this.#now() < entry.until) return entry.value;
    this.#entries.delete(name);
    return undefined;
  }

  set(name: string, value: V): void {
    // All values last equally long, so the order in which they were set is the order in which they expire.
    this.#entries.delete(name);
    const [oldest] = this.#entries.keys();
    if (oldest !== undefined && this.#entries.size >= this.#limit) this.#entries.delete(oldest);
    this.#entries.set(name, { value, until: this.#now() + this.#ms });
  }
}
