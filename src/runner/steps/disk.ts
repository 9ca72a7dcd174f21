import { statfs } from 'node:fs/promises';
import { RunError } from '../../contract/index.ts';
import { codeOf } from '../ports/index.ts';

/** What to do about a full disk. */
export const DISK_FULL_HINT =
  'Raise job.tmpSizeLimit and the ephemeral-storage limit in job.resources, or free disk space on the node.';

/**
 * Checks that a folder's file system has room before something is written to it.
 * @param folder an existing folder
 * @param needs bytes about to be written
 * @param what the thing that needs them, for the message
 * @throws RunError `DiskFull`
 */
export async function ensureSpace(folder: string, needs: number, what: string): Promise<void> {
  const free = await freeBytes(folder);
  if (free < needs) throw diskFull(folder, what, needs, free);
}

/**
 * Turns "no space left" into a RunError and leaves every other failure as it is.
 * @param error what a write threw
 * @param needs bytes the whole thing takes, where that is known
 */
export async function asDiskFull(
  error: unknown,
  folder: string,
  what: string,
  needs?: number,
): Promise<unknown> {
  if (!isDiskFull(error)) return error;
  return diskFull(folder, what, needs, await freeBytes(folder).catch(() => undefined), error);
}

/**
 * Makes a RunError of a child's output that says the disk is full; null when it does not say so.
 * @param lines the child's last lines
 */
export async function diskFullFrom(
  lines: readonly string[],
  folder: string,
  what: string,
): Promise<RunError | null> {
  if (!lines.some((line) => /no space left on device|disk quota exceeded/i.test(line))) return null;
  const error = diskFull(folder, what, undefined, await freeBytes(folder).catch(() => undefined));
  return new RunError(error.code, error.message, { hint: error.hint, tail: lines });
}

/** Tells whether a write failed because there is no room. */
export const isDiskFull = (error: unknown): boolean => {
  const code = codeOf(error);
  return code === 'ENOSPC' || code === 'EDQUOT';
};

async function freeBytes(folder: string): Promise<number> {
  const { bavail, bsize } = await statfs(folder);
  return bavail * bsize;
}

function diskFull(
  folder: string,
  what: string,
  needs: number | undefined,
  free: number | undefined,
  cause?: unknown,
): RunError {
  const figures = [
    ...(needs === undefined ? [] : [`needs ${mebibytes(needs)}`]),
    ...(free === undefined ? [] : [`has ${mebibytes(free)} free`]),
  ];
  return new RunError(
    'DiskFull',
    `${folder} is too small for ${what}: ${figures.join(', ') || 'it is full'}`,
    {
      hint: DISK_FULL_HINT,
      cause,
    },
  );
}

const mebibytes = (bytes: number): string => `${(bytes / 1024 ** 2).toFixed(1)} MiB`;
