import { access, constants } from 'node:fs/promises';
import { delimiter, join } from 'node:path';

/**
 * Looks a program up in PATH.
 * @returns its path; null when there is none that may be executed
 */
export async function findProgram(name: string): Promise<string | null> {
  for (const folder of (process.env['PATH'] ?? '').split(delimiter)) {
    if (folder === '') continue;
    const path = join(folder, name);
    const usable = await access(path, constants.X_OK).then(
      () => true,
      () => false,
    );
    if (usable) return path;
  }
  return null;
}
