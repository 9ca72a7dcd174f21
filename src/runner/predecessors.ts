import { RunError } from '../contract/index.ts';
import { isNewer, readReleaseJobs } from './job-order.ts';
import type { Log } from './log.ts';
import type { Cluster, JobFacts } from './ports/index.ts';

/**
 * Removes the Jobs of earlier runs of the release that are still there. Helm compares an upgrade with the last
 * revision that was deployed: what a revision after it made and that failed, or was given up waiting for, is nobody's
 * any more. It would outlive `helm uninstall`, and a later upgrade back to its values would find it instead of running.
 * Jobs that something else than Helm applied are its own business: Argo CD prunes, or is not to.
 * To be called by who holds the Lease, when those runs have ended and have written down how. A Job that cannot be
 * removed is no reason to stop.
 * @param run.name of this run's Job
 * @param job null when the runner may not read it; then nobody can say which ones are older
 * @throws the signal's abort reason
 */
export async function removePredecessors(
  { cluster, log, name }: { cluster: Pick<Cluster, 'releaseJobs' | 'deleteJob'>; log: Log; name: string },
  job: JobFacts | null,
  signal: AbortSignal,
): Promise<void> {
  if (job === null) {
    return;
  }
  const own = { name, createdAt: job.createdAt };
  try {
    for (const other of await readReleaseJobs(cluster, job, signal)) {
      if (isNewer(own, other) && !other.deleting && other.ofHelm) {
        await cluster.deleteJob(other, signal);
        log.info(`removed Job ${other.name} of an earlier run`);
      }
    }
  } catch (error) {
    signal.throwIfAborted();
    if (!(error instanceof RunError)) {
      throw error;
    }
    log.warn(`Jobs of earlier runs stay: ${error.message}`);
  }
}
