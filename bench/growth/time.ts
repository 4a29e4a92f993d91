/** Microseconds that one call takes, and what it gives. */
export async function timed<T>(call: () => Promise<T>): Promise<{ readonly µs: number; readonly value: T }> {
  const startedAt = performance.now();
  const value = await call();
  return { µs: (performance.now() - startedAt) * 1000, value };
}
