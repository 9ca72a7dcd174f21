import { newestOf, readReleaseJobs } from '../job-order.ts';
import type { Cluster, JobFacts } from '../ports/index.ts';

/**
 * Tells whether a Job is the newest of its release.
 * @param name of the Job
 * @param job null when the runner may not read it; then nothing can be compared, and it counts as the newest
 */
export async function isNewestRun(
  cluster: Cluster,
  name: string,
  job: JobFacts | null,
  signal: AbortSignal,
): Promise<boolean> {
  if (job === null) {
    return true;
  }
  const newest = newestOf(await readReleaseJobs(cluster, job, signal));
  return newest === null || newest.name === name;
}
