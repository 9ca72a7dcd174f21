import { RunError } from '../../../contract/index.ts';
import type { StepContext } from '../../context.ts';
import { findInstalled, type InstalledRelease, setFailed } from './installed.ts';
import { began, type RecordedProgress } from './progress.ts';

const PENDING = ['pending-install', 'pending-upgrade', 'pending-rollback'];

/** Whether helm was, or is, in the middle of something with a release. */
export const isPending = ({ status }: Pick<InstalledRelease, 'status'>): boolean => PENDING.includes(status);

/** Whether helm is, or was when it was killed, in the middle of removing a release; helm upgrades none of these. */
export const isLeaving = ({ status }: Pick<InstalledRelease, 'status'>): boolean => status === 'uninstalling';

/** The failure of a run that found such releases. */
export function leavingError(leaving: readonly InstalledRelease[]): RunError {
  const named = leaving.map(({ name, namespace }) => `${name} in namespace ${namespace}`);
  const commands = leaving.map(({ name, namespace }) => `helm uninstall ${name} -n ${namespace}`);
  return new RunError(
    'ReleasePending',
    `helm is uninstalling ${named.join(', ')}, or was killed in the middle of it, and helm upgrades no such release`,
    {
      hint: `Let whoever runs helm finish, or bring it to an end by hand: ${commands.join('; ')}. Then run again.`,
    },
  );
}

/** What is done about a pending release. */
export type PendingVerdict =
  /** Nobody works on it any more. */
  | { readonly kind: 'abandoned'; readonly why: string }
  /** Somebody may be working on it. */
  | { readonly kind: 'busy'; readonly until: Date };

/**
 * Decides whether a pending release is one that a killed run left.
 * @param timeoutMs how long helm may work on it
 * @param progress what an earlier run wrote of it
 */
export function judgePending(
  release: InstalledRelease,
  timeoutMs: number,
  progress: RecordedProgress | null,
  now: Date,
): PendingVerdict {
  if (began(progress, release)) {
    return { kind: 'abandoned', why: `run ${progress.job} was stopped in the middle of it` };
  }
  const until = new Date(release.lastDeployed + timeoutMs);
  if (now > until) {
    const minutes = Math.round((now.getTime() - release.lastDeployed) / 60_000);
    const allowed = Math.round(timeoutMs / 60_000);
    return { kind: 'abandoned', why: `helm began ${minutes} min ago and had ${allowed} min` };
  }
  return { kind: 'busy', until };
}

/** The failure of a run that found releases on which somebody may be working. */
export function busyError(
  busy: readonly { readonly release: InstalledRelease; readonly until: Date }[],
): RunError {
  const named = busy.map(
    ({ release: { name, namespace, status, lastDeployed } }) =>
      `${name} in namespace ${namespace} (${status} since ${new Date(lastDeployed).toISOString()})`,
  );
  const last = new Date(Math.max(...busy.map(({ until }) => until.getTime()))).toISOString();
  // A first install has nothing to go back to.
  const upgraded = busy.map(({ release }) => release).find(({ revision }) => revision > 1);
  const rollback =
    upgraded === undefined
      ? ''
      : `, or end it by hand: helm rollback ${upgraded.name} -n ${upgraded.namespace}`;
  return new RunError(
    'ReleasePending',
    `helm is in the middle of ${named.join(', ')}, and no run of this release began that`,
    {
      hint: `Let whoever runs helm finish, then run again. If nobody does, a run after ${last} sets it to failed and goes on${rollback}.`,
    },
  );
}

/**
 * Sets what a killed run left pending to failed, and says so.
 * @returns false when somebody else brought it to an end meanwhile; nothing is changed then
 * @throws RunError `ReleasePending` when somebody else is at work on it after all
 */
export async function heal(release: InstalledRelease, why: string, context: StepContext): Promise<boolean> {
  const { name, namespace, status } = release;
  if (!(await setFailed(release, `${status} was abandoned: ${why}; set to failed by nvidia-aicr`, context))) {
    const now = await findInstalled(release, context);
    if (now !== null && isPending(now)) throw busyError([{ release: now, until: context.clock.now() }]);
    return false;
  }
  context.status.warn(
    `Helm release ${name} in namespace ${namespace} was left in ${status} (${why}); it was set to failed, and deploy.sh goes on from there`,
  );
  return true;
}
