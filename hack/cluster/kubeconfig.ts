import { writeFileSync } from 'node:fs';
import { stringify } from 'yaml';

/** How to reach an API server as one user. */
export interface Access {
  server: string;
  /** The authority's certificate, PEM. */
  ca: string;
  token: string;
}

/**
 * Writes a kubeconfig with one cluster, one user and one context.
 * @param file path of the kubeconfig, written readable by its owner only
 */
export function writeKubeconfig(file: string, access: Access): void {
  const cluster = {
    server: access.server,
    'certificate-authority-data': Buffer.from(access.ca).toString('base64'),
  };
  const config = {
    apiVersion: 'v1',
    kind: 'Config',
    clusters: [{ name: 'throwaway', cluster }],
    users: [{ name: 'user', user: { token: access.token } }],
    contexts: [{ name: 'throwaway', context: { cluster: 'throwaway', user: 'user' } }],
    'current-context': 'throwaway',
  };
  writeFileSync(file, stringify(config), { mode: 0o600 });
}
