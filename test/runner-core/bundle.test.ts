import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { brotliDecompressSync } from 'node:zlib';
import { execa } from 'execa';
import { expect, test } from 'vitest';
import { bundleRunner } from '../../hack/bundle-runner.ts';

test('the program is the same at every build, unpacks with Node, and runs alone in a folder', async () => {
  const [one, two] = [await bundleRunner(), await bundleRunner()];
  expect(Buffer.compare(one.program, two.program)).toBe(0);
  expect(one.handover).toBe(two.handover);

  const folder = mkdtempSync(join(tmpdir(), 'bundle-'));
  try {
    const text = brotliDecompressSync(one.program);
    // Where it was built must not show: it would differ from machine to machine.
    expect(text.includes(process.cwd())).toBe(false);
    writeFileSync(join(folder, 'runner.mjs'), text);
    const { exitCode, stdout } = await execa(process.execPath, ['runner.mjs', `--root=${folder}`], {
      cwd: folder,
      reject: false,
      env: {},
      extendEnv: false,
    });
    expect(exitCode).toBe(10);
    expect(stdout).toContain("the installer's environment lacks JOB_NAME");
  } finally {
    rmSync(folder, { recursive: true });
  }
});
