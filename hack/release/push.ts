/**
 * Pushes a packed chart into an OCI registry, where no version is ever replaced, and prints
 * `registry/repository@digest`.
 */
import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { execa } from 'execa';
import { parse } from 'yaml';
import { ensureTools, toolPath } from '../cluster/index.ts';
import { fetchManifest, type Manifest, plainHttp } from './artifact.ts';

const HELM_LAYER = 'application/vnd.cncf.helm.chart.content.v1.tar+gzip';

/**
 * Pushes with the credentials of Docker's configuration, and reads back what then stands there.
 * @param archive path of the .tgz
 * @param parent `registry/path`; the chart's name is added to it
 * @returns the chart by digest: `registry/path/nvidia-aicr@sha256:…`
 * @throws Error when another archive has that version already, or what is there afterwards is not this one
 */
export async function pushChart(archive: string, parent: string): Promise<string> {
  await ensureTools(['helm4', 'oras']);
  const { name, version } = await chartOf(archive);
  const repository = `${parent}/${name}`;
  // A tag of OCI has no plus sign; Helm writes an underscore.
  const reference = `${repository}:${version.replace('+', '_')}`;
  const digest = `sha256:${createHash('sha256').update(readFileSync(archive)).digest('hex')}`;
  const there = await fetchManifest(reference);
  if (there !== undefined && contentOf(there) !== digest)
    throw new Error(
      `${reference} is there already with another content, and a released version is never replaced; raise the version`,
    );
  // A release that is run again finds its own chart.
  if (there !== undefined) return `${repository}@${there.digest}`;
  const argv = ['push', archive, `oci://${parent}`, ...plainHttp(reference)];
  await execa(toolPath('helm4'), argv, { stdin: 'ignore', stdout: 'ignore' });
  const pushed = await fetchManifest(reference);
  if (pushed === undefined || contentOf(pushed) !== digest)
    throw new Error(`${reference} does not hold ${archive} (${digest}) after it was pushed`);
  return `${repository}@${pushed.digest}`;
}

const contentOf = ({ document }: Manifest): string | undefined =>
  document.layers?.find(({ mediaType }) => mediaType === HELM_LAYER)?.digest;

async function chartOf(archive: string): Promise<{ name: string; version: string }> {
  const { stdout } = await execa(toolPath('helm4'), ['show', 'chart', archive], { stdin: 'ignore' });
  return parse(stdout) as { name: string; version: string };
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const [archive, parent, ...rest] = process.argv.slice(2);
  if (archive === undefined || parent === undefined || rest.length > 0) {
    console.error('Usage: npx tsx hack/release/push.ts CHART.tgz REGISTRY/PATH');
    process.exitCode = 2;
  } else {
    await pushChart(archive, parent.replace(/^oci:\/\//, '')).then(console.log, (error: Error) => {
      console.error(error.message);
      process.exitCode = 1;
    });
  }
}
