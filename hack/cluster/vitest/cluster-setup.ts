import type { TestProject } from 'vitest/node';
import { openCluster, startCluster } from '../index.ts';

declare module 'vitest' {
  interface ProvidedContext {
    /** Folder of the suite's cluster: `openCluster(inject('clusterFolder'))`. */
    clusterFolder: string;
  }
}

/**
 * One cluster for a whole suite. With NVIDIA_AICR_CLUSTER=<folder of a cluster from hack/cluster/up> that one is used
 * and left running, which saves the start while writing scenarios.
 * @returns what vitest runs at the end
 */
export default async function setup(project: TestProject): Promise<() => Promise<void>> {
  const running = process.env['NVIDIA_AICR_CLUSTER'];
  const cluster = running ? openCluster(running) : await startCluster();
  project.provide('clusterFolder', cluster.folder);
  return async () => {
    if (!running) await cluster.stop();
  };
}
