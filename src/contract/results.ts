/** ConfigMaps a run writes: labels, keys and field managers. */

/** On every ConfigMap that a run writes; nothing by which Helm or Argo CD would adopt or prune it. */
export const WRITTEN_BY_LABEL = 'nvidia-aicr/written-by';
export const WRITTEN_BY_RUN = 'run';
/** Release name, on every ConfigMap that a run writes and on the run's pod. */
export const RELEASE_LABEL = 'nvidia-aicr/release';
/** Server-side apply field manager of everything that belongs to the release. */
export const FIELD_MANAGER = 'nvidia-aicr';

/** On the numbered parts of a split result (`2-of-5`): what tells them from a ConfigMap that only has such a name. */
export const PART_LABEL = 'nvidia-aicr/part';

/** Key of the text that says how split entries are joined, and what was cut or left out. */
export const NOTES_KEY = 'READ-THIS.txt';

/** Keys of the recipe's ConfigMap. */
export const RECIPE_KEYS = {
  recipe: 'recipe.yaml',
  summary: 'summary.txt',
  upgrading: 'UPGRADING.md',
} as const;

/** Keys of the verdict's ConfigMap. */
export const VERDICT_KEYS = { report: 'ctrf.json', summary: 'summary.txt' } as const;

/** Keys of the upgrade check's ConfigMap. */
export const UPGRADE_KEYS = { report: 'upgrade-check.json', summary: 'summary.txt' } as const;

/** Keys of the evidence's ConfigMap. */
export const EVIDENCE_KEYS = { archive: 'evidence.tgz', pointer: 'pointer.yaml' } as const;

/** Keys of the status ConfigMap; each run has a key of its own beside them. */
export const STATUS_KEYS = { status: 'status.json', summary: 'summary.txt' } as const;

/**
 * Key of one run's own status document.
 * @param job name of the run's Job
 */
export const runStatusKey = (job: string): string => `${job}.json`;

/**
 * A Job's name without its hash: the same for all runs of one release, another one for each further instance of the
 * chart in an umbrella chart.
 */
export const jobFamily = (job: string): string => job.slice(0, job.lastIndexOf('-'));

/**
 * Field manager of one run's own key: server-side apply drops a manager's keys that a later apply leaves out,
 * so each run's key needs its own.
 * @param job name of the run's Job; the result is at most 128 characters, the API's limit
 */
export const runFieldManager = (job: string): string => `${FIELD_MANAGER}.${job}`;

/** ConfigMap in lock.namespace with the Helm releases that runs of this chart made, whichever release of it they were of. */
export const COMPONENTS_CONFIG_MAP = 'nvidia-aicr-components';

/**
 * Its key for one Helm release.
 * @param release name, which may have dots in it; a namespace has none
 */
export const componentKey = (namespace: string, release: string): string => `${namespace}.${release}`;

/** Its key for the newest run of one release of this chart that reached deploy; no namespace has an underscore. */
export const newestRunKey = (namespace: string, release: string): string => `newest_${namespace}.${release}`;
