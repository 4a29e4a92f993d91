import { spawnSync } from 'node:child_process';
import { join } from 'node:path';

describe('the fuzz run', () => {
  it('finds nothing in a few seconds from a fixed seed, and says what it tried', () => {
    const { status, stdout, stderr } = spawnSync(process.execPath, ['--import', 'tsx', 'spec/fuzz/main.ts'], {
      cwd: join(__dirname, '..', '..'),
      env: { ...process.env, FUZZ_SECONDS: '4', FUZZ_SEED: '20260728' },
      encoding: 'utf8',
    });
    expect(stdout).not.toContain('FINDING');
    expect({ status, stderr }).toEqual({ status: 0, stderr: '' });
    expect(stdout).toMatch(/^seed 20260728, 4 s, 8 at a time\n/);
    expect(Number(/^(\d+) inputs in /m.exec(stdout)?.[1])).toBeGreaterThan(50);
    expect(Number(/^(\d+) transfers for /m.exec(stdout)?.[1])).toBeGreaterThan(0);
  }, 60_000);
});
