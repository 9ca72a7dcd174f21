import { symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { execa } from 'execa';
import { ensureTools, startApiServer, toolPath } from '../../hack/cluster/index.ts';
import { RELEASE_LABEL, WRITTEN_BY_LABEL, WRITTEN_BY_RUN } from '../../src/contract/index.ts';
import type { ResultStore } from '../../src/runner/results/index.ts';
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
export interface ApiStore extends ResultStore {
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
 * Starts an API server. The store's apply is the one of a run: server-side, forced, with the run's labels.
 * @param release Helm release that writes
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
  const find = (name: string): Promise<FoundConfigMap | null> => admin.find(`${all}/${name}`);

  return {
    find,
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
    applyConfigMap: async ({ name, data, binaryData, labels }, manager) => {
      const encoded = Object.entries(binaryData ?? {}).map(([key, bytes]) => [
        key,
        Buffer.from(bytes).toString('base64'),
      ]);
      const ours = { [WRITTEN_BY_LABEL]: WRITTEN_BY_RUN, [RELEASE_LABEL]: release, ...labels };
      const metadata = { name, namespace, labels: ours };
      const object = {
        apiVersion: 'v1',
        kind: 'ConfigMap',
        metadata,
        data,
        binaryData: Object.fromEntries(encoded),
      };
      const path = `${all}/${name}?fieldManager=${manager}&force=true`;
      await admin.call('PATCH', path, object, 'application/apply-patch+yaml');
    },
    readConfigMap: async (name) => {
      const found = await find(name);
      if (found === null) return null;
      const { metadata, data = {}, binaryData = {} } = found;
      return { labels: metadata.labels ?? {}, data, binaryKeys: Object.keys(binaryData) };
    },
    deleteConfigMap: async (name) => void (await admin.call('DELETE', `${all}/${name}`)),
  };
}
