import { createHash } from 'node:crypto';
import { writeFileSync } from 'node:fs';
import path from 'node:path';
import { execa } from 'execa';
import { type Registry, toolPath } from '../../hack/cluster/index.ts';
import { scratchFolder } from '../render/chart.ts';

export { type Registries, startRegistries } from '../steps/registries.ts';

const MEDIA = 'application/vnd.oci.image';

/**
 * Puts an index of images into an open registry, one empty image for each CPU kind.
 * @returns the index's digest
 */
export const putIndex = async (
  { host }: Registry,
  repository: string,
  tag: string,
  architectures: readonly string[] = ['amd64', 'arm64'],
): Promise<string> => {
  const folder = scratchFolder('index');
  const put = async (what: 'blob' | 'manifest', name: string, document: unknown, type: string) => {
    const text = JSON.stringify(document);
    const file = path.join(folder, 'document.json');
    writeFileSync(file, text);
    const digest = `sha256:${createHash('sha256').update(text).digest('hex')}`;
    const target = `${host}/${repository}${name === '' ? `@${digest}` : `:${name}`}`;
    const size = Buffer.byteLength(text);
    const options = what === 'blob' ? ['--size', String(size), '--media-type', type] : ['--media-type', type];
    await execa(toolPath('oras'), [what, 'push', '--plain-http', ...options, target, file]);
    return { mediaType: type, digest, size };
  };
  const manifests = [];
  for (const architecture of architectures) {
    const platform = { os: 'linux', architecture };
    const config = await put('blob', '', { ...platform, tag }, `${MEDIA}.config.v1+json`);
    const image = { schemaVersion: 2, mediaType: `${MEDIA}.manifest.v1+json`, config, layers: [] };
    manifests.push({ ...(await put('manifest', '', image, `${MEDIA}.manifest.v1+json`)), platform });
  }
  const index = { schemaVersion: 2, mediaType: `${MEDIA}.index.v1+json`, manifests };
  return (await put('manifest', tag, index, `${MEDIA}.index.v1+json`)).digest;
};
