import type { RunSpec } from '../../src/contract/index.ts';

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
  return {
    version: 1,
    chart: { version: '0.3.0' },
    release: { name: 'aicr', namespace, fullname: 'aicr' },
    run: { id: '', revision: 0 },
    aicr: { version: 'v1.2.0', arch: 'auto', sha256: { amd64: '', arm64: '' }, baseUrl },
    criteria: { service: 'acme', accelerator: 'h200', intent: 'training', os: 'ubuntu', platform: '' },
    pack: { ref: '', plainHTTP: false, insecureTLS: false, secret: '', authDigest: '' },
    recipe: { args: [], flags: '', configMap: 'aicr-recipe' },
    bundle: { args: [], flags: '', storageClass: '', preinstalledDriver: false },
    deploy: { enabled: true, args: [], flags: '' },
    validate: {
      enabled: false,
      phases: ['deployment'],
      failOnError: false,
      configMap: 'aicr-validate-result',
      args: [],
      flags: '',
      emitEvidence: false,
      evidenceConfigMap: 'aicr-evidence-bundle',
      publish: {
        enabled: false,
        mode: 'signed',
        ref: '',
        identityToken: { secret: '', key: 'token' },
        registrySecret: '',
        failOnError: false,
        insecureTLS: false,
        plainHTTP: false,
      },
    },
    status: { configMap: 'aicr-status' },
    environment: { secret: [], plain: [], fromSecrets: false },
    rbac: { clusterRole: 'cluster-admin' },
    warnings: [],
  };
}
