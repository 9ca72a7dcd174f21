/**
 * Makes the program of the chart: the runner as one ESM file, compressed with brotli, and the script that hands it
 * over. Same sources, same bytes, on every machine: esbuild and the brotli encoder are pinned by the lockfile. Node's
 * own encoder is not used, because its output may change with the version of Node (its zlib carries its own brotli).
 */
import { readFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { fileURLToPath } from 'node:url';
import { build } from 'esbuild';
import { checkProgramSize, type RunnerProgram } from '../src/chart/index.ts';
import { POD } from '../src/contract/index.ts';

const root = (file: string): string => fileURLToPath(new URL(`../${file}`, import.meta.url));

/**
 * @throws Error when the program is too big for its ConfigMap, with the sizes
 */
export async function bundleRunner(): Promise<RunnerProgram> {
  const handover = await readFile(root(`src/handover/${POD.handoverKey}`), 'utf8');
  const program = compress(await bundle(root('src/runner/main.ts')));
  checkProgramSize({ program, handover });
  return { program, handover };
}

/**
 * Bundles a program that uses the runner's modules into one ESM file for the pod's Node.
 * @param entry path of its main module
 */
export async function bundle(entry: string): Promise<Uint8Array> {
  const result = await build({
    entryPoints: [entry],
    bundle: true,
    platform: 'node',
    format: 'esm',
    target: 'node20.19',
    minify: true,
    write: false,
    // Paths in the output must not depend on where the checkout lies.
    absWorkingDir: root('.'),
    charset: 'utf8',
    legalComments: 'none',
    logLevel: 'silent',
    // Some packages are CommonJS and ask for Node's modules with require.
    banner: {
      js: "import{createRequire as nodeRequire}from'node:module';const require=nodeRequire(import.meta.url);",
    },
  });
  const [output] = result.outputFiles;
  if (output === undefined) {
    throw new Error(`esbuild made nothing of ${entry}`);
  }
  return output.contents;
}

function compress(program: Uint8Array): Uint8Array {
  // The package's ESM entry is for browsers.
  const { compress: encode } = createRequire(import.meta.url)('brotli-wasm') as typeof import('brotli-wasm');
  return encode(program, { quality: 11 });
}
