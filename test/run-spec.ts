import type { RunSpec } from '../src/contract/index.ts';

/** run.json with nothing asked for beyond the chart's defaults; a new one at each call, which a test may change. */
export function ordinaryRunSpec(): RunSpec {
  return {
    version: 1,
    chart: { version: '0.3.0' },
    release: { name: 'aicr', namespace: 'ns', fullname: 'aicr' },
    run: { id: '', revision: 0 },
    aicr: {
      version: 'v1.2.0',
      arch: 'auto',
      sha256: { amd64: '', arm64: '' },
      baseUrl: 'https://mirror.example/releases',
    },
    criteria: { service: 'acme', accelerator: 'h200', intent: 'training', os: '', platform: '' },
    pack: { ref: '', plainHTTP: false, insecureTLS: false, secret: '', authDigest: '' },
    recipe: { args: [], flags: '', configMap: 'aicr-recipe' },
    bundle: { args: [], flags: '', storageClass: '', preinstalledDriver: false },
    deploy: { enabled: true, args: [], flags: '', existingReleases: 'refuse', allowDowngrade: false },
    upgradeCheck: { enabled: true, failOn: ['blocked'], configMap: 'aicr-upgrade-check' },
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
    lock: { namespace: 'kube-system', waitSeconds: null },
    rbac: { clusterRole: 'cluster-admin' },
    warnings: [],
  };
}
