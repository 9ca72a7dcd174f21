import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { findByCommandLine, identify, killAll, withDescendants } from '../hack/cluster/processes.ts';

/**
 * Gives a suite a temporary folder of its own and removes it afterwards: vitest ends its workers without their exit
 * handlers, so what a test file cleans up at exit would stay. A test that kills the installer leaves what that had
 * started: whatever runs out of the folder is stopped.
 */
export default function setup(): () => void {
  const before = process.env['TMPDIR'];
  const folder = mkdtempSync(join(tmpdir(), 'aicr-suite-'));
  process.env['TMPDIR'] = folder;
  return () => {
    if (before === undefined) delete process.env['TMPDIR'];
    else process.env['TMPDIR'] = before;
    killAll(withDescendants(findByCommandLine(`${folder}/`)).flatMap((pid) => identify(pid) ?? []));
    rmSync(folder, { recursive: true, force: true, maxRetries: 5, retryDelay: 200 });
  };
}
