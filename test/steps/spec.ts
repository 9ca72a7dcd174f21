import { RunError, type RunSpec } from '../../src/contract/index.ts';
import { type Host, plan } from '../../src/runner/plan/index.ts';
import type { PlannedStep } from '../../src/runner/planned.ts';
import { ordinaryRunSpec } from '../run-spec.ts';

/** A run.json as the chart writes it for `accelerator: h100`. */
export function runSpec(): RunSpec {
  const spec = ordinaryRunSpec();
  return {
    ...spec,
    release: { name: 'gpu', namespace: 'nvidia-aicr', fullname: 'gpu' },
    aicr: { ...spec.aicr, baseUrl: 'https://mirror.example/aicr' },
    criteria: { service: 'any', accelerator: 'h100', intent: '', os: '', platform: '' },
    deploy: { ...spec.deploy, flags: '--best-effort --no-wait' },
    status: { configMap: 'gpu-status' },
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
