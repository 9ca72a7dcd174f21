import { RunError } from '../../contract/index.ts';
import type { Cluster, JobFacts, ReleaseJob } from '../ports/index.ts';

/**
 * Tells whether a Job is the newest of its release: the one that was made last; of two of the same second, the
 * greater name. The shared keys of the status ConfigMap belong to it.
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
  const jobs = await readJobs(cluster, job, signal);
  const order = (each: { createdAt: string; name: string }): string => `${each.createdAt} ${each.name}`;
  const [newest] = [...jobs].sort((a, b) => (order(a) < order(b) ? 1 : -1));
  return newest === undefined || newest.name === name;
}

/** The release's Jobs; none when they may not be listed, which is no reason to leave the status unwritten. */
async function readJobs(
  cluster: Cluster,
  job: JobFacts,
  signal: AbortSignal,
): Promise<readonly ReleaseJob[]> {
  try {
    return await cluster.releaseJobs(job, signal);
  } catch (error) {
    if (error instanceof RunError && error.code === 'RightsMissing') {
      return [];
    }
    throw error;
  }
}
