import { createHash } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';

/**
 * What a bundle is known by: the digest of its checksums.txt, which covers every file.
 * @param dir the bundle's folder
 * @returns `sha256:<hex>`
 */
export async function bundleDigest(dir: string): Promise<string> {
  const checksums = await readFile(join(dir, 'checksums.txt'));
  return `sha256:${createHash('sha256').update(checksums).digest('hex')}`;
}
