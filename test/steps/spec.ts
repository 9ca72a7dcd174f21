import { RunError, type RunSpec } from '../../src/contract/index.ts';
import { type Host, plan } from '../../src/runner/plan/index.ts';
import type { PlannedStep } from '../../src/runner/planned.ts';

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
    deploy: { enabled: true, args: [], flags: '--best-effort --no-wait' },
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
    status: { configMap: 'gpu-status' },
    environment: { secret: [], plain: [], fromSecrets: false },
    rbac: { clusterRole: 'cluster-admin' },
    warnings: [],
  };
}

/** An amd64 pod with the contract's paths. */
export const host: Host = {
  arch: 'amd64',
  work: '/tmp',
  packAuthDir: '/secrets/pack',
  publishAuthDir: '/secrets/publish',
  identityTokenDir: '/secrets/identity-token',
  oras: '/runner/oras',
};

/** The step of that name. */
export function step<Name extends PlannedStep['name']>(
  steps: readonly PlannedStep[],
  name: Name,
): PlannedStep & { readonly name: Name } {
  const found = steps.find((each) => each.name === name);
  if (found === undefined) throw new Error(`no step ${name}`);
  return found as PlannedStep & { readonly name: Name };
}

/** The plan of a run.json in which the given parts differ from the default. */
export function planWith(change: (spec: RunSpec) => void, on: Host = host): readonly PlannedStep[] {
  const spec = runSpec();
  change(spec);
  return plan(spec, on);
}

export const withPack = (spec: RunSpec): void => {
  spec.pack.ref = 'r.example:5000/acme/pack:1';
};

/** The RunError that a call throws. */
export function thrown(act: () => unknown): RunError {
  try {
    act();
  } catch (error) {
    if (error instanceof RunError) return error;
    throw error;
  }
  throw new Error('nothing was thrown');
}
