import type { TestError, TestRound } from './test-round.js';

interface Ending {
  /** The HTTP status of the last reply. */
  readonly status: number;
  /** The texts of a result, joined by newlines: content of a tool, messages of a prompt, contents of a resource. */
  readonly text: string;
  /** The key of each question, in the order of asking; one that was asked again stands here again. */
  readonly asked: readonly string[];
  /** Everything that went over the wire. */
  readonly rounds: readonly TestRound[];
}

/** How a call ended: with the `result` of its method, or with a JSON-RPC `error`. */
export type TestOutcome<Result> = Ending &
  (
    { readonly result: Result; readonly error?: undefined } | { readonly error: TestError; readonly result?: undefined }
  );
