import { parseAllDocuments } from 'yaml';
import { RELEASE_LABEL, type RunStatus } from '../../src/contract/index.ts';
import type { Cluster, RunResult } from '../cluster/index.ts';
import { InstallJob } from './job.ts';
import type { ConfigMap, KubeObject, Namespace } from './namespace.ts';
import { eventually } from './patience.ts';
import { readStatus } from './status.ts';

/** A major version of Helm, outside and inside the pod. */
export type Generation = 3 | 4;

export interface ReleaseOptions {
  readonly name: string;
  readonly namespace: Namespace;
  readonly helm: Generation;
  /** Folder of the chart. */
  readonly chart: string;
  /** Values that every install and upgrade has. */
  readonly values: Readonly<Record<string, unknown>>;
}

/** A Helm release of the chart. */
export class ChartRelease {
  readonly name: string;
  readonly #options: ReleaseOptions;

  constructor(options: ReleaseOptions) {
    this.name = options.name;
    this.#options = options;
  }

  /** `helm install` with the release's values and these. */
  async install(values: object, ...args: string[]): Promise<void> {
    await this.#helm(['install', this.name, this.#options.chart, '--values', '-', ...args], values);
  }

  /** `helm upgrade` with the release's values and these. */
  async upgrade(values: object, ...args: string[]): Promise<void> {
    await this.#helm(['upgrade', this.name, this.#options.chart, '--values', '-', ...args], values);
  }

  /** The objects that `helm template` makes of the chart, as Argo CD applies them. */
  async template(values: object): Promise<readonly KubeObject[]> {
    const { stdout } = await this.#helm(
      ['template', this.name, this.#options.chart, '--values', '-'],
      values,
    );
    const documents = parseAllDocuments(stdout).map((document) => document.toJS() as KubeObject | null);
    return documents.filter((object) => object !== null);
  }

  /**
   * Types in what a failed run tells its users to, with the chart for the one word that they have to fill in.
   * @param rerun the status' own line
   * @param args put behind it
   */
  async rerun(rerun: string, ...args: string[]): Promise<void> {
    const [line = ''] = rerun.split(' (');
    const words = line.replace('<your chart>', this.#options.chart).split(' ');
    await this.#run([...words, ...args]);
  }

  /** `helm uninstall` */
  async uninstall(): Promise<void> {
    await this.#helm(['uninstall', this.name]);
  }

  /** The Jobs of the release, those that are being deleted left out. */
  async jobs(): Promise<readonly InstallJob[]> {
    const jobs = await this.#namespace.list('jobs', `app.kubernetes.io/instance=${this.name}`);
    return jobs
      .filter(({ metadata }) => metadata.deletionTimestamp === undefined)
      .map(({ metadata }) => new InstallJob(this.#namespace, metadata.name));
  }

  /** Its only Job; waits until what Helm deletes behind an upgrade is gone. */
  async job(): Promise<InstallJob> {
    return await eventually(`one Job of release ${this.name}`, async () => {
      const jobs = await this.jobs();
      return jobs.length === 1 ? jobs[0] : undefined;
    });
  }

  /** The shared status document. */
  async status(): Promise<RunStatus> {
    return await eventually(`status of release ${this.name}`, () => this.#readStatus());
  }

  /** The status document of one Job's run. */
  async statusOf(job: InstallJob): Promise<RunStatus> {
    return await eventually(`status of Job ${job.name}`, () => this.#readStatus(job.name));
  }

  /**
   * Waits for a state of a status document.
   * @param job whose own document; the shared one when left out
   */
  async statusWhen(
    what: string,
    holds: (status: RunStatus) => boolean,
    job?: InstallJob,
  ): Promise<RunStatus> {
    return await eventually(`status of release ${this.name}: ${what}`, async () => {
      const status = await this.#readStatus(job?.name);
      return status !== undefined && holds(status) ? status : undefined;
    });
  }

  /** The status in words. */
  async summary(): Promise<string> {
    return (await this.#namespace.configMap(`${this.name}-status`))?.data?.['summary.txt'] ?? '';
  }

  /** ConfigMap with the resolved recipe. */
  async recipe(): Promise<ConfigMap | undefined> {
    return await this.#namespace.configMap('aicr-recipe');
  }

  /** ConfigMaps that its runs wrote. */
  async results(): Promise<readonly string[]> {
    const found = await this.#namespace.list('configmaps', `${RELEASE_LABEL}=${this.name}`);
    return found.map(({ metadata }) => metadata.name).sort();
  }

  /** Pods of any of its Jobs. */
  async pods(): Promise<readonly KubeObject[]> {
    return await this.#namespace.list('pods', `${RELEASE_LABEL}=${this.name}`);
  }

  /** Waits until no pod of it is left. */
  async podsGone(): Promise<void> {
    await eventually(`no pods of release ${this.name}`, async () =>
      (await this.pods()).length === 0 ? true : undefined,
    );
  }

  /** Names of the ClusterRoleBindings that give anything to a ServiceAccount of its namespace. */
  async bindings(): Promise<readonly string[]> {
    interface Binding extends KubeObject {
      readonly subjects?: readonly { readonly namespace?: string }[];
    }
    const all = await this.#namespace.list<Binding>('clusterrolebindings');
    const own = all.filter(({ subjects = [] }) =>
      subjects.some(({ namespace }) => namespace === this.#namespace.name),
    );
    return own.map(({ metadata }) => metadata.name);
  }

  get #namespace(): Namespace {
    return this.#options.namespace;
  }

  async #readStatus(job?: string): Promise<RunStatus | undefined> {
    return await readStatus(this.#namespace, `${this.name}-status`, job);
  }

  async #helm(args: readonly string[], values?: object): Promise<RunResult> {
    const all = values === undefined ? undefined : { ...this.#options.values, ...values };
    return await this.#run(['helm', ...args, '--namespace', this.#namespace.name], all);
  }

  async #run([program = '', ...args]: readonly string[], values?: object): Promise<RunResult> {
    const argv = [`${program}${this.#options.helm}`, ...args];
    return await this.#namespace.cluster.run(
      argv,
      values === undefined ? {} : { input: JSON.stringify(values) },
    );
  }
}

/** A release as `helm list` shows it. */
export interface ListedRelease {
  readonly name: string;
  readonly namespace: string;
  readonly status: string;
  readonly revision: string;
}

/** The Helm releases of a namespace, whatever their state: Helm 4 lists them all by itself. */
export async function listReleases(cluster: Cluster, namespace: string): Promise<readonly ListedRelease[]> {
  const listed = await cluster.run(['helm4', 'list', '--namespace', namespace, '--output', 'json']);
  return JSON.parse(listed.stdout) as ListedRelease[];
}
