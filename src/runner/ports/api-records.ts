import { FIELD_MANAGER, WRITTEN_BY_LABEL, WRITTEN_BY_RUN } from '../../contract/index.ts';
import type { ApiClient } from './api-client.ts';
import { ApiRefusal } from './api-failure.ts';
import type { ConfigMap, Metadata, Secret } from './api-objects.ts';
import type { LeftoverKind, ObjectMetadata, Records } from './records.ts';

/** Asks for lists without what the objects hold. */
const METADATA_ONLY = 'application/json;as=PartialObjectMetadataList;v=v1;g=meta.k8s.io';
const MERGE_PATCH = 'application/merge-patch+json';

const LEFTOVERS: Readonly<Record<LeftoverKind, string>> = {
  Job: '/apis/batch/v1/jobs',
  ClusterRoleBinding: '/apis/rbac.authorization.k8s.io/v1/clusterrolebindings',
};

/** The records of Helm, aicr and earlier runs, over the API server. */
export function createRecords(api: ApiClient): Records {
  const list = async (
    what: string,
    path: string,
    query: Readonly<Record<string, string>>,
    signal: AbortSignal,
  ): Promise<readonly ObjectMetadata[]> => {
    const call = { what, method: 'GET', path, query, accept: METADATA_ONLY } as const;
    const { items } = await api<{ readonly items: readonly { readonly metadata: Metadata }[] | null }>(
      call,
      signal,
    );
    // An empty list of metadata is null, other than one of whole objects.
    return (items ?? []).map(({ metadata: { name = '', namespace = '', labels = {} } }) => ({
      name,
      namespace,
      labels,
    }));
  };

  return {
    listSecrets: (namespace, type, labelSelector, signal) =>
      list(
        `list the Secrets of type ${type} in namespace ${namespace}`,
        pathOf(namespace, 'secrets'),
        { labelSelector, fieldSelector: `type=${type}` },
        signal,
      ),

    readSecret: async (namespace, name, signal) => {
      const what = `read Secret ${name} in namespace ${namespace}`;
      const path = pathOf(namespace, 'secrets', name);
      const found = await orNull(api<Secret>({ what, method: 'GET', path }, signal));
      return found === null
        ? null
        : { resourceVersion: found.metadata.resourceVersion ?? '', data: found.data ?? {} };
    },

    changeSecret: async (namespace, name, { resourceVersion, labels, data }, signal) => {
      const call = {
        what: `change Secret ${name} in namespace ${namespace}`,
        method: 'PATCH',
        path: pathOf(namespace, 'secrets', name),
        query: { fieldManager: FIELD_MANAGER },
        // With a resourceVersion in it the API server refuses a patch of any other state.
        body: { metadata: { resourceVersion, labels }, data },
        contentType: MERGE_PATCH,
      } as const;
      try {
        await api(call, signal);
        return true;
      } catch (error) {
        if (isRefusal(error, 404) || isRefusal(error, 409)) {
          return false;
        }
        throw error;
      }
    },

    readTexts: async (namespace, name, signal) => {
      const what = `read ConfigMap ${name} in namespace ${namespace}`;
      const path = pathOf(namespace, 'configmaps', name);
      return (await orNull(api<ConfigMap>({ what, method: 'GET', path }, signal)))?.data ?? {};
    },

    mergeTexts: async (namespace, name, texts, signal) => {
      const labels = { [WRITTEN_BY_LABEL]: WRITTEN_BY_RUN };
      const what = `write ConfigMap ${name} in namespace ${namespace}`;
      const query = { fieldManager: FIELD_MANAGER };
      const patch = {
        what,
        method: 'PATCH',
        path: pathOf(namespace, 'configmaps', name),
        query,
        body: { metadata: { labels }, data: texts },
        contentType: MERGE_PATCH,
      } as const;
      if ((await orNull(api(patch, signal))) !== null) {
        return;
      }
      const kept = Object.entries(texts).filter(([, text]) => text !== null);
      const metadata = { name, labels };
      const body = { apiVersion: 'v1', kind: 'ConfigMap', metadata, data: Object.fromEntries(kept) };
      try {
        await api({ what, method: 'POST', path: pathOf(namespace, 'configmaps'), query, body }, signal);
      } catch (error) {
        if (!isRefusal(error, 409)) {
          throw error;
        }
        // Somebody made it between the two calls.
        await api(patch, signal);
      }
    },

    listLeftovers: (kind, labelSelector, signal) =>
      list(`list objects of kind ${kind}`, LEFTOVERS[kind], { labelSelector }, signal),
  };
}

const pathOf = (namespace: string, ...parts: string[]): string =>
  `/api/v1/namespaces/${[namespace, ...parts].map(encodeURIComponent).join('/')}`;

const isRefusal = (error: unknown, status: number): boolean =>
  error instanceof ApiRefusal && error.status === status;

/** What is not there is null. */
async function orNull<T>(answer: Promise<T>): Promise<T | null> {
  try {
    return await answer;
  } catch (error) {
    if (isRefusal(error, 404)) {
      return null;
    }
    throw error;
  }
}
