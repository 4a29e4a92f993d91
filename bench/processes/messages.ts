/** What parent and child say to each other: one answer to each request. */
export interface Request {
  readonly id: number;
  readonly operation: string;
  readonly input: unknown;
}

export type Answer =
  | { readonly id: number; readonly ok: true; readonly value: unknown }
  | { readonly id: number; readonly ok: false; readonly error: string };
