/** Builds the npm package: dist/cli.mjs, and beside it the program that the command puts into charts. */
import { chmod, mkdir, writeFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import { checkProgramSize } from '../src/chart/index.ts';
import { bundleCommand } from './bundle-command.ts';
import { bundleRunner } from './bundle-runner.ts';

const dist = fileURLToPath(new URL('../dist', import.meta.url));

const buildCommand = async (): Promise<void> => {
  await bundleCommand(`${dist}/cli.mjs`);
  await chmod(`${dist}/cli.mjs`, 0o755);
};

const buildProgram = async (): Promise<void> => {
  const runner = await bundleRunner();
  checkProgramSize(runner);
  await mkdir(`${dist}/program`, { recursive: true });
  const files = {
    'runner.mjs.br': runner.program,
    'handover.mjs': runner.handover,
    'packages.json': JSON.stringify(runner.packages),
  };
  for (const [name, content] of Object.entries(files)) {
    await writeFile(`${dist}/program/${name}`, content);
    // npm packs the modes of files too, and they must not depend on this machine's umask.
    await chmod(`${dist}/program/${name}`, 0o644);
  }
};

await Promise.all([buildCommand(), buildProgram()]);
