import { randomUUID } from 'node:crypto';
import type { StartedRun } from './process.ts';
import type { RunOptions, World } from './run.ts';

/** The Lease as it stands in the cluster. */
export interface LeaseObject {
  readonly metadata: {
    readonly annotations?: Readonly<Record<string, string>>;
    readonly resourceVersion: string;
  };
  readonly spec: {
    readonly holderIdentity: string;
    readonly leaseDurationSeconds: number;
    readonly acquireTime: string;
    readonly renewTime: string;
    readonly leaseTransitions: number;
  };
}

/** A run whose pod is an object of the cluster, as the Lease's other claimants look at it. */
export interface PodRun extends StartedRun {
  /** `<namespace>/<pod>/<uid>` */
  readonly holder: string;
  /** Ends the process as a node's failure does, without a word. */
  crash(): Promise<void>;
  /** The pod's object is gone. */
  removePod(): Promise<void>;
  /** As the kubelet writes it when the containers have ended. */
  finishPod(phase: 'Succeeded' | 'Failed'): Promise<void>;
}

const leases = (namespace: string): string => `/apis/coordination.k8s.io/v1/namespaces/${namespace}/leases`;

/** @param namespace of the Lease; the world's when left out. Null when there is none. */
export async function readLease(world: World, namespace = world.namespace): Promise<LeaseObject | null> {
  return (await world.admin.find(`${leases(namespace)}/nvidia-aicr`)) as LeaseObject | null;
}

/** Changes the Lease behind everybody's back. */
export async function patchLease(world: World, patch: object): Promise<void> {
  await world.admin.call(
    'PATCH',
    `${leases(world.namespace)}/nvidia-aicr`,
    patch,
    'application/merge-patch+json',
  );
}

export async function makeLease(world: World, lease: object): Promise<void> {
  await world.admin.call('POST', leases(world.namespace), { metadata: { name: 'nvidia-aicr' }, ...lease });
}

export async function deleteLease(world: World): Promise<void> {
  await world.admin.call('DELETE', `${leases(world.namespace)}/nvidia-aicr`);
}

/** Starts a run in a pod that the cluster knows. */
export async function startInPod(world: World, options: RunOptions = {}): Promise<PodRun> {
  const name = `pod-${randomUUID().slice(0, 8)}`;
  const pods = `/api/v1/namespaces/${world.namespace}/pods`;
  const containers = [{ name: 'installer', image: 'registry.example/runtime:1' }];
  const pod = await world.admin.call('POST', pods, {
    metadata: { name },
    spec: { serviceAccountName: 'installer', containers },
  });
  const { uid } = pod.metadata;
  const run = await world.start({ ...options, podUid: uid, env: { ...options.env, POD_NAME: name } });
  return {
    ...run,
    holder: `${world.namespace}/${name}/${uid}`,
    crash: async () => {
      run.child.kill('SIGKILL');
      await run.ended;
    },
    removePod: async () => {
      await world.admin.call('DELETE', `${pods}/${name}?gracePeriodSeconds=0`);
    },
    finishPod: async (phase) => {
      const path = `${pods}/${name}/status`;
      await world.admin.call('PATCH', path, { status: { phase } }, 'application/merge-patch+json');
    },
  };
}
