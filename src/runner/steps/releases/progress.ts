import type { EarlierRun } from '../../status/index.ts';
import type { InstalledRelease } from './installed.ts';

/**
 * How long after a run's last word its helm may still have begun something: deploy.sh says that it tries again, waits
 * up to two minutes, and helm fetches the chart before it writes anything.
 */
const LAST_WORD_MS = 600_000;

/** What an earlier run wrote of a component. */
export interface RecordedProgress {
  readonly job: string;
  /** The run was at this component when it wrote its last word. */
  readonly inProgress: boolean;
  /** Milliseconds since 1970. */
  readonly startedAt: number;
  readonly updatedAt: number;
}

/**
 * What the last of the earlier runs that came to a release's component wrote of it.
 * @param runs in any order
 * @returns null when none came to it
 */
export function lastProgress(
  release: Pick<InstalledRelease, 'name' | 'namespace'>,
  runs: readonly EarlierRun[],
): RecordedProgress | null {
  const found = runs.flatMap(({ components, startedAt, updatedAt, job }): RecordedProgress[] => {
    const component = components.find(
      ({ name, namespace }) => name === release.name && namespace === release.namespace,
    );
    if (component === undefined) return [];
    const inProgress = component.state === 'Installing' || component.state === 'Interrupted';
    return [
      { job: job.name, inProgress, startedAt: Date.parse(startedAt), updatedAt: Date.parse(updatedAt) },
    ];
  });
  return found.toSorted((a, b) => b.startedAt - a.startedAt)[0] ?? null;
}

/** Whether it was that run that began what a release is in the middle of; not somebody's helm long after it. */
export const began = (
  progress: RecordedProgress | null,
  { lastDeployed }: InstalledRelease,
): progress is RecordedProgress =>
  progress?.inProgress === true &&
  lastDeployed >= progress.startedAt &&
  lastDeployed <= progress.updatedAt + LAST_WORD_MS;
