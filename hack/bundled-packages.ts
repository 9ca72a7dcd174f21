import type { Metafile } from 'esbuild';
import type { BundledPackage } from '../src/chart/index.ts';

/** The part of package-lock.json (lockfileVersion 3) that says what was installed where. */
export interface Lockfile {
  readonly packages: Readonly<Record<string, Partial<Omit<BundledPackage, 'name'>>>>;
}

/**
 * The packages of npm that have bytes in a bundle: not what was installed, and not what was read and shaken off.
 * @param metafile esbuild's own account of the bundle, with paths relative to the folder of the lockfile
 * @returns sorted by name and version
 * @throws Error naming a package of which the lockfile does not say everything
 */
export function bundledPackages(metafile: Metafile, lockfile: Lockfile): readonly BundledPackage[] {
  const folders = Object.values(metafile.outputs).flatMap(({ inputs }) =>
    Object.entries(inputs).flatMap(([file, { bytesInOutput }]) => {
      const folder = /^(?:.*\/)?node_modules\/(?:@[^/]+\/)?[^/]+(?=\/)/.exec(file)?.[0];
      return folder === undefined || bytesInOutput === 0 ? [] : [folder];
    }),
  );
  const packages = [...new Set(folders)].map((folder) => {
    const { version, license, integrity } = lockfile.packages[folder] ?? {};
    if (version === undefined || license === undefined || integrity === undefined) {
      throw new Error(`package-lock.json: ${folder} lacks its version, its license or its integrity`);
    }
    return { name: folder.replace(/^.*node_modules\//, ''), version, license, integrity };
  });
  return packages.sort((a, b) => (`${a.name}@${a.version}` < `${b.name}@${b.version}` ? -1 : 1));
}
