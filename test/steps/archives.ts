import { createHash } from 'node:crypto';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { type Header, pack } from 'tar-stream';

/** An entry of a tar archive, hostile ones as well. */
export type Entry = Partial<Omit<Header, 'name'>> & { readonly name: string; readonly content?: string };

/** An aicr that says its version and leaves a mark when it is started. */
export const aicrScript = (version = '1.2.0', mark = '/dev/null'): string =>
  `#!/bin/sh\necho started >> '${mark}'\necho "aicr version ${version} (commit: abc, date: today)"\n`;

/** Makes a tar.gz of exactly these entries. */
export async function archiveOf(entries: readonly Entry[]): Promise<Buffer> {
  const tar = pack();
  for (const { content = '', ...header } of entries) tar.entry({ mode: 0o755, ...header }, content);
  tar.finalize();
  const chunks: Uint8Array[] = [];
  for await (const chunk of tar as AsyncIterable<Uint8Array>) chunks.push(chunk);
  return gzipSync(Buffer.concat(chunks));
}

export const sha256 = (bytes: Uint8Array): string => createHash('sha256').update(bytes).digest('hex');

/**
 * Lays a release out as a mirror serves it.
 * @param checksums content of the checksums file; a right one when left out
 */
export function layOut(root: string, archive: Uint8Array, checksums?: string): void {
  const folder = join(root, 'v1.2.0');
  mkdirSync(folder, { recursive: true });
  writeFileSync(join(folder, ARCHIVE), archive);
  writeFileSync(join(folder, 'aicr_checksums.txt'), checksums ?? `${sha256(archive)}  ${ARCHIVE}\n`);
}

export const ARCHIVE = 'aicr_1.2.0_linux_amd64.tar.gz';
