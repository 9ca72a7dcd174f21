import { RunError } from '../contract/index.ts';
import type { Cluster } from './ports/index.ts';
import type { RunEnd } from './status/index.ts';

/** How long the answer is waited for: a pod that used too much storage is killed one second after SIGTERM. */
const LOOKUP_MS = 1500;

/** The kubelet's words for a pod that itself used too much storage (pkg/kubelet/eviction/helpers.go, v1.36). */
const OWN_STORAGE =
  /^(Usage of EmptyDir volume|Container \S+ exceeded its local ephemeral storage|Pod ephemeral local storage usage)/;

/**
 * Asks why the kubelet evicts the pod as soon as the run is interrupted, while its children still stop.
 * @param signal the run's
 * @returns gives the kubelet's words; null when the pod is not evicted, or that cannot be found out
 */
export function lookForEviction(cluster: Cluster, signal: AbortSignal): () => Promise<string | null> {
  let found: Promise<string | null> = Promise.resolve(null);
  const ask = (): void => {
    if (signal.reason instanceof RunError && signal.reason.code === 'Interrupted') {
      found = cluster.eviction(AbortSignal.timeout(LOOKUP_MS)).catch(() => null);
    }
  };
  signal.addEventListener('abort', ask, { once: true });
  return () => found;
}

/**
 * Says in a run's end that its pod was evicted, and why. A pod that itself used too much storage counts as failed:
 * Kubernetes replaces it no more than one that ends with an error.
 * @param eviction what `lookForEviction` gave
 */
export function endOfEvicted(end: RunEnd, eviction: string | null): RunEnd {
  if (eviction === null || end.phase !== 'Interrupted') {
    return end;
  }
  const message = `${end.message}: the kubelet evicted the pod: ${eviction.trim()}`;
  return OWN_STORAGE.test(eviction)
    ? {
        ...end,
        phase: 'Failed',
        reason: 'DiskFull',
        message,
        hint: 'Raise job.tmpSizeLimit and the ephemeral-storage limit in job.resources, whichever the message names, then run it again.',
      }
    : { ...end, message };
}
