import type { RunSpec } from '../../src/contract/index.ts';

/** A run.json as the chart writes it for `accelerator: h100`. */
export function runSpec(): RunSpec {
  return {
    version: 1,
    chart: { version: '0.3.0' },
    release: { name: 'gpu', namespace: 'nvidia-aicr', fullname: 'gpu' },
    run: { id: '', revision: 0 },
    aicr: {
      version: 'v1.2.0',
      arch: 'auto',
      sha256: { amd64: '', arm64: '' },
      baseUrl: 'https://mirror.example/aicr',
    },
    criteria: { service: 'any', accelerator: 'h100', intent: '', os: '', platform: '' },
    pack: { ref: '', plainHTTP: false, insecureTLS: false, secret: '', authDigest: '' },
    recipe: { args: [], flags: '', configMap: 'aicr-recipe' },
    bundle: { args: [], flags: '', storageClass: '', preinstalledDriver: false },
    deploy: { args: [], flags: '--best-effort --no-wait' },
    status: { configMap: 'gpu-status' },
    rbac: { clusterRole: 'cluster-admin' },
    warnings: [],
  };
}
