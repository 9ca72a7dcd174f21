import {
  RELEASE_LABEL,
  type RunSpec,
  type RunStatus,
  runStatusKey,
  STATUS_KEYS,
  WRITTEN_BY_LABEL,
  WRITTEN_BY_RUN,
} from '../../contract/index.ts';
import { Failure } from '../failure.ts';
import type { Kubectl } from './kubectl.ts';
import type { ConfigMap, Job, KubeEvent, Pod } from './objects.ts';

/** Everything that the cluster tells of a release's newest run. */
export interface Facts {
  readonly release: string;
  readonly namespace: string;
  /** Null when it was removed: uninstalled, or by its TTL. */
  readonly job: Job | null;
  /** What the run was told to do; null when that cannot be read any more. */
  readonly spec: RunSpec | null;
  /** The run's own document; null when it has written none. */
  readonly document: RunStatus | null;
  /** The document of the run before it, where this one has none. */
  readonly before: RunStatus | null;
  readonly pods: readonly Pod[];
  /** About Job and pods, oldest first; read only where the document does not tell all. */
  readonly events: readonly KubeEvent[];
}

/**
 * Tells which release is meant.
 * @param wanted its name; undefined: the only one of the namespace
 * @throws Failure when there is none, or several
 * @throws ClusterFailure
 */
export async function findRelease(kubectl: Kubectl, wanted: string | undefined): Promise<string> {
  if (wanted !== undefined) return wanted;
  const jobs = (await installJobs(kubectl)).map(releaseOf);
  const names = jobs.length > 0 ? jobs : await releasesOfResults(kubectl);
  const [only, ...others] = [...new Set(names)].sort();
  if (only === undefined) {
    throw new Failure('This namespace has no release of nvidia-aicr; name another with -n.');
  }
  if (others.length > 0) {
    throw new Failure(`This namespace has several releases; name one: ${[only, ...others].join(', ')}`);
  }
  return only;
}

/**
 * Reads what there is of a release's newest run.
 * @throws Failure when there is no such release
 * @throws ClusterFailure
 */
export async function readFacts(kubectl: Kubectl, release: string): Promise<Facts> {
  const jobs = (await installJobs(kubectl)).filter((job) => releaseOf(job) === release);
  const job = newest(jobs);
  if (job === null) return await factsWithoutJob(kubectl, release);
  const [spec, pods] = await Promise.all([
    specOf(kubectl, job),
    kubectl.list<Pod>('pods', `--selector=batch.kubernetes.io/job-name=${job.metadata.name}`),
  ]);
  const data = await statusData(kubectl, release, spec);
  const own = parse(data[runStatusKey(job.metadata.name)]);
  // A Job of the same name that was deleted and made again writes over what the former one left.
  const document = own !== null && (own.job.uid === '' || own.job.uid === job.metadata.uid) ? own : null;
  const shared = parse(data[STATUS_KEYS.status]);
  return {
    release,
    namespace: job.metadata.namespace,
    job,
    spec,
    document,
    before: document === null && shared?.job.name !== job.metadata.name ? shared : null,
    pods: [...pods].sort(byAge),
    events: document === null ? await eventsOf(kubectl, [job, ...pods]) : [],
  };
}

async function factsWithoutJob(kubectl: Kubectl, release: string): Promise<Facts> {
  const found = await statusConfigMap(kubectl, release);
  const document = parse(found?.data?.[STATUS_KEYS.status]);
  if (found === null || document === null) {
    throw new Failure(`There is no Job of release ${release} in this namespace, and no status of one.`);
  }
  const { namespace } = found.metadata;
  return { release, namespace, job: null, spec: null, document, before: null, pods: [], events: [] };
}

/** The Jobs that the chart makes; their pods bear the release's name. */
async function installJobs(kubectl: Kubectl): Promise<readonly Job[]> {
  const jobs = await kubectl.list<Job>('jobs', '--selector=app.kubernetes.io/component=installer');
  return jobs.filter((job) => releaseOf(job) !== '');
}

const releaseOf = ({ spec }: Job): string => spec.template.metadata?.labels?.[RELEASE_LABEL] ?? '';

async function releasesOfResults(kubectl: Kubectl): Promise<readonly string[]> {
  const found = await kubectl.list<ConfigMap>(
    'configmaps',
    `--selector=${WRITTEN_BY_LABEL}=${WRITTEN_BY_RUN}`,
  );
  return found
    .filter(({ data }) => data?.[STATUS_KEYS.status] !== undefined)
    .map(({ metadata }) => metadata.labels?.[RELEASE_LABEL] ?? '')
    .filter((name) => name !== '');
}

/** The newest Job; of two of the same second, the greater name, as the runs themselves count. */
function newest(jobs: readonly Job[]): Job | null {
  // What is being deleted gives way to what took its place.
  const alive = jobs.filter(({ metadata }) => metadata.deletionTimestamp === undefined);
  return [...(alive.length > 0 ? alive : jobs)].sort(byAge).at(-1) ?? null;
}

const byAge = (one: Job | Pod, other: Job | Pod): number =>
  order(one) < order(other) ? -1 : order(one) > order(other) ? 1 : 0;
const order = ({ metadata }: Job | Pod): string => `${metadata.creationTimestamp} ${metadata.name}`;

/** run.json of a Job's run. */
async function specOf(kubectl: Kubectl, job: Job): Promise<RunSpec | null> {
  const name = job.spec.template.spec.volumes?.find((volume) => volume.name === 'run-spec')?.configMap?.name;
  const found = name === undefined ? null : await kubectl.find<ConfigMap>('configmap', name);
  const text = found?.data?.['run.json'];
  return text === undefined ? null : (JSON.parse(text) as RunSpec);
}

/** What the status ConfigMap holds; nothing when there is none. */
async function statusData(
  kubectl: Kubectl,
  release: string,
  spec: RunSpec | null,
): Promise<Readonly<Record<string, string>>> {
  if (spec?.status.configMap === '') return {};
  const found =
    spec === null
      ? await statusConfigMap(kubectl, release)
      : await kubectl.find<ConfigMap>('configmap', spec.status.configMap);
  return found?.data ?? {};
}

/** The status ConfigMap of a release whose run.json is not there to name it. */
async function statusConfigMap(kubectl: Kubectl, release: string): Promise<ConfigMap | null> {
  const found = await kubectl.list<ConfigMap>('configmaps', `--selector=${RELEASE_LABEL}=${release}`);
  return found.find(({ data }) => parse(data?.[STATUS_KEYS.status])?.release.name === release) ?? null;
}

function parse(text: string | undefined): RunStatus | null {
  try {
    const found = JSON.parse(text ?? 'null') as RunStatus | null;
    return typeof found?.phase === 'string' ? found : null;
  } catch {
    return null;
  }
}

/** Events of these objects, oldest first; none when they may not be read. */
async function eventsOf(kubectl: Kubectl, objects: readonly (Job | Pod)[]): Promise<readonly KubeEvent[]> {
  const uids = new Set(objects.map(({ metadata }) => metadata.uid));
  const events = await kubectl.list<KubeEvent>('events').catch(() => []);
  const at = ({ lastTimestamp, eventTime, metadata }: KubeEvent): string =>
    lastTimestamp ?? eventTime ?? metadata.creationTimestamp;
  return events
    .filter(({ involvedObject }) => uids.has(involvedObject.uid ?? ''))
    .sort((one, other) => Date.parse(at(one)) - Date.parse(at(other)));
}
