import { cp, mkdtemp } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { execa } from 'execa';
import type { TestProject } from 'vitest/node';
import { type Cluster, openCluster, startCluster } from '../cluster/index.ts';
import { type Release, releaseFolder } from '../standin/index.ts';

/** What every scenario finds ready. */
export interface Prepared {
  /** Folder of the suite's cluster, for `openCluster`. */
  readonly clusterFolder: string;
  /** Folder of the built chart. */
  readonly chart: string;
  /** The release on the mirror. */
  readonly aicr: Release;
}

declare module 'vitest' {
  interface ProvidedContext {
    prepared: Prepared;
  }
}

const ROOT = fileURLToPath(new URL('../..', import.meta.url));

/**
 * Once for the whole suite: a cluster, the built chart, and an aicr release on the cluster's mirror. With
 * NVIDIA_AICR_CLUSTER=<folder of a cluster from hack/cluster/up> that cluster is used and left running, which saves
 * the start while writing scenarios.
 * @returns what vitest runs at the end
 */
export default async function setup(project: TestProject): Promise<() => Promise<void>> {
  const running = process.env['NVIDIA_AICR_CLUSTER'];
  const cluster = running ? openCluster(running) : await startCluster();
  const stop = async (): Promise<void> => {
    if (!running) await cluster.stop();
  };
  try {
    project.provide('prepared', {
      clusterFolder: cluster.folder,
      chart: await buildChart(cluster),
      aicr: await publishRelease(cluster),
    });
    return stop;
  } catch (error) {
    await stop();
    throw error;
  }
}

/** Builds the command and, with it, the chart, as a user does. @returns the chart's folder */
async function buildChart(cluster: Cluster): Promise<string> {
  const here = { cwd: ROOT, stdin: 'ignore', preferLocal: true, localDir: ROOT } as const;
  await execa(here)`tsx hack/build.ts`;
  const into = await mkdtemp(join(cluster.folder, 'chart-'));
  const { stdout } = await execa(here)`node dist/cli.mjs build --out ${into}`;
  return stdout.trim();
}

async function publishRelease(cluster: Cluster): Promise<Release> {
  const release = await releaseFolder({ dir: join(cluster.folder, 'release') });
  await cp(release.dir, join(cluster.mirrorRoot, release.version), { recursive: true });
  return release;
}
