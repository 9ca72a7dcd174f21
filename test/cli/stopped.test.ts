import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, readdirSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { scratchFolder } from '../render/chart.ts';
import { installCommand } from './command.ts';

const installed = await installCommand();

test.each(['SIGINT', 'SIGTERM', 'SIGHUP'] as const)(
  'a check that %s stops leaves no copy of the values behind',
  async (signal) => {
    const [tools, temporary] = [scratchFolder('slow-helm'), scratchFolder('temporary')];
    const began = path.join(tools, 'began');
    // It says that it has begun, and then waits for its parent to go.
    const script = `#!/bin/sh\n: >'${began}'\nwhile kill -0 $PPID 2>/dev/null; do /bin/sleep 0.1; done\n`;
    writeFileSync(path.join(tools, 'helm'), script, { mode: 0o755 });
    const child = spawn(process.execPath, [path.join(installed, 'dist', 'cli.mjs'), 'check', '-f', '-'], {
      env: { PATH: tools, HOME: installed, TMPDIR: temporary },
    });
    const ended = once(child, 'exit');
    child.stdin.end('accelerator: h100\n');
    while (!existsSync(began)) await sleep(20);
    expect(readdirSync(temporary)).toHaveLength(1);
    child.kill(signal);
    expect(await ended).toEqual([null, signal]);
    expect(readdirSync(temporary)).toEqual([]);
  },
);
