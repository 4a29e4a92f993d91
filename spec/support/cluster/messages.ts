/** What a node tells the test. */
export type Message =
  | { readonly kind: 'ready'; readonly port: number }
  /** A handler that was asked to hold has had its effect and waits. */
  | { readonly kind: 'entered'; readonly flow: string }
  | { readonly kind: 'claim'; readonly claim: string }
  | { readonly kind: 'refused'; readonly reason: string }
  | { readonly kind: 'error'; readonly code: string };

/** What the test tells a node: let the handler of this flow go on. */
export interface Order {
  readonly open: string;
}
