import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import setup from './scratch-setup.ts';

test('a suite’s temporary folder goes with all that still runs out of it, and with nothing else', async () => {
  const before = tmpdir();
  const tearDown = setup();
  const folder = tmpdir();
  expect(folder).not.toBe(before);
  const inside = mkdtempSync(join(folder, 'x-'));
  const start = (name: string) =>
    spawn('bash', ['-c', 'sleep 600; true', name], { detached: true, stdio: 'ignore' });
  const [left, other] = [start(join(inside, 'deploy.sh')), start(`${before}/deploy.sh`)];
  await Promise.all([once(left, 'spawn'), once(other, 'spawn')]);
  try {
    const ended = once(left, 'exit');
    tearDown();
    expect(await ended).toEqual([null, 'SIGKILL']);
    expect(other.exitCode ?? other.signalCode).toBeNull();
    expect(existsSync(folder)).toBe(false);
    expect(tmpdir()).toBe(before);
  } finally {
    process.kill(-(other.pid ?? 0), 'SIGKILL');
  }
});
