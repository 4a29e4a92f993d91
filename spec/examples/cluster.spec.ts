import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { describeWithRedis } from '../support/redis.js';

interface Ended {
  readonly code: number | string;
  readonly stdout: string;
  readonly stderr: string;
}

function run(path: string | undefined): Promise<Ended> {
  const env = { ...process.env, PATH: path, MRTR_KEYS: undefined, NO_COLOR: '1' };
  const options = { cwd: join(__dirname, '../..'), timeout: 90_000, env };
  return new Promise((resolve) => {
    execFile(process.execPath, ['--import', 'tsx', 'examples/cluster/main.ts'], options, (error, stdout, stderr) =>
      resolve({ code: error?.code ?? 0, stdout, stderr }),
    );
  });
}

/** The rows of the tables that were printed, without their index: names first. */
function tables(stdout: string): string[][] {
  const rows = stdout.split('\n').filter((line) => line.startsWith('│'));
  return rows.map((row) =>
    row
      .split('│')
      .slice(2, -1)
      .map((cell) => cell.trim()),
  );
}

describeWithRedis('the example of a cluster', () => {
  it('carries every flow over the death of a node, and ends by itself', async () => {
    const { code, stdout, stderr } = await run(process.env['PATH']);
    expect([code, stderr]).toEqual([0, '']);
    expect(stdout).toContain('node-a is killed while flows are under way.');
    const [nodeNames, a, b, c, names = [], figures = []] = tables(stdout);
    expect(nodeNames).toEqual(['node', 'rounds']);
    const served = [a, b, c].map((row) => Number(row?.[1]));
    expect([a, b, c].map((row) => row?.[0])).toEqual(["'node-a'", "'node-b'", "'node-c'"]);
    expect(served.every((rounds) => rounds > 0)).toBe(true);
    expect(served.reduce((sum, rounds) => sum + rounds)).toBe(180);
    const figure = Object.fromEntries(names.map((name, i) => [name, Number(figures[i])]));
    expect(figure).toMatchObject({ flows: 60 });
    expect(figure['on several nodes']).toBeGreaterThan(30);
    expect(Number(figure['paid once']) + Number(figure['paid again after a lease'])).toBe(60);
  }, 120_000);
});

describe('the example of a cluster without Redis', () => {
  it('says what is missing', async () => {
    const { code, stdout, stderr } = await run('');
    expect([code, stderr]).toEqual([0, '']);
    expect(stdout).toBe(
      'This example starts a redis-server, which is not installed here. Install Redis 5 or later, and run it again.\n',
    );
  }, 60_000);
});
