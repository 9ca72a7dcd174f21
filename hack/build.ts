/** Builds the npm package: dist/cli.mjs, and beside it the program that the command puts into charts. */
import { mkdir, writeFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import { checkProgramSize } from '../src/chart/index.ts';
import { bundleCommand } from './bundle-command.ts';
import { bundleRunner } from './bundle-runner.ts';

const dist = fileURLToPath(new URL('../dist', import.meta.url));

const buildProgram = async (): Promise<void> => {
  const runner = await bundleRunner();
  checkProgramSize(runner);
  await mkdir(`${dist}/program`, { recursive: true });
  await writeFile(`${dist}/program/runner.mjs.br`, runner.program);
  await writeFile(`${dist}/program/handover.mjs`, runner.handover);
};

await Promise.all([bundleCommand(`${dist}/cli.mjs`), buildProgram()]);
