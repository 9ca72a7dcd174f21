/**
 * Makes the program of the chart: the runner as one ESM file, compressed with brotli, and the script that hands it
 * over. Same sources, same bytes, on every machine: esbuild and the brotli encoder are pinned by the lockfile. Node's
 * own encoder is not used, because its output may change with the version of Node (its zlib carries its own brotli).
 */
import { readFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { fileURLToPath } from 'node:url';
import { build, type Plugin } from 'esbuild';
import { POD } from '../src/contract/index.ts';

export interface RunnerProgram {
  /** The runner, brotli. */
  readonly program: Uint8Array;
  /** Text of handover.mjs. */
  readonly handover: string;
}

/**
 * The ConfigMap of the program as JSON may have this many bytes. Client-side apply, Argo CD's default, copies an
 * object into an annotation, and annotations end at 262,144 bytes.
 */
export const PROGRAM_BUDGET = 250 * 1024;

/** Room for what the chart adds to the ConfigMap: names, labels and annotations, common ones as well. */
const METADATA_ROOM = 4 * 1024;

const root = (file: string): string => fileURLToPath(new URL(`../${file}`, import.meta.url));

/**
 * @throws Error when the program is over its budget, with the sizes
 */
export async function bundleRunner(): Promise<RunnerProgram> {
  const handover = await readFile(root(`src/handover/${POD.handoverKey}`), 'utf8');
  const program = compress(await bundle(root('src/runner/main.ts')));
  const size = configMapSize({ program, handover });
  if (size > PROGRAM_BUDGET) {
    throw new Error(
      `the runner is too big: its ConfigMap would have ${size} bytes of JSON, ${PROGRAM_BUDGET} are allowed ` +
        `(program ${program.length} bytes compressed, handover ${handover.length}); see what grew with esbuild's metafile`,
    );
  }
  return { program, handover };
}

/** Bytes of the program's ConfigMap as JSON, with room for the chart's metadata. */
export function configMapSize({ program, handover }: RunnerProgram): number {
  const configMap = {
    apiVersion: 'v1',
    kind: 'ConfigMap',
    metadata: {},
    immutable: true,
    binaryData: { [POD.programKey]: Buffer.from(program).toString('base64') },
    data: { [POD.handoverKey]: handover },
  };
  return Buffer.byteLength(JSON.stringify(configMap)) + METADATA_ROOM;
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
    plugins: [leaveOut],
  });
  const [output] = result.outputFiles;
  if (output === undefined) {
    throw new Error(`esbuild made nothing of ${entry}`);
  }
  return output.contents;
}

/**
 * What @kubernetes/client-node imports for kubeconfig files, proxies, other clouds' logins and its generated API:
 * none of it is reached from the in-cluster configuration, which is the one part in use.
 */
const UNUSED = new Set([
  'undici',
  'socks',
  'socks-proxy-agent',
  'hpagent',
  'jsonpath-plus',
  'openid-client',
  'js-yaml',
]);

const leaveOut: Plugin = {
  name: 'leave-out',
  setup: ({ onResolve, onLoad }) => {
    const nothing = { path: 'unused', namespace: 'unused' };
    onResolve({ filter: /^[a-z]/ }, ({ path }) => (UNUSED.has(path) ? nothing : null));
    onResolve({ filter: /^\.\/gen\/index\.js$/ }, ({ importer }) =>
      importer.replaceAll('\\', '/').endsWith('@kubernetes/client-node/dist/config.js') ? nothing : null,
    );
    onLoad({ filter: /./, namespace: 'unused' }, () => ({ contents: 'module.exports = {}', loader: 'js' }));
  },
};

function compress(program: Uint8Array): Uint8Array {
  // The package's ESM entry is for browsers.
  const { compress: encode } = createRequire(import.meta.url)('brotli-wasm') as typeof import('brotli-wasm');
  return encode(program, { quality: 11 });
}
