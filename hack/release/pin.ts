/**
 * Moves the pinned aicr release, its two hashes and the digests of the images together, in values.schema.json.
 * Whatever cannot be looked up stops it, and nothing is written.
 */
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { execa } from 'execa';
import { imagesOf } from '../../src/chart/index.ts';
import { defaultsOf, readModel, type ValuesSchema } from '../../src/schema/index.ts';
import { ensureTools } from '../cluster/index.ts';
import { applyPins, readHashes, resolveImage } from './pins.ts';

const ROOT = fileURLToPath(new URL('../..', import.meta.url));

const USAGE = `Usage: npx tsx hack/release/pin.ts --aicr VERSION [options]

  --aicr VERSION          release of aicr, for example v1.3.0
  --base-url URL          where releases are, instead of aicrSource.baseUrl's default
  --checksums FILE        a release's aicr_checksums.txt that you have already, instead of --base-url
  --image KEY=REFERENCE   another tag for an image, for example nodeImage=docker.io/library/node:26-bookworm-slim;
                          the tags of the others stay, and are looked up anew
  --keep-images           leave the images as they are
  --schema FILE           instead of values.schema.json
  --dry-run               show the difference only`;

const OPTIONS = {
  aicr: { type: 'string' },
  'base-url': { type: 'string' },
  checksums: { type: 'string' },
  image: { type: 'string', multiple: true },
  'keep-images': { type: 'boolean' },
  schema: { type: 'string' },
  'dry-run': { type: 'boolean' },
  help: { type: 'boolean', short: 'h' },
} as const;

/**
 * @param argv the options, as USAGE lists them
 * @returns what to tell the user
 * @throws Error when something could not be looked up; nothing was written then
 */
export async function pin(argv: readonly string[]): Promise<string> {
  const { values } = parseArgs({ args: [...argv], options: OPTIONS });
  if (values.help) return USAGE;
  const version = /^v?(\d+\.\d+\.\d+\S*)$/.exec(values.aicr ?? '')?.[1];
  if (version === undefined) throw new Error(`--aicr VERSION is missing or is no version\n\n${USAGE}`);
  const schemaFile = values.schema ?? join(ROOT, 'values.schema.json');
  const before = readFileSync(schemaFile, 'utf8');
  const model = readModel(JSON.parse(before) as ValuesSchema);
  const aicrVersion = `v${version}`;

  const defaultSource = defaultsOf(model)['aicrSource'] as { readonly baseUrl: string };
  const url = `${values['base-url'] ?? defaultSource.baseUrl}/${aicrVersion}/aicr_checksums.txt`;
  const origin = values.checksums ?? url;
  const file =
    values.checksums === undefined
      ? await download(url)
      : { text: readFileSync(values.checksums, 'utf8'), contentType: '' };
  const aicrSha256 = readHashes(file, aicrVersion, origin);

  const images: Record<string, string> = {};
  if (!values['keep-images']) {
    await ensureTools(['oras']);
    const references = new Map(imagesOf(model).map(({ key, reference }) => [key, reference]));
    for (const wanted of values.image ?? []) {
      const [key = '', reference] = wanted.split(/=(.*)/s);
      if (!references.has(key) || !reference)
        throw new Error(
          `--image ${wanted}: write one of ${[...references.keys()].join(', ')}, = and a reference`,
        );
      references.set(key, reference);
    }
    for (const [key, reference] of references) images[key] = await resolveImage(key, reference);
  }

  const after = applyPins(before, { aicrVersion, aicrSha256, images });
  if (after === before) return 'Nothing changes.';
  const shown = await difference(schemaFile, after);
  if (values['dry-run']) return shown;
  writeFileSync(schemaFile, after);
  return `${shown}\nWritten. Next: npm run format && npm run generate, then hack/test.`;
}

async function download(url: string): Promise<{ text: string; contentType: string }> {
  const response = await fetch(url);
  if (!response.ok) throw new Error(`${url}: HTTP ${response.status}; is there such a release?`);
  return { text: await response.text(), contentType: response.headers.get('content-type') ?? '' };
}

async function difference(file: string, after: string): Promise<string> {
  const folder = mkdtempSync(join(tmpdir(), 'pin-'));
  try {
    writeFileSync(join(folder, 'after.json'), after);
    const argv = ['diff', '--no-index', '--no-color', '--unified=0', file, join(folder, 'after.json')];
    return (await execa('git', argv, { reject: false })).stdout;
  } finally {
    rmSync(folder, { recursive: true });
  }
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  await pin(process.argv.slice(2)).then(console.log, (error: Error) => {
    console.error(`${error.message}\nNothing was written.`);
    process.exitCode = 1;
  });
}
