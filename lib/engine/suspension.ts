/**
 * What an open question rejects its promise with. It only unwinds the handler: that a question is open is recorded
 * apart from it, so a handler that catches it changes nothing about the reply.
 */
export class Suspension extends Error {
  constructor(key: string) {
    super(
      `The question ${JSON.stringify(key)} is on its way to the client; this execution of the handler ends here. ` +
        'Let this error pass: catch blocks should rethrow what they do not know.',
    );
    this.name = 'Suspension';
  }
}

/** One without a stack: each open question makes one, and its stack would hold nothing but the engine. */
export function suspensionOf(key: string): Suspension {
  const { stackTraceLimit } = Error;
  // Reflect.set, since where intrinsics are frozen an assignment throws.
  Reflect.set(Error, 'stackTraceLimit', 0);
  try {
    return new Suspension(key);
  } finally {
    Reflect.set(Error, 'stackTraceLimit', stackTraceLimit);
  }
}
