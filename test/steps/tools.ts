import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, vi } from 'vitest';

/**
 * Puts a kubectl and a helm that do nothing before everything else on PATH, until the test ends.
 * @param work folder of the test
 * @returns folder of the two
 */
export function placeTools(work: string): string {
  const folder = join(work, 'tools');
  mkdirSync(folder);
  for (const tool of ['kubectl', 'helm']) writeFileSync(join(folder, tool), '#!/bin/sh\n', { mode: 0o755 });
  vi.stubEnv('PATH', `${folder}:${process.env['PATH']}`);
  return folder;
}

afterEach(() => void vi.unstubAllEnvs());
