/** A clock that moves only when told to. */
export class Clock {
  #at = Date.UTC(2026, 6, 28);

  readonly now = (): number => this.#at;

  readonly advance = (ms: number): void => {
    this.#at += ms;
  };
}
