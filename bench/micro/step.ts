import { built } from '../built.js';
import { LocalServer } from '../local.js';
import { say } from '../report.js';
import type { Row } from '../table.js';
import { measure, repeatAsync } from './measure.js';

const STEPS = 16;

interface Stepping {
  readonly step?: (name: string, run: () => unknown) => Promise<unknown>;
}

/** A round that finds the results of steps in its ledger, beside one without steps: over HTTP, one request at a time. */
export async function benchStep(): Promise<readonly Row[]> {
  const { tool } = await built('index');
  const found = new Set<string>();
  const stepping = (name: string, steps: number): ReturnType<typeof tool> =>
    tool(name, {}, async (_args, ctx) => {
      const { step } = ctx as Stepping;
      found.add(typeof step);
      for (let index = 0; index < steps; index += 1) await step?.(`step-${index}`, () => ({ total: index }));
      await ctx.confirm('Go on?');
      return 'done';
    });
  const server = await LocalServer.start({ tools: [stepping('none', 0), stepping('some', STEPS)] });
  try {
    const again = async (name: string): Promise<() => Promise<unknown>> => {
      const { requestState } = await server.tool(name, {});
      // Nothing is answered, so the same round can be run again and again.
      return () => server.tool(name, { requestState, inputResponses: {} });
    };
    const none = await again('none');
    const some = await again('some');
    if (!found.has('function')) {
      say('micro: step is left out, ctx.step does not exist here');
      return [];
    }
    const figures = await measure({ none: repeatAsync(none), some: repeatAsync(some) });
    const each = (figures.some.median - figures.none.median) / STEPS;
    return [
      {
        case: 'round without steps',
        µs: figures.none.median,
        min: figures.none.min,
        max: figures.none.max,
        'µs a step': 0,
      },
      {
        case: `round with ${STEPS} recorded steps`,
        µs: figures.some.median,
        min: figures.some.min,
        max: figures.some.max,
        'µs a step': each,
      },
    ];
  } finally {
    await server.stop();
  }
}
