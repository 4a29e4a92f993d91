interface Listening {
  readonly tasks: Set<() => void>;
  readonly listener: () => void;
}

/** One listener for each signal, however many questions of its call wait: beyond ten listeners, Node warns of a leak. */
export class Aborts {
  readonly #listening = new Map<AbortSignal, Listening>();

  /** Runs `task` when the signal aborts; the returned function calls it off. */
  on(signal: AbortSignal, task: () => void): () => void {
    const { tasks, listener } = this.#listening.get(signal) ?? this.#listen(signal);
    tasks.add(task);
    return () => {
      if (!tasks.delete(task) || tasks.size > 0) return;
      signal.removeEventListener('abort', listener);
      this.#listening.delete(signal);
    };
  }

  #listen(signal: AbortSignal): Listening {
    const tasks = new Set<() => void>();
    const listener = (): void => {
      for (const task of [...tasks]) task();
    };
    const listening = { tasks, listener };
    this.#listening.set(signal, listening);
    signal.addEventListener('abort', listener);
    return listening;
  }
}
