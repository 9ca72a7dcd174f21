import { KubeConfig } from '@kubernetes/client-node/dist/config.js';
import {
  ObjectAuthorizationV1Api,
  ObjectBatchV1Api,
  ObjectCoreV1Api,
  ObjectEventsV1Api,
  ObjectVersionApi,
} from '@kubernetes/client-node/dist/gen/types/ObjectParamAPI.js';
import { RELEASE_LABEL, RunError, WRITTEN_BY_LABEL, WRITTEN_BY_RUN } from '../../contract/index.ts';
import { ApiRefusal, type CallContext, callApi } from './api-calls.ts';
import type { Clock } from './clock.ts';
import type { Cluster, ConfigMapContent, JobFacts, ReleaseJob, RunIdentity } from './cluster.ts';
import { createEvents } from './events.ts';
import { describeRight, EVERYTHING, NEEDED, type Right } from './rights.ts';

export interface ClusterOptions {
  readonly identity: RunIdentity;
  readonly clock: Clock;
  /** Path before the ServiceAccount's folder; empty in a pod. */
  readonly root: string;
  /** Told when an Event could not be written. */
  readonly warn: (message: string) => void;
}

const APPLY = 'application/apply-patch+yaml';

/** terminationGracePeriodSeconds where a pod states none. */
const DEFAULT_GRACE_SECONDS = 30;

/**
 * The API server as the pod's ServiceAccount reaches it: address from KUBERNETES_SERVICE_HOST and _PORT, token from
 * its file (read again every minute, as it rotates), authority from NODE_EXTRA_CA_CERTS.
 */
export function createCluster(options: ClusterOptions): Cluster {
  const { identity, clock } = options;
  const { namespace } = identity;
  const config = new KubeConfig();
  config.loadFromCluster(options.root);
  const context: CallContext = { clock, config };
  const batch = config.makeApiClient(ObjectBatchV1Api);
  const core = config.makeApiClient(ObjectCoreV1Api);
  const authorization = config.makeApiClient(ObjectAuthorizationV1Api);
  const events = createEvents({ ...options, context, api: config.makeApiClient(ObjectEventsV1Api) });

  const may = async ({ verb, group, resource }: Right, signal: AbortSignal): Promise<boolean> => {
    const body = { spec: { resourceAttributes: { verb, group, resource } } };
    const review = await callApi('ask what the installer may do', context, signal, (call) =>
      authorization.createSelfSubjectAccessReview({ body }, call),
    );
    return review.status?.allowed === true;
  };

  return {
    job: async (signal) => {
      const job = await callApi(`read Job ${identity.job}`, context, signal, (call) =>
        batch.readNamespacedJob({ name: identity.job, namespace }, call),
      );
      const facts: JobFacts = {
        uid: job.metadata?.uid ?? '',
        labels: job.metadata?.labels ?? {},
        startTime: job.status?.startTime?.toISOString() ?? null,
        activeDeadlineSeconds: job.spec?.activeDeadlineSeconds ?? null,
        graceSeconds: job.spec?.template.spec?.terminationGracePeriodSeconds ?? DEFAULT_GRACE_SECONDS,
        endedPods: await endedPods(signal),
        failedPods: job.status?.failed ?? 0,
      };
      events.regard(facts.uid);
      return facts;
    },

    releaseJobs: async (job, signal) => {
      const instance = job.labels['app.kubernetes.io/instance'];
      const jobs = await callApi('list the Jobs of the release', context, signal, (call) =>
        batch.listNamespacedJob(
          {
            namespace,
            ...(instance === undefined ? {} : { labelSelector: `app.kubernetes.io/instance=${instance}` }),
          },
          call,
        ),
      );
      return jobs.items.flatMap((item): ReleaseJob[] => {
        const name = item.metadata?.name ?? '';
        const release = item.spec?.template.metadata?.labels?.[RELEASE_LABEL];
        const createdAt = item.metadata?.creationTimestamp?.toISOString() ?? '';
        return release === identity.release && family(name) === family(identity.job)
          ? [{ name, createdAt }]
          : [];
      });
    },

    version: async (signal) => {
      const api = config.makeApiClient(ObjectVersionApi);
      const info = await callApi("read the API server's version", context, signal, (call) =>
        api.getCode({}, call),
      );
      return info.gitVersion;
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
      await callApi(
        `write ConfigMap ${content.name}`,
        context,
        signal,
        (call) =>
          core.patchNamespacedConfigMap(
            {
              name: content.name,
              namespace: content.namespace,
              body: configMapBody(content, identity.release),
              fieldManager: manager,
              // Ours are the keys that we state, whoever wrote them before.
              force: true,
            },
            call,
          ),
        APPLY,
      );
    },

    readConfigMap: async (name, signal) => {
      try {
        const found = await callApi(`read ConfigMap ${name}`, context, signal, (call) =>
          core.readNamespacedConfigMap({ name, namespace }, call),
        );
        return { labels: found.metadata?.labels ?? {}, data: found.data ?? {} };
      } catch (error) {
        if (error instanceof ApiRefusal && error.status === 404) {
          return null;
        }
        throw error;
      }
    },

    event: events.write,
  };

  async function endedPods(signal: AbortSignal): Promise<number> {
    try {
      const pods = await callApi(`list the pods of Job ${identity.job}`, context, signal, (call) =>
        core.listNamespacedPod(
          { namespace, labelSelector: `batch.kubernetes.io/job-name=${identity.job}` },
          call,
        ),
      );
      return pods.items.filter(
        ({ metadata, status }) =>
          metadata?.uid !== identity.podUid &&
          (metadata?.deletionTimestamp !== undefined ||
            status?.phase === 'Failed' ||
            status?.phase === 'Succeeded'),
      ).length;
    } catch (error) {
      if (error instanceof RunError && error.code === 'RightsMissing') {
        // The status document of the attempt before counts as well; this is only the second source.
        return 0;
      }
      throw error;
    }
  }
}

/** A Job's name without its hash: the same for all runs of one release. */
const family = (job: string): string => job.slice(0, job.lastIndexOf('-'));

function configMapBody(content: ConfigMapContent, release: string): object {
  const binary = Object.entries(content.binaryData ?? {});
  return {
    apiVersion: 'v1',
    kind: 'ConfigMap',
    metadata: {
      name: content.name,
      namespace: content.namespace,
      labels: { [WRITTEN_BY_LABEL]: WRITTEN_BY_RUN, [RELEASE_LABEL]: release },
    },
    ...(content.data === undefined ? {} : { data: content.data }),
    ...(binary.length === 0
      ? {}
      : {
          binaryData: Object.fromEntries(
            binary.map(([key, bytes]) => [key, Buffer.from(bytes).toString('base64')]),
          ),
        }),
  };
}
