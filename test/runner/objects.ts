import type { RunSpec } from '../../src/contract/index.ts';
import { ordinaryRunSpec } from '../run-spec.ts';

export interface JobOptions {
  readonly activeDeadlineSeconds?: number;
  readonly graceSeconds?: number;
  /** Seconds before now. */
  readonly startedAgo?: number;
  readonly failed?: number;
}

/** A Job as the chart makes it, as far as the runner looks at it. */
export function jobObject(name: string, options: JobOptions): object {
  return {
    metadata: { name, labels: { 'app.kubernetes.io/instance': 'aicr' } },
    spec: {
      ...(options.activeDeadlineSeconds === undefined
        ? {}
        : { activeDeadlineSeconds: options.activeDeadlineSeconds }),
      template: {
        metadata: { labels: { 'nvidia-aicr/release': 'aicr' } },
        spec: {
          restartPolicy: 'Never',
          terminationGracePeriodSeconds: options.graceSeconds ?? 120,
          containers: [{ name: 'installer', image: 'registry.example/runtime:1' }],
        },
      },
    },
  };
}

/**
 * run.json of an ordinary run.
 * @param baseUrl where aicr's release is served
 */
export function specFor(namespace: string, baseUrl: string): RunSpec {
  const spec = ordinaryRunSpec();
  return {
    ...spec,
    release: { ...spec.release, namespace },
    aicr: { ...spec.aicr, baseUrl },
    criteria: { ...spec.criteria, os: 'ubuntu' },
    // Suites share one API server, and are not to wait for each other.
    lock: { ...spec.lock, namespace },
  };
}
