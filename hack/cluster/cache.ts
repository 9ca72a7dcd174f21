import { homedir } from 'node:os';
import { join } from 'node:path';

/**
 * A path below the user's cache folder of this project: `$XDG_CACHE_HOME/nvidia-aicr-chart`, else
 * `~/.cache/nvidia-aicr-chart`. Everything in it can be deleted at any time; it only takes minutes to come back.
 * @param parts path elements below the cache folder
 */
export function cachePath(...parts: string[]): string {
  const base = process.env['XDG_CACHE_HOME'] || join(homedir(), '.cache');
  return join(base, 'nvidia-aicr-chart', ...parts);
}
