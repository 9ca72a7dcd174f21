import { fileURLToPath } from 'node:url';
import { build } from 'esbuild';

/**
 * Bundles the command into one file that needs nothing but Node and the files of its package.
 * @param outfile where it goes: one folder below the package's own
 */
export const bundleCommand = async (outfile: string): Promise<void> => {
  await build({
    entryPoints: [fileURLToPath(new URL('../src/cli/main.ts', import.meta.url))],
    outfile,
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
