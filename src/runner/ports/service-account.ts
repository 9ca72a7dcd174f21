import { readFileSync } from 'node:fs';
import { isIPv6 } from 'node:net';
import { join } from 'node:path';
import { RunError } from '../../contract/index.ts';

/** How the pod reaches the API server, and as whom. */
export interface ServiceAccount {
  /** `https://10.96.0.1:443` */
  readonly server: string;
  /**
   * Token and authority, read anew for each call: the kubelet rotates both.
   * @throws RunError `ClusterUnreachable` when one is not there
   */
  credentials(): { readonly token: string; readonly ca: string };
}

/**
 * The ServiceAccount of the pod, as Kubernetes provides it
 * (https://kubernetes.io/docs/tasks/run-application/access-api-from-pod/).
 * @param folder where token and ca.crt are mounted
 */
export function podServiceAccount(folder: string, env: NodeJS.ProcessEnv): ServiceAccount {
  const host = env['KUBERNETES_SERVICE_HOST'] ?? '';
  const read = (name: string): string => {
    try {
      return readFileSync(join(folder, name), 'utf8');
    } catch (error) {
      throw new RunError(
        'ClusterUnreachable',
        `the ServiceAccount's ${name} cannot be read: ${(error as Error).message}`,
        {
          hint: 'The chart mounts token and ca.crt into the installer container; something took the volume away.',
          cause: error,
        },
      );
    }
  };
  return {
    server: `https://${isIPv6(host) ? `[${host}]` : host}:${env['KUBERNETES_SERVICE_PORT'] ?? ''}`,
    credentials: () => ({ token: read('token').trim(), ca: read('ca.crt') }),
  };
}
