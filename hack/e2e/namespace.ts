import type { Cluster, RunResult } from '../cluster/index.ts';

/** As much of any Kubernetes object as scenarios look at. */
export interface KubeObject {
  readonly kind: string;
  readonly metadata: {
    readonly name: string;
    readonly uid: string;
    readonly labels?: Readonly<Record<string, string>>;
    readonly annotations?: Readonly<Record<string, string>>;
    readonly deletionTimestamp?: string;
    readonly managedFields?: readonly { readonly manager: string; readonly fieldsV1?: object }[];
  };
}

export interface ConfigMap extends KubeObject {
  readonly data?: Readonly<Record<string, string>>;
  /** In base64. */
  readonly binaryData?: Readonly<Record<string, string>>;
}

/** A namespace of the cluster, by way of kubectl. */
export class Namespace {
  readonly cluster: Cluster;
  readonly name: string;

  /** @param name of a namespace that may or may not be there */
  constructor(cluster: Cluster, name: string) {
    this.cluster = cluster;
    this.name = name;
  }

  /** Makes it, with the strictest Pod Security that Kubernetes has: what the chart makes must live with it. */
  async create(): Promise<void> {
    await this.apply({
      apiVersion: 'v1',
      kind: 'Namespace',
      metadata: { name: this.name, labels: { 'pod-security.kubernetes.io/enforce': 'restricted' } },
    });
  }

  /** Removes it and all that is in it, and does not wait for the end of that. */
  async remove(): Promise<void> {
    await this.kubectl(['delete', 'namespace', this.name, '--ignore-not-found', '--wait=false']);
  }

  /**
   * Runs kubectl in this namespace.
   * @param input given to its standard input
   */
  async kubectl(args: readonly string[], input?: string): Promise<RunResult> {
    const argv = ['kubectl', '--namespace', this.name, ...args];
    return await this.cluster.run(argv, input === undefined ? {} : { input });
  }

  /** Creates or changes an object; its namespace, when it has one at all, is this one. */
  async apply(object: object): Promise<void> {
    await this.kubectl(['apply', '--filename', '-'], JSON.stringify(object));
  }

  /** @returns undefined when there is none */
  async find<T extends KubeObject>(kind: string, name: string): Promise<T | undefined> {
    const argv = ['get', kind, name, '--ignore-not-found', '--show-managed-fields', '--output', 'json'];
    const { stdout } = await this.kubectl(argv);
    return stdout === '' ? undefined : (JSON.parse(stdout) as T);
  }

  /** @param selector of labels; all when left out */
  async list<T extends KubeObject>(kind: string, selector?: string): Promise<readonly T[]> {
    const selected = selector === undefined ? [] : ['--selector', selector];
    const { stdout } = await this.kubectl(['get', kind, ...selected, '--output', 'json']);
    return (JSON.parse(stdout) as { items: T[] }).items;
  }

  /** Data of a ConfigMap; undefined when there is none. */
  async configMap(name: string): Promise<ConfigMap | undefined> {
    return await this.find<ConfigMap>('configmap', name);
  }

  /** Makes a registry Secret, or changes it. */
  async registrySecret(
    name: string,
    dockerConfig: string,
    type = 'kubernetes.io/dockerconfigjson',
  ): Promise<void> {
    await this.apply({
      apiVersion: 'v1',
      kind: 'Secret',
      metadata: { name },
      type,
      data: { '.dockerconfigjson': Buffer.from(dockerConfig).toString('base64') },
    });
  }
}
