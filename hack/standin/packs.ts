/** The data packs of ./packs: small, offline, and read the same way by the stand-in and by a real aicr. */
import { cp, mkdir, readdir, readFile, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { fileURLToPath } from 'node:url';

const PACKS = fileURLToPath(new URL('./packs', import.meta.url));

/**
 * - `acme`: two components made of manifests; everything works
 * - `acme-failing`: the first component is refused by the API server, the one after it works
 * - `acme-slow`: the first component waits until somebody binds its volume claim (see slowVolume)
 * - `acme-deferral`: deploy.sh of v1.x puts the DRA plugin's restart off and exits with 2
 * - `acme-noisy`: a component whose refusal fills many lines
 */
export type PackName = 'acme' | 'acme-failing' | 'acme-slow' | 'acme-deferral' | 'acme-noisy';

/** apiVersion of a pack's own files. */
export type PackHeaders = 'aicr.run/v1alpha2' | 'aicr.run/v1beta1';

/** Criteria that every pack but its variants provides a recipe for. */
export const ACME = { service: 'acme', accelerator: 'h200', intent: 'training' } as const;

/**
 * The headers that a version of aicr reads: v0.21 and later know v1beta1, v1.0.0 and later nothing else.
 * @param version release tag, with its v
 */
export function packHeaders(version: string): PackHeaders {
  const [major = 0, minor = 0] = version.replace(/^v/, '').split('.').map(Number);
  return major > 0 || minor > 20 ? 'aicr.run/v1beta1' : 'aicr.run/v1alpha2';
}

/**
 * Writes a copy of a pack with the headers that an aicr version wants.
 * @param options.into folder that becomes the pack; made when it is not there
 * @returns `options.into`
 */
export async function packFolder(
  name: PackName,
  options: { headers: PackHeaders; into: string },
): Promise<string> {
  const { headers, into } = options;
  await mkdir(into, { recursive: true });
  await cp(path.join(PACKS, name), into, { recursive: true });
  for (const entry of await readdir(into, { recursive: true, withFileTypes: true })) {
    if (!entry.isFile() || !entry.name.endsWith('.yaml')) continue;
    const file = path.join(entry.parentPath, entry.name);
    const text = await readFile(file, 'utf8');
    await writeFile(file, text.replace(/^apiVersion: aicr\.run\/.*$/m, `apiVersion: ${headers}`));
  }
  return into;
}

/**
 * The volume that ends the wait of `acme-slow`: apply it when the component shall become ready. deploy.sh must run
 * without --no-wait for there to be a wait at all. Delete it after the test; it belongs to the whole cluster.
 */
export const slowVolume = (): object => ({
  apiVersion: 'v1',
  kind: 'PersistentVolume',
  metadata: { name: 'acme-slow' },
  spec: {
    accessModes: ['ReadWriteOnce'],
    capacity: { storage: '1Mi' },
    storageClassName: '',
    persistentVolumeReclaimPolicy: 'Retain',
    hostPath: { path: '/var/empty' },
    claimRef: { namespace: 'acme-slow', name: 'acme-slow' },
  },
});
