import { RunError } from '../../contract/index.ts';
import type { ApiClient } from './api-client.ts';
import { ApiRefusal } from './api-failure.ts';
import type { LeaseObject, Pod } from './api-objects.ts';
import type { Lease, Leases } from './lease.ts';

/** Leases by way of the API server. */
export function createLeases(api: ApiClient): Leases {
  const folder = (namespace: string): string =>
    `/apis/coordination.k8s.io/v1/namespaces/${encodeURIComponent(namespace)}/leases`;
  const place = ({ name, namespace }: { name: string; namespace: string }): string =>
    `Lease ${name} in namespace ${namespace}`;

  return {
    readLease: async (namespace, name, signal) => {
      const what = `read ${place({ name, namespace })}`;
      const path = `${folder(namespace)}/${encodeURIComponent(name)}`;
      return await unlessRefused([404], async () =>
        leaseOf(await api<LeaseObject>({ what, method: 'GET', path }, signal)),
      );
    },

    createLease: async (lease, signal) => {
      const { namespace } = lease;
      const call = { what: `make ${place(lease)}`, method: 'POST', path: folder(namespace) } as const;
      try {
        return await unlessRefused([409], async () =>
          leaseOf(await api<LeaseObject>({ ...call, body: objectOf(lease) }, signal)),
        );
      } catch (error) {
        if (error instanceof ApiRefusal && error.status === 404) {
          throw new RunError(
            'RunSpecInvalid',
            `lock.namespace: there is no namespace ${namespace} for the Lease`,
            {
              hint: `Create namespace ${namespace}, or name one that is there in lock.namespace: the same in every release of the cluster.`,
              cause: error,
            },
          );
        }
        throw error;
      }
    },

    replaceLease: async (lease, signal) => {
      const path = `${folder(lease.namespace)}/${encodeURIComponent(lease.name)}`;
      const call = { what: `write ${place(lease)}`, method: 'PUT', path, body: objectOf(lease) } as const;
      // 404: it was deleted since it was read.
      return await unlessRefused([404, 409], async () => leaseOf(await api<LeaseObject>(call, signal)));
    },

    podState: async ({ namespace, name, uid }, signal) => {
      const path = `/api/v1/namespaces/${encodeURIComponent(namespace)}/pods/${encodeURIComponent(name)}`;
      const call = { what: `read pod ${namespace}/${name}`, method: 'GET', path } as const;
      try {
        const pod = await unlessRefused([404], () => api<Pod>(call, signal));
        if (pod === null || pod.metadata.uid !== uid) {
          return 'gone';
        }
        const phase = pod.status?.phase;
        return phase === 'Succeeded' || phase === 'Failed' ? 'finished' : 'alive';
      } catch (error) {
        if (error instanceof RunError && error.code === 'RightsMissing') {
          return 'unknown';
        }
        throw error;
      }
    },
  };
}

/** The call's result; null when the API server refuses it with one of these statuses. */
async function unlessRefused<Result>(
  statuses: readonly number[],
  call: () => Promise<Result>,
): Promise<Result | null> {
  try {
    return await call();
  } catch (error) {
    if (error instanceof ApiRefusal && statuses.includes(error.status)) {
      return null;
    }
    throw error;
  }
}

function leaseOf({ metadata, spec = {} }: LeaseObject): Lease {
  return {
    name: metadata.name ?? '',
    namespace: metadata.namespace ?? '',
    resourceVersion: metadata.resourceVersion ?? '',
    labels: metadata.labels ?? {},
    annotations: metadata.annotations ?? {},
    holder: spec.holderIdentity ?? '',
    durationSeconds: spec.leaseDurationSeconds ?? 0,
    acquireTime: spec.acquireTime ?? '',
    renewTime: spec.renewTime ?? '',
    transitions: spec.leaseTransitions ?? 0,
  };
}

function objectOf(lease: Lease): object {
  const { name, namespace, resourceVersion, labels, annotations } = lease;
  return {
    apiVersion: 'coordination.k8s.io/v1',
    kind: 'Lease',
    metadata: {
      name,
      namespace,
      labels,
      annotations,
      ...(resourceVersion === '' ? {} : { resourceVersion }),
    },
    spec: {
      holderIdentity: lease.holder,
      leaseDurationSeconds: lease.durationSeconds,
      ...(lease.acquireTime === '' ? {} : { acquireTime: lease.acquireTime }),
      ...(lease.renewTime === '' ? {} : { renewTime: lease.renewTime }),
      leaseTransitions: lease.transitions,
    },
  };
}
