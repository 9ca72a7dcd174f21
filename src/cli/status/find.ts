import {
  jobFamily,
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

/** The chart in a release. An umbrella chart may have it twice, under names of their own (fullnameOverride). */
export interface Instance {
  readonly release: string;
  /** What its Jobs' names begin with; mostly the release's name. */
  readonly name: string;
}

/**
 * Tells which run is meant.
 * @param wanted name of a release or of an instance; undefined: the only one of the namespace
 * @throws Failure when there is none, or several
 * @throws ClusterFailure
 */
export async function findInstance(kubectl: Kubectl, wanted: string | undefined): Promise<Instance> {
  const instances = alive(await installJobs(kubectl)).map(instanceOf);
  const found =
    choose(instances, wanted) ??
    choose(
      (await statusConfigMaps(kubectl)).map(({ document }) => instanceOfDocument(document)),
      wanted,
    );
  if (found !== null) return found;
  throw new Failure(
    wanted === undefined
      ? 'This namespace has no release of nvidia-aicr; name another with -n.'
      : `There is no Job of release ${wanted} in this namespace, and no status of one.`,
  );
}

/** @throws Failure when several are meant */
function choose(all: readonly Instance[], wanted: string | undefined): Instance | null {
  const different = [...new Map(all.map((each) => [`${each.release}/${each.name}`, each])).values()];
  const ofRelease = different.filter(({ release }) => wanted === undefined || release === wanted);
  const named = (ofRelease.length > 0 ? ofRelease : different).filter(({ name }) => name === wanted);
  const [only = null, ...others] = named.length > 0 ? named : ofRelease;
  if (others.length === 0) return only;
  const shared = (release: string): boolean =>
    different.filter((each) => each.release === release).length > 1;
  const names = ofRelease.map(({ release, name }) => (shared(release) ? name : release));
  const what =
    wanted === undefined
      ? 'This namespace has several releases'
      : `Release ${wanted} has several instances of the chart`;
  throw new Failure(`${what}; name one: ${names.sort().join(', ')}`);
}

const instanceOf = (job: Job): Instance => ({ release: releaseOf(job), name: prefixOf(job.metadata.name) });
const instanceOfDocument = ({ release, job }: RunStatus): Instance => ({
  release: release.name,
  name: prefixOf(job.name),
});
const prefixOf = (job: string): string => jobFamily(job).replace(/-install$/, '');
const isSame = (one: Instance, other: Instance): boolean =>
  one.release === other.release && one.name === other.name;

/**
 * Reads what there is of an instance's newest run.
 * @throws Failure when there is nothing of it
 * @throws ClusterFailure
 */
export async function readFacts(kubectl: Kubectl, instance: Instance): Promise<Facts> {
  const jobs = (await installJobs(kubectl)).filter((job) => isSame(instanceOf(job), instance));
  const job = newest(jobs);
  if (job === null) return await factsWithoutJob(kubectl, instance);
  const [spec, pods] = await Promise.all([
    specOf(kubectl, job),
    kubectl.list<Pod>('pods', `--selector=batch.kubernetes.io/job-name=${job.metadata.name}`),
  ]);
  const data = await statusData(kubectl, instance, spec);
  const own = parse(data[runStatusKey(job.metadata.name)]);
  // A Job of the same name that was deleted and made again writes over what the former one left.
  const document = own !== null && (own.job.uid === '' || own.job.uid === job.metadata.uid) ? own : null;
  const shared = parse(data[STATUS_KEYS.status]);
  return {
    release: instance.release,
    namespace: job.metadata.namespace,
    job,
    spec,
    document,
    before: document === null && shared?.job.name !== job.metadata.name ? shared : null,
    pods: [...pods].sort(byAge),
    events: document === null ? await eventsOf(kubectl, [job, ...pods]) : [],
  };
}

async function factsWithoutJob(kubectl: Kubectl, instance: Instance): Promise<Facts> {
  const found = await statusConfigMap(kubectl, instance);
  if (found === null) {
    throw new Failure(
      `There is no Job of release ${instance.release} in this namespace, and no status of one.`,
    );
  }
  const { namespace } = found.configMap.metadata;
  const { release } = instance;
  return {
    release,
    namespace,
    job: null,
    spec: null,
    document: found.document,
    before: null,
    pods: [],
    events: [],
  };
}

/** The Jobs that the chart makes; their pods bear the release's name. */
async function installJobs(kubectl: Kubectl): Promise<readonly Job[]> {
  const jobs = await kubectl.list<Job>('jobs', '--selector=app.kubernetes.io/component=installer');
  return jobs.filter((job) => releaseOf(job) !== '');
}

const releaseOf = ({ spec }: Job): string => spec.template.metadata?.labels?.[RELEASE_LABEL] ?? '';

interface Written {
  readonly configMap: ConfigMap;
  readonly document: RunStatus;
}

/** Every status ConfigMap of the namespace, with the document that stands for its instance. */
async function statusConfigMaps(kubectl: Kubectl): Promise<readonly Written[]> {
  const found = await kubectl.list<ConfigMap>(
    'configmaps',
    `--selector=${WRITTEN_BY_LABEL}=${WRITTEN_BY_RUN}`,
  );
  return found.flatMap((configMap) => {
    const document = parse(configMap.data?.[STATUS_KEYS.status]);
    return document === null ? [] : [{ configMap, document }];
  });
}

/** The newest Job; of two of the same second, the greater name, as the runs themselves count. */
function newest(jobs: readonly Job[]): Job | null {
  return [...alive(jobs)].sort(byAge).at(-1) ?? null;
}

/** What is being deleted gives way to what took its place. */
function alive(jobs: readonly Job[]): readonly Job[] {
  const staying = jobs.filter(({ metadata }) => metadata.deletionTimestamp === undefined);
  return staying.length > 0 ? staying : jobs;
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
  instance: Instance,
  spec: RunSpec | null,
): Promise<Readonly<Record<string, string>>> {
  if (spec?.status.configMap === '') return {};
  const found =
    spec === null
      ? (await statusConfigMap(kubectl, instance))?.configMap
      : await kubectl.find<ConfigMap>('configmap', spec.status.configMap);
  return found?.data ?? {};
}

/** The status ConfigMap of an instance whose run.json is not there to name it. */
const statusConfigMap = async (kubectl: Kubectl, instance: Instance): Promise<Written | null> =>
  (await statusConfigMaps(kubectl)).find(({ document }) => isSame(instanceOfDocument(document), instance)) ??
  null;

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
