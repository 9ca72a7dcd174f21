import { mkdirSync, readdirSync, rmSync, statSync } from 'node:fs';
import path from 'node:path';
import { cachePath } from '../../cluster/cache.ts';

/** Milliseconds after which a render that nobody asked for goes. */
const OLD = 7 * 24 * 3_600_000;

/**
 * The folder of a renderer's answers; old ones, and those of other renderers, are removed.
 * @param renderer path of the program
 */
export const tidyRenders = (renderer: string): string => {
  const parent = cachePath('mutation', 'renders');
  const folder = path.join(parent, path.basename(renderer));
  mkdirSync(folder, { recursive: true });
  for (const name of readdirSync(parent)) {
    if (path.join(parent, name) !== folder) rmSync(path.join(parent, name), { recursive: true, force: true });
  }
  for (const name of readdirSync(folder)) {
    const file = path.join(folder, name);
    const { mtimeMs } = statSync(file, { throwIfNoEntry: false }) ?? { mtimeMs: Date.now() };
    if (Date.now() - mtimeMs > OLD) rmSync(file, { force: true });
  }
  return folder;
};
