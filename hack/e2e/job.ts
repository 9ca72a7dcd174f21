import type { KubeObject, Namespace } from './namespace.ts';
import { eventually } from './patience.ts';

export interface Pod extends KubeObject {
  readonly status: {
    readonly phase: string;
    readonly reason?: string;
    readonly message?: string;
    readonly containerStatuses?: readonly {
      readonly name: string;
      readonly state: {
        readonly running?: object;
        readonly terminated?: { readonly exitCode: number; readonly message?: string };
      };
    }[];
  };
}

interface Job extends KubeObject {
  readonly status: {
    readonly conditions?: readonly { readonly type: string; readonly status: string }[];
    readonly failed?: number;
  };
}

/** An Event as `kubectl describe job` shows it. */
export interface JobEvent {
  readonly type: string;
  readonly reason: string;
  readonly message: string;
}

/** How the installer's container ended. */
export interface Termination {
  readonly exitCode: number;
  readonly message: string;
}

/** One install Job, and the pods it has made. */
export class InstallJob {
  readonly name: string;
  readonly #namespace: Namespace;

  constructor(namespace: Namespace, name: string) {
    this.#namespace = namespace;
    this.name = name;
  }

  /** Waits until it has ended. @returns the condition that says how */
  async ended(minutes?: number): Promise<'Complete' | 'Failed'> {
    return await eventually(
      `end of Job ${this.name}`,
      async () => {
        const job = await this.#namespace.find<Job>('job', this.name);
        if (job === undefined) throw new Error(`Job ${this.name} is gone`);
        const { conditions = [] } = job.status;
        const isTrue = (type: string) =>
          conditions.some((condition) => condition.type === type && condition.status === 'True');
        return isTrue('Complete') ? 'Complete' : isTrue('Failed') ? 'Failed' : undefined;
      },
      minutes,
    );
  }

  /** Every pod that it has made and that is still there. */
  async pods(): Promise<readonly Pod[]> {
    return await this.#namespace.list<Pod>('pods', `batch.kubernetes.io/job-name=${this.name}`);
  }

  /** Waits until none of its pods is left. */
  async podsGone(): Promise<void> {
    await eventually(`no pods of Job ${this.name}`, async () =>
      (await this.pods()).length === 0 ? true : undefined,
    );
  }

  /** Waits until the installer's container runs. @returns its pod */
  async running(): Promise<Pod> {
    return await eventually(`a running pod of Job ${this.name}`, async () =>
      (await this.pods()).find((pod) => installerOf(pod)?.state.running !== undefined),
    );
  }

  /** Waits until the installer has ended. @throws Error unless there is exactly one pod: nothing was tried twice */
  async termination(): Promise<Termination> {
    return await eventually(`end of the installer of Job ${this.name}`, async () => {
      const pods = await this.pods();
      const [pod] = pods;
      if (pod === undefined || pods.length > 1) {
        throw new Error(
          `Job ${this.name} has ${pods.length} pods: ${pods.map((each) => each.metadata.name)}`,
        );
      }
      const ended = installerOf(pod)?.state.terminated;
      return ended === undefined ? undefined : { exitCode: ended.exitCode, message: ended.message ?? '' };
    });
  }

  /** What the installer has logged so far. */
  async log(): Promise<string> {
    return (await this.#namespace.kubectl(['logs', `job/${this.name}`])).stdout;
  }

  /** What `kubectl describe` shows of the Job and of its pods. */
  async describe(): Promise<{ job: string; pods: string }> {
    const [job, pods] = await Promise.all([
      this.#namespace.kubectl(['describe', 'job', this.name]),
      this.#namespace.kubectl([
        'describe',
        'pods',
        '--selector',
        `batch.kubernetes.io/job-name=${this.name}`,
      ]),
    ]);
    return { job: job.stdout, pods: pods.stdout };
  }

  /** Events about the Job, those of its controller included. */
  async events(): Promise<readonly JobEvent[]> {
    const selector = `involvedObject.kind=Job,involvedObject.name=${this.name}`;
    const argv = ['get', 'events', '--field-selector', selector, '--output', 'json'];
    return (JSON.parse((await this.#namespace.kubectl(argv)).stdout) as { items: JobEvent[] }).items;
  }

  /** All there is to read about it, for the message of a failed assertion. */
  async story(): Promise<string> {
    const { job, pods } = await this.describe();
    const { all } = await this.#namespace.cluster.run(
      ['kubectl', '--namespace', this.#namespace.name, 'logs', `job/${this.name}`, '--all-containers'],
      { reject: false },
    );
    return `\n${job}\n${pods}\n${all}`;
  }
}

const installerOf = ({ status }: Pod) => status.containerStatuses?.find(({ name }) => name === 'installer');
