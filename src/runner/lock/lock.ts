import type { RunError, RunSpec } from '../../contract/index.ts';
import { isNewer, newestOf, readReleaseJobs } from '../job-order.ts';
import type { Log } from '../log.ts';
import type { Clock, Cluster, JobFacts, Lease, RunIdentity } from '../ports/index.ts';
import { acquireLease } from './acquire.ts';
import { areSiblings, type Claim, claimOf } from './claim.ts';
import { claimIn, LEASE_NAME } from './document.ts';
import { giveBack, type Keeper, keepLease } from './keeper.ts';
import { describeLease } from './words.ts';

/** How long giving the Lease back may hold up the end of the run. */
const RELEASE_MS = 5000;

/** What the lock tells the status. */
export interface LockStatus {
  /** Says in phase, message, log and Event that the run waits for another one, and that it need not any more. */
  waitingForLock(message: string): void;
  lockTaken(message: string): void;
}

export interface LockOptions {
  readonly cluster: Cluster;
  readonly clock: Clock;
  readonly log: Log;
  readonly status: LockStatus;
  readonly spec: RunSpec['lock'];
  readonly identity: RunIdentity;
  /** Stops the run. */
  readonly abort: AbortController;
  /** Says where the run is. */
  readonly where: () => string;
}

/** The Lease that lets one run at a time work on the cluster. */
export interface Lock {
  /**
   * Waits for the Lease, takes it, and renews it from then on. When another run takes it, or a newer one of the same
   * release waits for it, the run is aborted with `LockLost` or `Superseded`.
   * @param job null when the runner may not read it
   * @throws RunError as `acquireLease`
   */
  acquire(job: JobFacts | null, signal: AbortSignal): Promise<void>;
  /** Gives the Lease back. Does not reject. */
  release(): Promise<void>;
  /** Whose the release's shared documents are: this run's, another one's of the release, or not decided by the Lease. */
  owner(): 'this' | 'sibling' | 'undecided';
}

export function createLock(options: LockOptions): Lock {
  const { cluster, clock, log, status, spec, identity, abort, where } = options;
  let claim: Claim = claimOf(identity, '');
  let keeper: Keeper | null = null;
  let begun = false;
  let found: Lease | null = null;

  const newerJob = async (job: JobFacts | null, signal: AbortSignal) => {
    if (job === null) {
      return null;
    }
    const jobs = await readReleaseJobs(cluster, job, signal);
    const newest = newestOf(jobs.filter(({ deleting }) => !deleting));
    return newest !== null && isNewer(newest, claim.job) ? newest : null;
  };

  return {
    acquire: async (job, signal) => {
      claim = claimOf(identity, job?.createdAt ?? '');
      begun = true;
      let waited = false;
      const { lease, because } = await acquireLease(
        {
          leases: cluster,
          clock,
          log,
          namespace: spec.namespace,
          waitSeconds: spec.waitSeconds,
          claim,
          newerJob: (calls) => newerJob(job, calls),
          found: (seen) => {
            found = seen;
          },
          waiting: (message) => {
            waited = true;
            status.waitingForLock(message);
          },
        },
        signal,
      );
      found = lease;
      const stopRun = (reason: (at: string) => RunError): void => abort.abort(reason(where()));
      const taken = (by: Lease): void => {
        found = by;
      };
      keeper = keepLease({ leases: cluster, clock, log, claim, stopRun, taken }, lease);
      const message = `took ${describeLease(spec.namespace)}: ${because}`;
      if (waited) {
        status.lockTaken(message);
      } else {
        log.info(message);
      }
    },

    release: async () => {
      if (keeper !== null) {
        await keeper.release(RELEASE_MS);
      } else if (begun) {
        // A stop may have come while the answer to taking it was under way.
        const signal = AbortSignal.timeout(RELEASE_MS);
        const lease = await cluster.readLease(spec.namespace, LEASE_NAME, signal).catch(() => null);
        if (lease !== null) {
          await giveBack({ leases: cluster, clock, log, claim }, lease, signal);
        }
      }
    },

    owner: () => {
      if (found === null || found.holder === '') {
        return 'undecided';
      }
      if (found.holder === claim.holder) {
        return 'this';
      }
      return areSiblings(claimIn(found), claim) ? 'sibling' : 'undecided';
    },
  };
}
