/** Asks whether everything that names a version, or has to be right in a release, agrees with its tag. */
import { readdirSync, readFileSync } from 'node:fs';
import { join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import { changesOf, imagesOf, releaseDayOf } from '../../src/chart/index.ts';
import { defaultsOf, readModel, type ValuesSchema } from '../../src/schema/index.ts';

/** Folders whose files name the registry that a release is pushed to. */
const SHOWN = ['catalog-templates', 'chart-templates', 'docs', 'examples'];

const filesBelow = (root: string, folder: string): readonly string[] =>
  readdirSync(join(root, folder), { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => relative(root, join(entry.parentPath, entry.name)))
    .sort();

/**
 * Compares a tag with the files of a checkout.
 * @param tag for example `v0.4.0`
 * @param root the checkout
 * @param repository where the release is made, `owner/name`; empty when that does not matter
 * @returns one line for each thing that does not agree: what, where, and what to do
 */
export function disagreements(tag: string, root: string, repository: string): readonly string[] {
  const read = (file: string): string => readFileSync(join(root, file), 'utf8');
  const found: string[] = [];
  const demand = (holds: boolean, otherwise: string): void => void (holds || found.push(otherwise));

  const version = /^v(\d+\.\d+\.\d+(?:-[0-9A-Za-z.-]+)?)$/.exec(tag)?.[1];
  if (version === undefined) return [`${tag} is no tag of a release; write v<major>.<minor>.<patch>`];

  const manifest = JSON.parse(read('package.json')) as { version: string; repository?: { url: string } };
  const lockfile = JSON.parse(read('package-lock.json')) as {
    version: string;
    packages: Record<string, { version?: string }>;
  };
  demand(
    manifest.version === version,
    `package.json: version is ${manifest.version}, the tag says ${version}`,
  );
  demand(
    lockfile.version === version && lockfile.packages['']?.version === version,
    `package-lock.json: version is not ${version}; run npm install --package-lock-only`,
  );
  if (repository !== '') {
    const url = `git+https://github.com/${repository}.git`;
    demand(manifest.repository?.url === url, `package.json: repository.url must be ${url}`);
  }

  const changelog = read('CHANGELOG.md');
  demand(
    releaseDayOf(changelog, version) !== undefined,
    `CHANGELOG.md: there is no heading "## [${version}] - <year>-<month>-<day>"`,
  );
  demand(changesOf(changelog, version).length > 0, `CHANGELOG.md: ${version} has no entry`);

  const shown = [...read('README.md').matchAll(/--version (\d\S*)/g)].map(([, one]) => one);
  demand(
    shown.every((one) => one === version),
    `README.md: it installs version ${shown.join(', ')}, not ${version}`,
  );
  for (const file of ['README.md', ...SHOWN.flatMap((folder) => filesBelow(root, folder))])
    demand(
      !read(file).includes('ghcr.io/OWNER/'),
      `${file}: OWNER stands where the registry's owner belongs`,
    );

  const model = readModel(JSON.parse(read('values.schema.json')) as ValuesSchema);
  imagesOf(model);
  const pins = defaultsOf(model)['aicrSha256'] as Readonly<Record<string, string>>;
  for (const [arch, hash] of Object.entries(pins))
    demand(hash !== '', `values.schema.json: aicrSha256.${arch} is empty; run hack/release/pin.ts`);
  return found;
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const [tag = ''] = process.argv.slice(2);
  const root = fileURLToPath(new URL('../..', import.meta.url));
  const found = disagreements(tag, root, process.env['GITHUB_REPOSITORY'] ?? '');
  for (const line of found) console.error(line);
  if (found.length === 0) console.log(`${tag}: everything agrees`);
  process.exitCode = found.length === 0 ? 0 : 1;
}
