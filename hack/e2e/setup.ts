import { cp, mkdtemp } from 'node:fs/promises';
import { join } from 'node:path';
import type { TestProject } from 'vitest/node';
import { buildChart } from '../chart.ts';
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
      chart: await buildChart(await mkdtemp(join(cluster.folder, 'chart-'))),
      aicr: await publishRelease(cluster),
    });
    return stop;
  } catch (error) {
    await stop();
    throw error;
  }
}

async function publishRelease(cluster: Cluster): Promise<Release> {
  const release = await releaseFolder({ dir: join(cluster.folder, 'release') });
  await cp(release.dir, join(cluster.mirrorRoot, release.version), { recursive: true });
  return release;
}
