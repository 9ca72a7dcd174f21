import { execFileSync } from 'node:child_process';
import { temporaryFolder } from './context.ts';

/** True where this process may mount; a file system of a given size cannot be had otherwise. */
export const mayMount: boolean = tryMount();

/**
 * Runs something with a file system of its own.
 * @param options of tmpfs, as `size=64k`
 */
export async function withFileSystem(options: string, use: (folder: string) => Promise<void>): Promise<void> {
  const folder = temporaryFolder();
  execFileSync('mount', ['-t', 'tmpfs', '-o', options, 'tmpfs', folder]);
  try {
    await use(folder);
  } finally {
    execFileSync('umount', [folder]);
  }
}

function tryMount(): boolean {
  try {
    // A mount over nothing that matters, gone at once.
    execFileSync('unshare', ['--mount', 'mount', '-t', 'tmpfs', 'tmpfs', '/mnt'], { stdio: 'ignore' });
    return process.getuid?.() === 0;
  } catch {
    return false;
  }
}
