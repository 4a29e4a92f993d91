/** Tells clients that hold a subscription what has changed (MCP 2026-07-28, Subscriptions). */
export interface Notifier {
  /** The list of tools is another one. */
  toolsChanged(): void;
  /** The list of prompts is another one. */
  promptsChanged(): void;
  /** The list of resources is another one. */
  resourcesChanged(): void;
  /** What stands behind `uri` is another. */
  resourceUpdated(uri: string): void;
}
