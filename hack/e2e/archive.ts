import { createHash } from 'node:crypto';
import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import tar from 'tar-stream';
import { type Arch, archiveName, CHECKSUMS_FILE, hostArch } from '../standin/index.ts';
import type { Scenario } from './scenario.ts';

/** The assets of one release, which a scenario may spoil. */
export interface Assets {
  /** Archives by CPU kind. */
  readonly archives: Map<Arch, Buffer>;
  checksums: string;
}

/**
 * Puts a spoilt copy of the release on the mirror, in a folder of the scenario's own.
 * @param spoil changes the copy
 * @returns what to set as `aicrSource.baseUrl`
 */
export async function publishSpoilt(
  scenario: Scenario,
  spoil: (assets: Assets) => void | Promise<void>,
): Promise<string> {
  const { aicr, cluster, word } = scenario;
  const arch = hostArch();
  const archive = await readFile(join(aicr.dir, archiveName(aicr.version, arch)));
  const checksums = await readFile(join(aicr.dir, CHECKSUMS_FILE), 'utf8');
  const assets: Assets = { archives: new Map([[arch, archive]]), checksums };
  await spoil(assets);
  const folder = join(cluster.mirrorRoot, word, aicr.version);
  await mkdir(folder, { recursive: true });
  for (const [each, content] of assets.archives) {
    await writeFile(join(folder, archiveName(aicr.version, each)), content);
  }
  await writeFile(join(folder, CHECKSUMS_FILE), assets.checksums);
  return `${cluster.mirrorUrl}/${word}`;
}

/** An archive whose `aicr` has the given content, and the line of the checksums file that vouches for it. */
export async function vouchedArchive(name: string, aicr: Buffer): Promise<{ archive: Buffer; line: string }> {
  const pack = tar.pack();
  pack.entry({ name: 'aicr', mode: 0o755 }, aicr);
  pack.finalize();
  const chunks: Buffer[] = [];
  for await (const chunk of pack) chunks.push(chunk as Buffer);
  const archive = gzipSync(Buffer.concat(chunks));
  return { archive, line: `${createHash('sha256').update(archive).digest('hex')}  ${name}\n` };
}
