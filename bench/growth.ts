import { Child } from './processes/child.js';
import { say, type Report } from './report.js';
import type { Row } from './table.js';

const SECONDS = 180;

const SUITES = [
  ['rounds', 'growth with the rounds of a flow'],
  ['arguments', 'growth with the arguments'],
  ['tools', 'growth with the registered tools'],
] as const;

/** How time and state grow. Client and server share a process and take turns: read the growth, not the height. */
export async function benchGrowth(report: Report): Promise<void> {
  for (const [operation, title] of SUITES) {
    say(`growth: ${title}`);
    const child = new Child('growth/main');
    try {
      report.table('growth', title, await child.request<readonly Row[]>(operation, {}, SECONDS));
    } finally {
      await child.stop();
    }
  }
}
