import type { ResultPromise } from 'execa';
import type { ClusterImages } from './images.ts';
import type { Registry, RegistryOptions } from './registry.ts';
import type { ClusterState } from './state.ts';

/** What a running cluster consists of, as it stands in its folder; plain data. */
export interface Connection {
  /** Path of an admin's kubeconfig; its server can be reached from this process. */
  kubeconfig: string;
  /** Address of this machine that nodes and pods reach: a server that a test binds to it is reachable from pods. */
  address: string;
  /** Name of the only node. */
  node: string;
  /** Registry that asks for a login, over plain HTTP. */
  registry: Registry & { login: { user: string; password: string } };
  /** Registry that everyone may use, over plain HTTP. */
  openRegistry: Registry;
  /** Folder that the mirror serves: put release assets below `v<V>/`. */
  mirrorRoot: string;
  /** What to set as `aicrSource.baseUrl`. */
  mirrorUrl: string;
  /** References of the images that the node holds already (pull policy IfNotPresent). */
  images: ClusterImages;
  /** The network namespace that everything runs in; absent with kind. */
  netns?: string;
}

/** Options of `run`: some of execa's. */
export interface RunOptions {
  /** Given to standard input; without it there is none. */
  input?: string;
  env?: Record<string, string>;
  cwd?: string;
  /** Milliseconds after which it is killed, which counts as failed. */
  timeout?: number;
  /** False: a failing command is a result like any other instead of an error. */
  reject?: boolean;
}

/** How a command ended. */
export interface RunResult {
  exitCode: number;
  stdout: string;
  stderr: string;
  /** Both, in the order in which they came. */
  all: string;
}

/** A throwaway cluster of one node. */
export interface Cluster extends Connection {
  /** The cluster's folder: state, logs. Give it to `openCluster` in another process. */
  readonly folder: string;
  readonly kind: ClusterState['kind'];
  /**
   * Runs a command to its end where the cluster is: in its network namespace, without a way out of it. `kubectl`,
   * `helm` (4), `helm3`, `helm4` and `oras` are on PATH; KUBECONFIG, HOME and HELM_* are the cluster's own.
   * @param argv program and arguments; no shell
   * @throws Error with command, exit code and output, unless `reject` is false
   */
  run(argv: string[], options?: RunOptions): Promise<RunResult>;
  /** Starts a command in the same surroundings and leaves it running; it ends with the cluster at the latest. */
  startInside(argv: string[], options?: RunOptions): ResultPromise;
  /** Starts one more registry. */
  startRegistry(options: RegistryOptions): Promise<Registry>;
  /** Leaves the cluster running when this process ends; `hack/cluster/down` stops it. */
  keep(): void;
  /** Stops the cluster and removes everything it made. */
  stop(): Promise<void>;
}
