import { WRITTEN_BY_LABEL, WRITTEN_BY_RUN } from '../../contract/index.ts';
import type { JobAge } from '../job-order.ts';
import type { Lease } from '../ports/index.ts';
import type { Claim } from './claim.ts';

/** Name of the Lease: one for all releases of a cluster. */
export const LEASE_NAME = 'nvidia-aicr';

/** After so long without a sign of life a Lease may be taken. */
export const DURATION_SECONDS = 120;

/** Annotations of a Lease that is held: whose it is, and which newer run of the same release waits for it. */
const ANNOTATIONS = {
  release: 'nvidia-aicr/release',
  job: 'nvidia-aicr/job',
  jobCreatedAt: 'nvidia-aicr/job-created-at',
  supersededBy: 'nvidia-aicr/superseded-by',
  supersededByCreatedAt: 'nvidia-aicr/superseded-by-created-at',
} as const;

/** A MicroTime: six digits behind the second. */
const microTime = (at: Date): string => at.toISOString().replace('Z', '000Z');

/** A time that differs from the last one, whatever the clock does: that it changes is the sign of life. */
function nextTime(now: Date, last: string | undefined): string {
  const time = microTime(now);
  return time === last ? microTime(new Date(now.getTime() + 1)) : time;
}

/**
 * The Lease as a run takes it.
 * @param found what is there; null when there is none yet
 * @param namespace of the Lease
 */
export function takenLease(found: Lease | null, namespace: string, claim: Claim, now: Date): Lease {
  const time = nextTime(now, found?.renewTime);
  return {
    name: LEASE_NAME,
    namespace,
    resourceVersion: found?.resourceVersion ?? '',
    labels: { ...found?.labels, [WRITTEN_BY_LABEL]: WRITTEN_BY_RUN },
    annotations: {
      ...othersAnnotations(found),
      [ANNOTATIONS.release]: claim.release,
      [ANNOTATIONS.job]: claim.job.name,
      [ANNOTATIONS.jobCreatedAt]: claim.job.createdAt,
    },
    holder: claim.holder,
    durationSeconds: DURATION_SECONDS,
    acquireTime: time,
    renewTime: time,
    transitions: found === null ? 0 : found.transitions + 1,
  };
}

/** The Lease with a new sign of life. */
export const renewedLease = (held: Lease, now: Date): Lease => ({
  ...held,
  renewTime: nextTime(now, held.renewTime),
});

/** The Lease with nobody who holds it. */
export const releasedLease = (held: Lease, now: Date): Lease => ({
  ...held,
  annotations: othersAnnotations(held),
  holder: '',
  renewTime: nextTime(now, held.renewTime),
});

/** The Lease with a word to its holder: a newer run of the same release waits for it. */
export const supersededLease = (found: Lease, { name, createdAt }: JobAge): Lease => ({
  ...found,
  annotations: {
    ...found.annotations,
    [ANNOTATIONS.supersededBy]: name,
    [ANNOTATIONS.supersededByCreatedAt]: createdAt,
  },
});

/** Who holds a Lease, as it says itself. */
export const claimIn = ({ holder, annotations }: Lease): Claim => ({
  holder,
  release: annotations[ANNOTATIONS.release] ?? '',
  job: { name: annotations[ANNOTATIONS.job] ?? '', createdAt: annotations[ANNOTATIONS.jobCreatedAt] ?? '' },
});

/** The newer Job that waits for the Lease; null when none has said so. */
export function successorIn({ annotations }: Lease): JobAge | null {
  const name = annotations[ANNOTATIONS.supersededBy];
  return name === undefined
    ? null
    : { name, createdAt: annotations[ANNOTATIONS.supersededByCreatedAt] ?? '' };
}

function othersAnnotations(lease: Lease | null): Record<string, string> {
  const ours: readonly string[] = Object.values(ANNOTATIONS);
  return Object.fromEntries(
    Object.entries(lease?.annotations ?? {}).filter(([name]) => !ours.includes(name)),
  );
}
