import { POD_ENV, type RunSpec } from '../contract/index.ts';
import type { RunIdentity } from './ports/index.ts';

/** What nothing can be done without: who the run is, and where the API server is (set by the kubelet). */
const NEEDED = [
  POD_ENV.jobName,
  POD_ENV.podName,
  POD_ENV.podNamespace,
  POD_ENV.podUid,
  'KUBERNETES_SERVICE_HOST',
  'KUBERNETES_SERVICE_PORT',
];

/** Names of the environment variables that should be set and are not. */
export const missingVariables = (env: NodeJS.ProcessEnv): readonly string[] =>
  NEEDED.filter((name) => (env[name] ?? '') === '');

/** Who this run is, from the pod's environment. */
export function runIdentity(env: NodeJS.ProcessEnv, spec: RunSpec): RunIdentity {
  return {
    release: spec.release.name,
    namespace: spec.release.namespace,
    job: env[POD_ENV.jobName] ?? '',
    pod: env[POD_ENV.podName] ?? '',
    podUid: env[POD_ENV.podUid] ?? '',
  };
}
