import { existsSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import type { CatalogSources } from '../catalog/index.ts';
import { type BundledPackage, type ChartSources, readFolder } from '../chart/index.ts';
import { defaultsOf, readModel, type ValuesSchema } from '../schema/index.ts';
import { Failure } from './failure.ts';

const SCHEMA = 'values.schema.json';

/** Folder of this package: the nearest one above that holds the schema, bundled or not. */
const packageFolder = (): string => {
  let folder = path.dirname(fileURLToPath(import.meta.url));
  while (!existsSync(path.join(folder, SCHEMA))) {
    const parent = path.dirname(folder);
    if (parent === folder)
      throw new Failure(`${SCHEMA} is not where this command is installed; install it again`);
    folder = parent;
  }
  return folder;
};

interface PackageJson {
  readonly version: string;
  readonly license: string;
  readonly repository?: { readonly url: string };
}

/** Reads what a chart is made of, except the program. */
export const readSources = async (): Promise<Omit<ChartSources, 'runner'>> => {
  const folder = packageFolder();
  const json = async (file: string): Promise<unknown> =>
    JSON.parse(await readFile(path.join(folder, file), 'utf8'));
  const { version, license, repository } = (await json('package.json')) as PackageJson;
  return {
    version,
    license,
    repository: (repository?.url ?? '').replace(/^git\+/, '').replace(/\.git$/, ''),
    changelog: await readFile(path.join(folder, 'CHANGELOG.md'), 'utf8'),
    schema: (await json(SCHEMA)) as ValuesSchema,
    templates: await readFolder(path.join(folder, 'chart-templates')),
  };
};

/** Reads what a catalogue entry is made of. */
export const readCatalogSources = async (): Promise<CatalogSources> => {
  const { version, schema } = await readSources();
  return {
    version,
    aicrVersion: String(defaultsOf(readModel(schema))['aicrVersion']),
    templates: await readFolder(path.join(packageFolder(), 'catalog-templates')),
  };
};

/** Reads what a chart is made of, with the program that `npm run build` left in dist and the packages in it. */
export const readAllSources = async (): Promise<
  ChartSources & { readonly packages: readonly BundledPackage[] }
> => {
  const folder = path.join(packageFolder(), 'dist', 'program');
  try {
    return {
      ...(await readSources()),
      runner: {
        program: await readFile(path.join(folder, 'runner.mjs.br')),
        handover: await readFile(path.join(folder, 'handover.mjs'), 'utf8'),
      },
      packages: JSON.parse(
        await readFile(path.join(folder, 'packages.json'), 'utf8'),
      ) as readonly BundledPackage[],
    };
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw error;
    throw new Failure(`${folder} does not hold the program; run npm run build first`, { cause: error });
  }
};
