import { readFileSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { execa } from 'execa';
import { ensureTools, startApiServer, toolPath } from '../../hack/cluster/index.ts';
import { type Cluster, createClock, createCluster } from '../../src/runner/ports/index.ts';
import { adminOf } from '../runner/admin.ts';

/** A ConfigMap as the API server has it. */
export interface FoundConfigMap {
  readonly metadata: {
    readonly name: string;
    readonly labels?: Readonly<Record<string, string>>;
    readonly annotations?: Readonly<Record<string, string>>;
  };
  readonly data?: Readonly<Record<string, string>>;
  /** base64 */
  readonly binaryData?: Readonly<Record<string, string>>;
}

/** The ConfigMaps of one namespace of a real API server. */
export interface ApiStore {
  /** The API server as a run of a release reaches it. */
  readonly cluster: Cluster;
  /** Runs POSIX shell in a folder, with a real kubectl pointed at the server. @returns what it prints */
  shell(script: string, cwd: string): Promise<string>;
  /** Makes a ConfigMap as another program would. */
  create(name: string, data: Record<string, string>, labels?: Record<string, string>): Promise<void>;
  /** Names of the namespace's ConfigMaps, sorted. */
  names(): Promise<string[]>;
  find(name: string): Promise<FoundConfigMap | null>;
  clear(): Promise<void>;
  stop(): void;
}

/**
 * Starts an API server with one namespace.
 * @param release Helm release whose run writes
 */
export async function startApiStore(namespace: string, release: string): Promise<ApiStore> {
  await ensureTools(['kubectl']);
  const server = await startApiServer();
  symlinkSync(toolPath('kubectl'), join(server.folder, 'kubectl'));
  const admin = adminOf(server);
  await admin.call('POST', '/api/v1/namespaces', {
    apiVersion: 'v1',
    kind: 'Namespace',
    metadata: { name: namespace },
  });
  const all = `/api/v1/namespaces/${namespace}/configmaps`;
  const ca = readFileSync(server.caFile, 'utf8');
  const cluster = createCluster({
    identity: { release, namespace, job: `${release}-install-1`, pod: 'pod', podUid: 'uid' },
    clock: createClock(),
    account: { server: server.url, credentials: () => ({ token: server.adminToken, ca }) },
    warn: () => {},
  });

  return {
    cluster,
    find: (name) => admin.find(`${all}/${name}`),
    stop: server.stop,
    shell: async (script, cwd) => {
      const env = { KUBECONFIG: server.kubeconfig, PATH: `${server.folder}:${process.env['PATH']}` };
      return (await execa('sh', ['-euc', script], { cwd, env })).stdout;
    },
    create: async (name, data, labels = {}) => {
      await admin.call('POST', all, {
        apiVersion: 'v1',
        kind: 'ConfigMap',
        metadata: { name, labels },
        data,
      });
    },
    names: async () => {
      const list = await admin.call('GET', all);
      const items = list['items'] as readonly FoundConfigMap[];
      return items.map(({ metadata }) => metadata.name).sort();
    },
    clear: async () => void (await admin.call('DELETE', all)),
  };
}
