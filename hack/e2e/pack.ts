import { mkdtemp, readdir, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type Cluster, toolPath } from '../cluster/index.ts';
import {
  ACME,
  type Checks,
  type PackName,
  packFolder,
  packHeaders,
  pushPack,
  type Release,
  writeChecks,
} from '../standin/index.ts';

/** A data pack in the cluster's private registry. */
export interface PushedPack {
  readonly ref: string;
  /** Of its manifest, `sha256:…`. */
  readonly digest: string;
  /** Criteria that it provides a recipe for. */
  readonly criteria: { readonly service: string; readonly accelerator: string; readonly intent: string };
}

/**
 * Pushes a copy of a data pack in which every name that begins with `acme` begins with another word: the components
 * of two scenarios then are different Helm releases in different namespaces.
 * @param word takes the place of `acme`
 * @param checks validators that the copy has beside the pack's own content
 */
export async function pushScenarioPack(
  cluster: Cluster,
  aicr: Release,
  name: PackName,
  word: string,
  checks?: Checks,
): Promise<PushedPack> {
  const folder = await mkdtemp(join(tmpdir(), 'pack-'));
  try {
    await packFolder(name, { headers: packHeaders(aicr.version), into: folder });
    await renameAll(folder, word);
    // Afterwards: what a check prints is the test's own, random base64 too, and four letters of that may spell acme.
    if (checks !== undefined) await writeChecks(folder, checks);
    const { host, login } = cluster.registry;
    const ref = `${host}/${word}/${name}:1.0.0`;
    const auth = { username: login.user, password: login.password };
    const digest = await pushPack({ ref, folder, oras: toolPath('oras'), plainHTTP: true, auth });
    return { ref, digest, criteria: { ...ACME, service: word } };
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

/** Renames in names and texts, the deepest names first. */
async function renameAll(folder: string, word: string): Promise<void> {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true });
  const deepestFirst = entries.sort((a, b) => b.parentPath.length - a.parentPath.length);
  for (const entry of deepestFirst) {
    const path = join(entry.parentPath, entry.name);
    if (entry.isFile()) {
      const text = await readFile(path, 'utf8');
      await writeFile(path, text.replaceAll('acme', word).replaceAll('Acme', word));
    }
    const renamed = entry.name.replaceAll('acme', word);
    if (renamed !== entry.name) await rename(path, join(entry.parentPath, renamed));
  }
}
