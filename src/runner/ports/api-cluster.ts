import {
  jobFamily,
  RELEASE_LABEL,
  RunError,
  WRITTEN_BY_LABEL,
  WRITTEN_BY_RUN,
} from '../../contract/index.ts';
import { createApiClient } from './api-client.ts';
import { ApiRefusal } from './api-failure.ts';
import { createLeases } from './api-leases.ts';
import type { AccessReview, ConfigMap, CoreEvent, Job, List, Pod, VersionInfo } from './api-objects.ts';
import { createRecords } from './api-records.ts';
import type { Clock } from './clock.ts';
import type { Cluster, ConfigMapContent, JobFacts, ReleaseJob, RunIdentity } from './cluster.ts';
import { createEvents } from './events.ts';
import { describeRight, EVERYTHING, NEEDED, type Right } from './rights.ts';
import type { ServiceAccount } from './service-account.ts';

export interface ClusterOptions {
  readonly identity: RunIdentity;
  readonly clock: Clock;
  readonly account: ServiceAccount;
  /** Told when an Event could not be written. */
  readonly warn: (message: string) => void;
}

/** terminationGracePeriodSeconds where a pod states none. */
const DEFAULT_GRACE_SECONDS = 30;

/** The API server as a ServiceAccount reaches it. */
export function createCluster({ identity, clock, account, warn }: ClusterOptions): Cluster {
  const api = createApiClient(account, clock);
  const jobs = `/apis/batch/v1/namespaces/${encodeURIComponent(identity.namespace)}/jobs`;
  const core = (namespace: string, kind: string): string =>
    `/api/v1/namespaces/${encodeURIComponent(namespace)}/${kind}`;
  const configMapPath = (namespace: string, name: string): string =>
    `${core(namespace, 'configmaps')}/${encodeURIComponent(name)}`;

  const readJob = (signal: AbortSignal): Promise<Job> =>
    api<Job>(
      {
        what: `read Job ${identity.job}`,
        method: 'GET',
        path: `${jobs}/${encodeURIComponent(identity.job)}`,
      },
      signal,
    );
  const findJob = async (signal: AbortSignal): Promise<string> => (await readJob(signal)).metadata.uid ?? '';
  const events = createEvents({ api, identity, clock, findJob, warn });

  const may = async ({ verb, group, resource }: Right, signal: AbortSignal): Promise<boolean> => {
    const review = await api<AccessReview>(
      {
        what: 'ask what the installer may do',
        method: 'POST',
        path: '/apis/authorization.k8s.io/v1/selfsubjectaccessreviews',
        body: {
          apiVersion: 'authorization.k8s.io/v1',
          kind: 'SelfSubjectAccessReview',
          spec: { resourceAttributes: { verb, group, resource } },
        },
      },
      signal,
    );
    return review.status?.allowed === true;
  };

  const endedPods = async (signal: AbortSignal): Promise<number> => {
    const query = { labelSelector: `batch.kubernetes.io/job-name=${identity.job}` };
    const what = `list the pods of Job ${identity.job}`;
    try {
      const path = core(identity.namespace, 'pods');
      const pods = await api<List<Pod>>({ what, method: 'GET', path, query }, signal);
      return pods.items.filter((pod) => pod.metadata.uid !== identity.podUid && hasEnded(pod)).length;
    } catch (error) {
      if (error instanceof RunError && error.code === 'RightsMissing') {
        // What the attempt before wrote down counts as well; this is only the second source.
        return 0;
      }
      throw error;
    }
  };

  const remove = async (
    call: { what: string; path: string },
    uid: string,
    signal: AbortSignal,
  ): Promise<void> => {
    // Stated, because a Job's pods would stay by default.
    const options = { propagationPolicy: 'Background', preconditions: { uid } };
    const body = { apiVersion: 'v1', kind: 'DeleteOptions', ...options };
    try {
      await api({ ...call, method: 'DELETE', body }, signal);
    } catch (error) {
      // 409: the uid is another one, so somebody else made it anew.
      if (!(error instanceof ApiRefusal && (error.status === 404 || error.status === 409))) {
        throw error;
      }
    }
  };

  return {
    ...createLeases(api),

    job: async (signal) => {
      const job = await readJob(signal);
      const facts: JobFacts = {
        uid: job.metadata.uid ?? '',
        createdAt: job.metadata.creationTimestamp ?? '',
        labels: job.metadata.labels ?? {},
        startTime: job.status?.startTime ?? null,
        activeDeadlineSeconds: job.spec.activeDeadlineSeconds ?? null,
        graceSeconds: job.spec.template.spec?.terminationGracePeriodSeconds ?? DEFAULT_GRACE_SECONDS,
        endedPods: await endedPods(signal),
        failedPods: job.status?.failed ?? 0,
      };
      events.regard(facts.uid);
      return facts;
    },

    releaseJobs: async (job, signal) => {
      const instance = job.labels['app.kubernetes.io/instance'];
      const query = instance === undefined ? {} : { labelSelector: `app.kubernetes.io/instance=${instance}` };
      const what = 'list the Jobs of the release';
      const found = await api<List<Job>>({ what, method: 'GET', path: jobs, query }, signal);
      return found.items.flatMap(({ metadata, spec }): ReleaseJob[] => {
        const name = metadata.name ?? '';
        const ours = spec.template.metadata?.labels?.[RELEASE_LABEL] === identity.release;
        const sameFamily = jobFamily(name) === jobFamily(identity.job);
        const createdAt = metadata.creationTimestamp ?? '';
        const { uid = '', deletionTimestamp, annotations = {} } = metadata;
        const ofHelm =
          annotations['meta.helm.sh/release-name'] !== undefined &&
          annotations['helm.sh/resource-policy'] !== 'keep';
        return ours && sameFamily
          ? [{ name, uid, createdAt, deleting: deletionTimestamp !== undefined, ofHelm }]
          : [];
      });
    },

    deleteJob: ({ name, uid }, signal) =>
      remove({ what: `delete Job ${name}`, path: `${jobs}/${encodeURIComponent(name)}` }, uid, signal),

    version: async (signal) => {
      const what = "read the API server's version";
      return (await api<VersionInfo>({ what, method: 'GET', path: '/version' }, signal)).gitVersion;
    },

    missingRights: async (signal) => {
      if (await may(EVERYTHING, signal)) {
        return [];
      }
      const missing: string[] = [];
      for (const right of NEEDED) {
        if (!(await may(right, signal))) {
          missing.push(describeRight(right));
        }
      }
      return missing;
    },

    applyConfigMap: async (content, manager, signal) => {
      await api(
        {
          what: `write ConfigMap ${content.name}`,
          method: 'PATCH',
          path: configMapPath(content.namespace, content.name),
          // Force: ours are the keys that we state, whoever wrote them before.
          query: { fieldManager: manager, force: 'true' },
          body: configMapBody(content, identity.release),
          contentType: 'application/apply-patch+yaml',
        },
        signal,
      );
    },

    readConfigMap: async (name, signal) => {
      const path = configMapPath(identity.namespace, name);
      try {
        const found = await api<ConfigMap>({ what: `read ConfigMap ${name}`, method: 'GET', path }, signal);
        const { metadata, data = {}, binaryData = {} } = found;
        const { uid = '', labels = {} } = metadata;
        return { uid, labels, data, binaryKeys: Object.keys(binaryData) };
      } catch (error) {
        if (error instanceof ApiRefusal && error.status === 404) {
          return null;
        }
        throw error;
      }
    },

    deleteConfigMap: (name, uid, signal) =>
      remove(
        { what: `delete ConfigMap ${name}`, path: configMapPath(identity.namespace, name) },
        uid,
        signal,
      ),

    eviction: async (signal) => {
      const query = { fieldSelector: `involvedObject.uid=${identity.podUid},reason=Evicted` };
      const path = core(identity.namespace, 'events');
      const what = `look for an eviction of pod ${identity.pod}`;
      const found = await api<List<CoreEvent>>({ what, method: 'GET', path, query }, signal);
      return found.items.at(-1)?.message ?? null;
    },

    stopping: async (signal) => {
      const path = `${core(identity.namespace, 'pods')}/${encodeURIComponent(identity.pod)}`;
      const pod = await api<Pod>({ what: `read pod ${identity.pod}`, method: 'GET', path }, signal);
      return pod.metadata.uid === identity.podUid && pod.metadata.deletionTimestamp !== undefined;
    },

    event: events.write,

    ...createRecords(api),
  };
}

/** A pod that has ended or was told to. */
const hasEnded = ({ metadata, status }: Pod): boolean =>
  metadata.deletionTimestamp !== undefined || status?.phase === 'Failed' || status?.phase === 'Succeeded';

function configMapBody(content: ConfigMapContent, release: string): object {
  const { name, namespace, data, binaryData } = content;
  const base = { apiVersion: 'v1', kind: 'ConfigMap' };
  if (data === undefined && binaryData === undefined) {
    return { ...base, metadata: { name, namespace } };
  }
  const labels = { ...content.labels, [WRITTEN_BY_LABEL]: WRITTEN_BY_RUN, [RELEASE_LABEL]: release };
  const encoded = Object.entries(binaryData ?? {}).map(([key, bytes]) => [
    key,
    Buffer.from(bytes).toString('base64'),
  ]);
  return {
    ...base,
    metadata: { name, namespace, labels },
    ...(data === undefined ? {} : { data }),
    ...(encoded.length === 0 ? {} : { binaryData: Object.fromEntries(encoded) }),
  };
}
