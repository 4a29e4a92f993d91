import { inspect } from 'node:util';

const METHODS = ['log', 'info', 'warn', 'error', 'debug', 'trace', 'dir', 'table'] as const;

/** Keeps what is written to the console, to stdout and to stderr, and what is warned of, until `restore`. */
export class Output {
  text = '';
  readonly #spies: jest.SpyInstance[];

  constructor() {
    const streams = [process.stdout, process.stderr].map((stream) =>
      jest.spyOn(stream, 'write').mockImplementation((chunk) => this.#keep(chunk)),
    );
    const logs = METHODS.map((method) =>
      jest
        .spyOn(console, method)
        .mockImplementation((...values: unknown[]) => void values.map((value) => this.#keep(value))),
    );
    const warnings = jest.spyOn(process, 'emitWarning').mockImplementation((warning) => void this.#keep(warning));
    this.#spies = [...streams, ...logs, warnings];
  }

  restore(): void {
    for (const spy of this.#spies) spy.mockRestore();
  }

  #keep(value: unknown): true {
    this.text += `${typeof value === 'string' ? value : inspect(value, { depth: Infinity, showHidden: true })}\n`;
    return true;
  }
}
