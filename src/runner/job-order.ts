import { RunError } from '../contract/index.ts';
import type { Cluster, JobFacts, ReleaseJob } from './ports/index.ts';

/** What orders the Jobs of one release. */
export type JobAge = Pick<ReleaseJob, 'name' | 'createdAt'>;

const order = ({ createdAt, name }: JobAge): string => `${createdAt} ${name}`;

/** Whether one Job is newer than another: made later, or in the same second and with the greater name. */
export const isNewer = (job: JobAge, than: JobAge): boolean => order(job) > order(than);

/** The newest of some Jobs; null when there are none. */
export const newestOf = <Job extends JobAge>(jobs: readonly Job[]): Job | null =>
  jobs.reduce<Job | null>((newest, job) => (newest === null || isNewer(job, newest) ? job : newest), null);

/** The release's Jobs; none when they may not be listed, which is no reason to stop. */
export async function readReleaseJobs(
  cluster: Pick<Cluster, 'releaseJobs'>,
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
