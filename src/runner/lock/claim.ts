import { jobFamily } from '../../contract/index.ts';
import type { JobAge } from '../job-order.ts';
import type { RunIdentity } from '../ports/index.ts';

/** A run's claim to the Lease: who it is, for machines and for people. */
export interface Claim {
  /** `<namespace>/<pod>/<uid>` */
  readonly holder: string;
  /** `<namespace>/<release>` */
  readonly release: string;
  /** `createdAt` is empty when the run may not read its Job; then it neither supersedes nor is superseded. */
  readonly job: JobAge;
}

/** @param createdAt of the run's Job; empty when that is not known */
export const claimOf = (identity: RunIdentity, createdAt: string): Claim => ({
  holder: `${identity.namespace}/${identity.pod}/${identity.podUid}`,
  release: `${identity.namespace}/${identity.release}`,
  job: { name: identity.job, createdAt },
});

/** The pod that a Lease's holder names; null when somebody else than a run of this chart wrote it. */
export function podOf(holder: string): { namespace: string; name: string; uid: string } | null {
  const [namespace, name, uid, ...more] = holder.split('/');
  return namespace && name && uid && more.length === 0 ? { namespace, name, uid } : null;
}

/** Whether both are runs of one instance of the chart. */
export const areSiblings = (one: Claim, other: Claim): boolean =>
  one.release === other.release && jobFamily(one.job.name) === jobFamily(other.job.name);

/** Whether both can be told apart by age at all. */
export const areDated = (one: JobAge, other: JobAge): boolean =>
  one.createdAt !== '' && other.createdAt !== '';
