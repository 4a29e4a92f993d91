import { systemTimers } from '../engine/timers.js';
import { systemEnvironment } from '../hosts/environment.js';
import { createHandler, type MrtrHandler } from '../hosts/express.js';
import { resolveOptions, type MrtrOptions } from '../options.js';
import type { FakeClock } from './fake-clock.js';
import { testKeys } from './test-keys.js';

/** The clock and chance of a middleware under test. */
export interface TestEnvironment {
  /** Tells when states expire and a handler's time is up. @default the system's */
  readonly clock?: FakeClock;
  /** What the ids of flows are made of. States are sealed under random nonces all the same. @default the system's */
  readonly random?: (size: number) => Uint8Array;
}

/**
 * `mrtr()` for tests: the same middleware with the same options and errors, on a clock of the test's. `keys` default to
 * {@link testKeys}, and `server` to a name that says that it is a test.
 *
 * @example
 * ```ts
 * const clock = fakeClock();
 * const client = testClient(testMrtr({ tools: [slow], anonymous: true, handlerTimeoutSeconds: 30 }, { clock }));
 * const call = client.callTool('slow');
 * await started; // the handler tells that it runs
 * clock.advance(30_000);
 * assert.equal((await call).error?.code, -32603);
 * ```
 */
export function testMrtr(options: Partial<MrtrOptions> = {}, environment: TestEnvironment = {}): MrtrHandler {
  const { clock, random } = environment;
  const resolved = resolveOptions({ server: { name: 'test', version: '1.0.0' }, keys: testKeys(), ...options });
  return createHandler(resolved, {
    ...systemEnvironment,
    ...(clock !== undefined && {
      now: clock.now,
      timers: { endOfTurn: (task: () => void) => systemTimers.endOfTurn(task), after: clock.after },
    }),
    ...(random !== undefined && { random: (size: number) => Buffer.from(random(size)) }),
  });
}
