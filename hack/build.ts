/** Builds the npm package: dist/cli.mjs, and beside it the program that the command puts into charts. */
import { mkdir, writeFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import { build } from 'esbuild';
import { checkProgramSize } from '../src/chart/index.ts';
import { bundleRunner } from './bundle-runner.ts';

const root = fileURLToPath(new URL('..', import.meta.url));

const buildCommand = async (): Promise<void> => {
  await build({
    entryPoints: [`${root}/src/cli/main.ts`],
    outfile: `${root}/dist/cli.mjs`,
    bundle: true,
    platform: 'node',
    format: 'esm',
    target: 'node20',
    // Some of what is bundled is CommonJS and calls require for Node's own modules.
    banner: {
      js: "import { createRequire } from 'node:module'; const require = createRequire(import.meta.url);",
    },
  });
};

const buildProgram = async (): Promise<void> => {
  const runner = await bundleRunner();
  checkProgramSize(runner);
  await mkdir(`${root}/dist/program`, { recursive: true });
  await writeFile(`${root}/dist/program/runner.mjs.br`, runner.program);
  await writeFile(`${root}/dist/program/handover.mjs`, runner.handover);
};

await Promise.all([buildCommand(), buildProgram()]);
