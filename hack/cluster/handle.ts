import { mkdirSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { execa, type ResultPromise } from 'execa';
import type { Cluster, Connection, RunOptions, RunResult } from './cluster.ts';
import { Daemons, inNamespace } from './daemons.ts';
import { type Lifetime, tieToNobody } from './lifetime.ts';
import { trustRegistry } from './node.ts';
import { startRegistry } from './registry.ts';
import { type ClusterState, readState } from './state.ts';
import { toolPath } from './tools.ts';

/** Puts the tools under their plain names where `run` finds them, and makes homes for what they keep. */
export function prepareHome(folder: string): void {
  const links = { kubectl: 'kubectl', helm: 'helm4', helm3: 'helm3', helm4: 'helm4', oras: 'oras' } as const;
  mkdirSync(join(folder, 'bin'), { recursive: true });
  mkdirSync(join(folder, 'home'), { recursive: true });
  for (const [link, tool] of Object.entries(links)) symlinkSync(toolPath(tool), join(folder, 'bin', link));
}

/**
 * A handle on a running cluster, also one that another process started.
 * @param folder the cluster's folder
 * @throws Error when there is no running cluster in it
 */
export function openCluster(folder: string): Cluster {
  const state = readState(folder);
  if (state.connection === undefined) throw new Error(`the cluster in ${folder} is not running yet`);
  return makeHandle(folder, state, state.connection, tieToNobody(folder));
}

/**
 * Makes the handle of a cluster.
 * @param lifetime what it is tied to
 */
export function makeHandle(
  folder: string,
  { kind }: Pick<ClusterState, 'kind'>,
  connection: Connection,
  lifetime: Lifetime,
): Cluster {
  const environment = clusterEnvironment(folder, connection);
  const start = (argv: string[], { input, env, ...rest }: RunOptions) => {
    const [file = '', ...args] = inNamespace(argv, connection.netns);
    const stdin = input === undefined ? ({ stdin: 'ignore' } as const) : { input };
    return execa(file, args, { ...rest, ...stdin, env: { ...environment, ...env }, all: true });
  };
  return {
    ...connection,
    folder,
    kind,
    async run(argv, options = {}): Promise<RunResult> {
      const { exitCode, stdout, stderr, all, shortMessage = '' } = await start(argv, options);
      // No exit code: it could not be started, or was killed.
      return { exitCode: exitCode ?? 255, stdout, stderr: stderr || shortMessage, all: all || shortMessage };
    },
    startInside: (argv, options = {}) => start(argv, options) as ResultPromise,
    async startRegistry(options) {
      const registry = await startRegistry(folder, new Daemons(folder), connection.address, options);
      if (kind === 'components') trustRegistry(folder, registry.url, registry.caFile);
      return registry;
    },
    keep: () => lifetime.keep(),
    stop: async () => lifetime.stop(),
  };
}

/**
 * Environment in which helm, kubectl and oras work on the cluster and touch nothing of the user's.
 * @param folder the cluster's folder
 */
export function clusterEnvironment(folder: string, { kubeconfig }: Pick<Connection, 'kubeconfig'>) {
  const home = join(folder, 'home');
  return {
    PATH: `${join(folder, 'bin')}:${process.env['PATH'] ?? ''}`,
    HOME: home,
    KUBECONFIG: kubeconfig,
    HELM_CACHE_HOME: join(home, '.cache/helm'),
    HELM_CONFIG_HOME: join(home, '.config/helm'),
    HELM_DATA_HOME: join(home, '.local/share/helm'),
    DOCKER_CONFIG: join(home, '.docker'),
    // Set by some users for their own clusters, and stronger than KUBECONFIG.
    HELM_NAMESPACE: 'default',
    HELM_KUBECONTEXT: '',
  };
}
