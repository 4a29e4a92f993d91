import { channel } from 'node:diagnostics_channel';
import { inspect } from 'node:util';
import type { Response } from 'supertest';
import { codeOf } from '../../lib/errors.js';
import type { MrtrEvents } from '../../lib/events.js';
import { KEY, OTHER_KEY } from './http.js';
import { Output } from './output.js';

/** What must stay where it is, by where it comes from. All hold the word that is looked for. */
export const SECRET = {
  answer: 'SENTINEL-answer',
  argument: 'SENTINEL-argument',
  question: 'SENTINEL-question',
  user: 'SENTINEL-user',
  header: 'SENTINEL-header',
  thrown: 'SENTINEL-thrown',
} as const;

const CHANNELS = ['mrtr:round', 'mrtr:refused', 'mrtr:warning', 'mrtr:error'] as const;

const KEYS = [KEY, OTHER_KEY].flatMap((key) => {
  const bytes = Buffer.from(key.slice('mrtrk_'.length), 'base64url');
  return [key.slice('mrtrk_'.length), bytes.toString('hex'), bytes.toString('base64'), bytes.toString('latin1')];
});

export interface Event {
  readonly name: keyof MrtrEvents;
  readonly payload: Record<string, unknown>;
}

/** Everything that leaves this package while `work` runs, apart from what it is asked to give out. */
export class Watch {
  readonly events: Event[] = [];
  readonly bodies: string[] = [];
  readonly errors: unknown[] = [];
  readonly tokens: string[] = [];
  output = '';

  async during(work: () => Promise<void>): Promise<void> {
    const output = new Output();
    const listeners = CHANNELS.map((name) => {
      const listener = (payload: unknown): void =>
        void this.events.push({ name, payload: payload as Record<string, unknown> });
      channel(name).subscribe(listener);
      return () => channel(name).unsubscribe(listener);
    });
    try {
      await work();
    } finally {
      for (const unsubscribe of listeners) unsubscribe();
      output.restore();
      this.output = output.text;
    }
  }

  /** Looks through the reply as well: it is an error, or a result in which nothing secret has a place. */
  readonly reply = (response: Response): Response => {
    this.bodies.push(`${JSON.stringify(response.headers)}\n${response.text}`);
    return response;
  };

  /** Every place at which something secret came out, as `place: what`. */
  leaks(): string[] {
    const messages = this.errors
      .filter((error) => codeOf(error) !== undefined)
      .map((error) => (error as Error).message);
    return [
      ...this.events.flatMap(({ name, payload }) =>
        this.#in(name, inspect(payload, { depth: Infinity, showHidden: true })),
      ),
      ...this.bodies.flatMap((body) => this.#in('reply', body)),
      ...messages.flatMap((message) => this.#in('error.message', message)),
      ...this.#in('output', this.output),
    ];
  }

  #in(place: string, text: string): string[] {
    const found = [
      ...(text.match(/SENTINEL[-\w]*/g) ?? []),
      ...KEYS.filter((key) => text.includes(key)).map(() => 'a key'),
      ...this.tokens.filter((token) => text.includes(token)).map(() => 'a state'),
    ];
    return [...new Set(found)].map((what) => `${place}: ${what}`);
  }
}
