import { type RunStatus, STATUS_KEYS } from '../../contract/index.ts';

/** As much of an earlier run's document as can be relied on: another chart version may have written it. */
export type EarlierRun = Pick<
  RunStatus,
  'startedAt' | 'updatedAt' | 'job' | 'release' | 'bundle' | 'steps' | 'components'
>;

/**
 * The documents of a release's runs in the status ConfigMap, each from its own key.
 * @param data of the ConfigMap
 * @param release name; documents of other releases and what is no document are left out
 * @returns the newest first
 */
export function earlierRuns(data: Readonly<Record<string, string>>, release: string): readonly EarlierRun[] {
  return Object.entries(data)
    .filter(([key]) => key.endsWith('.json') && key !== STATUS_KEYS.status)
    .flatMap(([, text]) => readRun(text) ?? [])
    .filter((run) => run.release.name === release)
    .sort((a, b) => (a.startedAt < b.startedAt ? 1 : -1));
}

function readRun(text: string): EarlierRun | undefined {
  let found: Partial<RunStatus> | null;
  try {
    found = JSON.parse(text) as Partial<RunStatus> | null;
  } catch {
    return undefined;
  }
  const complete =
    typeof found?.startedAt === 'string' &&
    typeof found.updatedAt === 'string' &&
    typeof found.job?.name === 'string' &&
    typeof found.release?.name === 'string' &&
    typeof found.bundle?.digest === 'string' &&
    Array.isArray(found.steps) &&
    Array.isArray(found.components);
  return complete ? (found as EarlierRun) : undefined;
}

/** Whether a run came as far as changing the cluster. */
const touched = ({ steps }: EarlierRun): boolean =>
  steps.some(({ name, startedAt }) => name === 'deploy' && startedAt !== '');

/** Whether a run installed every component of its bundle. */
const isComplete = ({ steps, components }: EarlierRun): boolean =>
  steps.some(({ name, state }) => name === 'deploy' && state === 'Succeeded') &&
  components.length > 0 &&
  components.every(({ state }) => state === 'Installed');

/**
 * Whether the cluster has the very bundle already: the last complete run installed it, and no run since has begun to
 * install another.
 * @param runs the newest first
 * @param digest of the bundle
 */
export function hasInstalled(runs: readonly EarlierRun[], digest: string): boolean {
  const since = runs.filter(touched);
  const complete = since.findIndex(isComplete);
  return complete >= 0 && since.slice(0, complete + 1).every(({ bundle }) => bundle.digest === digest);
}
