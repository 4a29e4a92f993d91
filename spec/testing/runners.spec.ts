import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { tool } from '../../lib/index.js';
import { accept, testClient, testMrtr } from '../../lib/testing/index.js';
import { modulesOf } from '../support/architecture.js';

const ROOT = join(__dirname, '../..');

describe('the test kit', () => {
  it('runs under node:test, imported from express-mrtr/testing by the paths of tsconfig.json', async () => {
    const { NODE_TEST_CONTEXT: _context, JEST_WORKER_ID: _worker, ...env } = process.env;
    const args = ['--import', 'tsx', '--test', '--test-reporter', 'tap', 'spec/testing/processes/kit.ts'];
    const { code, stdout } = await new Promise<{ code: unknown; stdout: string }>((resolve) =>
      execFile(process.execPath, args, { cwd: ROOT, env, timeout: 60_000 }, (error, output) =>
        resolve({ code: error?.code ?? 0, stdout: output }),
      ),
    );
    expect([stdout.match(/^\s*not ok .*$/gm), code]).toEqual([null, 0]);
    expect(Number(/^# pass (\d+)$/m.exec(stdout)?.[1])).toBeGreaterThan(30);
  }, 90_000);

  it('imports no test runner', () => {
    const imported = modulesOf(join(ROOT, 'lib/testing')).flatMap(({ edges }) => edges.map(({ to }) => to));
    const packages = new Set(imported.filter((to) => !to.startsWith('/') && !to.startsWith('.')));
    expect([...packages].sort()).toEqual(['express', 'node:assert/strict', 'node:http', 'node:net']);
  });

  it('goes on when the timers of the runner are faked', async () => {
    jest.useFakeTimers();
    try {
      const ask = tool('ask', {}, async (_args, ctx) => String(await ctx.confirm('Sure?')));
      const answers = { 'elicit-1': accept({ confirm: true }) };
      const client = testClient(testMrtr({ tools: [ask], anonymous: true }));
      expect((await client.callTool('ask', {}, { answers })).text).toBe('true');
    } finally {
      jest.useRealTimers();
    }
  });
});
