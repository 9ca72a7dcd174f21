import type { PodStatus } from './release-objects.ts';

/** The status of a pod whose installer runs. */
export const RUNNING: PodStatus = {
  phase: 'Running',
  containerStatuses: [containerStatus('installer', { running: { startedAt: '2026-11-30T10:00:00Z' } })],
};

/** What the kubelet says of one container. */
export function containerStatus(name: string, state: object): object {
  return { name, state, image: `r.example/${name}:1`, imageID: '', ready: false, restartCount: 0 };
}

/** The status of a pod whose installer has ended. */
export const installerEnded = (exitCode: number, reason: string, message = ''): PodStatus => ({
  phase: exitCode === 0 ? 'Succeeded' : 'Failed',
  containerStatuses: [containerStatus('installer', { terminated: { exitCode, reason, message } })],
});

/** The status of a pod that waits for one of its containers. */
export const waiting = (name: 'node' | 'oras' | 'installer', reason: string, message = ''): PodStatus => {
  const own = [containerStatus(name, { waiting: { reason, message } })];
  return {
    phase: 'Pending',
    conditions: [{ type: 'PodScheduled', status: 'True' }],
    ...(name === 'installer' ? { containerStatuses: own } : { initContainerStatuses: own }),
  };
};
