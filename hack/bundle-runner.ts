/**
 * Makes the program of the chart: the runner as one ESM file, compressed with brotli, and the script that hands it
 * over. Same sources, same bytes, on every machine: esbuild and the brotli encoder are pinned by the lockfile. Node's
 * own encoder is not used, because its output may change with the version of Node (its zlib carries its own brotli).
 */
import { readFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { fileURLToPath } from 'node:url';
import { build, type Metafile } from 'esbuild';
import { type BundledPackage, checkProgramSize, type RunnerProgram } from '../src/chart/index.ts';
import { POD } from '../src/contract/index.ts';
import { bundledPackages } from './bundled-packages.ts';

const root = (file: string): string => fileURLToPath(new URL(`../${file}`, import.meta.url));

/** The program, and the packages of npm whose code is in it. */
export type BundledRunner = RunnerProgram & { readonly packages: readonly BundledPackage[] };

/**
 * @throws Error when the program is too big for its ConfigMap, with the sizes
 */
export async function bundleRunner(): Promise<BundledRunner> {
  const handover = await readFile(root(`src/handover/${POD.handoverKey}`), 'utf8');
  const { code, metafile } = await bundleWithOrigin(root('src/runner/main.ts'));
  const program = compress(code);
  checkProgramSize({ program, handover });
  const lockfile = JSON.parse(await readFile(root('package-lock.json'), 'utf8'));
  return { program, handover, packages: bundledPackages(metafile, lockfile) };
}

/**
 * Bundles a program that uses the runner's modules into one ESM file for the pod's Node.
 * @param entry path of its main module
 */
export async function bundle(entry: string): Promise<Uint8Array> {
  return (await bundleWithOrigin(entry)).code;
}

async function bundleWithOrigin(entry: string): Promise<{ code: Uint8Array; metafile: Metafile }> {
  const result = await build({
    entryPoints: [entry],
    bundle: true,
    platform: 'node',
    format: 'esm',
    target: 'node20.19',
    minify: true,
    write: false,
    metafile: true,
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
  return { code: output.contents, metafile: result.metafile };
}

function compress(program: Uint8Array): Uint8Array {
  // The package's ESM entry is for browsers.
  const { compress: encode } = createRequire(import.meta.url)('brotli-wasm') as typeof import('brotli-wasm');
  return encode(program, { quality: 11 });
}
