import type { Answer, Request } from './messages.js';

export type Operations = Readonly<Record<string, (input: never) => unknown>>;

/** Answers the parent's requests until it goes away. */
export function serve(operations: Operations): void {
  process.on('message', ({ id, operation, input }: Request) => {
    void answer(operations, operation, input).then(
      (value) => send({ id, ok: true, value }),
      (error: unknown) => send({ id, ok: false, error: error instanceof Error ? (error.stack ?? '') : String(error) }),
    );
  });
  process.on('disconnect', () => process.exit(0));
}

async function answer(operations: Operations, operation: string, input: unknown): Promise<unknown> {
  const run = Object.hasOwn(operations, operation) ? operations[operation] : undefined;
  if (run === undefined) throw new Error(`no operation ${operation}`);
  return await run(input as never);
}

function send(message: Answer): void {
  process.send?.(message);
}
