import { mkdirSync, readdirSync, rmSync, statSync } from 'node:fs';
import path from 'node:path';
import { cachePath } from '../../cluster/cache.ts';

/** Milliseconds after which a render that nobody asked for goes. */
const OLD = 7 * 24 * 3_600_000;

/**
 * The folder of a renderer's answers. Old ones are removed, those of other renderers too: another checkout may be
 * using its own.
 * @param renderer path of the program
 */
export const tidyRenders = (renderer: string): string => {
  const parent = cachePath('mutation', 'renders');
  const folder = path.join(parent, path.basename(renderer));
  mkdirSync(folder, { recursive: true });
  for (const entry of readdirSync(parent, { recursive: true, withFileTypes: true })) {
    if (!entry.isFile()) continue;
    const file = path.join(entry.parentPath, entry.name);
    const { mtimeMs } = statSync(file, { throwIfNoEntry: false }) ?? { mtimeMs: Date.now() };
    if (Date.now() - mtimeMs > OLD) rmSync(file, { force: true });
  }
  return folder;
};
