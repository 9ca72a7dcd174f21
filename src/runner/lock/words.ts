import { RunError } from '../../contract/index.ts';
import type { JobAge } from '../job-order.ts';
import type { Lease } from '../ports/index.ts';
import { type Claim, podOf } from './claim.ts';
import { claimIn, LEASE_NAME } from './document.ts';

/** `the Lease nvidia-aicr in namespace kube-system` */
export const describeLease = (namespace: string): string =>
  `the Lease ${LEASE_NAME} in namespace ${namespace}`;

/** `pod gpu/aicr-install-1a2b-x (release gpu/aicr, Job aicr-install-1a2b)` */
export function describeClaim({ holder, release, job }: Claim): string {
  const pod = podOf(holder);
  const whose = [
    ...(release === '' ? [] : [`release ${release}`]),
    ...(job.name === '' ? [] : [`Job ${job.name}`]),
  ];
  const who = pod === null ? holder : `pod ${pod.namespace}/${pod.name}`;
  return whose.length === 0 ? who : `${who} (${whose.join(', ')})`;
}

/** Who holds a Lease and since when. */
export function describeHolder(lease: Lease): string {
  const since =
    lease.acquireTime === '' ? '' : ` since ${lease.acquireTime.slice(0, 19).replace('T', ' ')} UTC`;
  return `${describeClaim(claimIn(lease))} holds it${since}`;
}

/** The end of a run that a newer one of the same release stands for. @param where the run was, or nothing */
export const superseded = (by: JobAge, where: string): RunError =>
  new RunError(
    'Superseded',
    `superseded by the newer run ${by.name} of the same release, made at ${by.createdAt}${where === '' ? '' : `: interrupted ${where}`}`,
    { hint: 'Nothing is to be done: the newer run goes on by itself. Look at its status.' },
  );

/** The end of a run whose Lease another one has. */
export const lost = (namespace: string, to: Claim | null, where: string): RunError =>
  new RunError(
    'LockLost',
    `${describeLease(namespace)} was taken from this run by ${to === null ? 'another one, which has ended since' : describeClaim(to)}: interrupted ${where}`,
    {
      hint: 'Wait for that run to end, then run this one again. It took the Lease because this run could not renew it for minutes, or because somebody freed it.',
    },
  );

/** The end of a run that has waited long enough. @param value the value that says how long */
export const timeout = (lease: Lease, waited: string, value: string, cause?: unknown): RunError =>
  new RunError(
    'LockTimeout',
    `another run is at work: ${describeHolder(lease)}, ${describeLease(lease.namespace)}; this one waited ${waited} (${value})`,
    {
      hint: `Let that run end, then run this one again. Only when it is certain that its pod runs no more: kubectl delete lease ${LEASE_NAME} -n ${lease.namespace}`,
      cause,
    },
  );

/** What the API server refuses, with all that the Lease needs. */
export const mayNot = (namespace: string, refusal: RunError): RunError =>
  new RunError('RightsMissing', refusal.message, {
    hint: `Without the Lease two runs could work on the cluster at once. Give the installer's ServiceAccount get, create and update on leases.coordination.k8s.io in namespace ${namespace} (cluster-admin has them, which rbac.create binds), or name another namespace in lock.namespace.`,
    cause: refusal,
  });
