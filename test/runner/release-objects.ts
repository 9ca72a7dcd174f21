import { randomUUID } from 'node:crypto';
import { symlinkSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { execa } from 'execa';
import { expect, inject } from 'vitest';
import { toolPath } from '../../hack/cluster/index.ts';
import { type RunStatus, runStatusKey } from '../../src/contract/index.ts';
import { installCommand, type Outcome, runCommand } from '../cli/command.ts';
import { scratchFolder } from '../render/chart.ts';
import { type Any, FULL, render } from '../render/helm.ts';
import { adminOf } from './admin.ts';

/** A pod's status as the kubelet would report it. */
export type PodStatus = Readonly<Record<string, unknown>>;

/** A status that is followed. */
export interface Following {
  /** Resolves once what it said matches. */
  until(pattern: RegExp): Promise<void>;
  readonly ended: Promise<Outcome>;
}

/** A namespace with what the chart makes in it, where tests play the Job controller, the kubelet and the runner. */
export class ReleaseObjects {
  readonly namespace = `status-${randomUUID().slice(0, 8)}`;
  readonly #admin = adminOf(inject('apiServer'));

  static async open(): Promise<ReleaseObjects> {
    const world = new ReleaseObjects();
    await world.#admin.call('POST', '/api/v1/namespaces', { metadata: { name: world.namespace } });
    return world;
  }

  /** Makes Job and run.json of a release, as the chart renders them. @returns the Job's name and uid */
  async install(values: object = {}, release = 'gpu'): Promise<{ name: string; uid: string }> {
    const { job, configMapWith } = await render({ ...FULL, ...values }, { release });
    await this.#post('/api/v1', 'configmaps', configMapWith('run.json'));
    const { metadata } = await this.#post('/apis/batch/v1', 'jobs', job);
    return { name: metadata.name, uid: metadata.uid };
  }

  /** Writes what a runner writes: the run's own key, and the shared ones. @param fullname of the chart's objects */
  async write(status: RunStatus, fullname = status.release.name): Promise<void> {
    const text = JSON.stringify(status);
    const name = `${fullname}-status`;
    const body = {
      apiVersion: 'v1',
      kind: 'ConfigMap',
      metadata: {
        name,
        labels: { 'nvidia-aicr/written-by': 'run', 'nvidia-aicr/release': status.release.name },
      },
      data: { [runStatusKey(status.job.name)]: text, 'status.json': text, 'summary.txt': 'x' },
    };
    const path = `/api/v1/namespaces/${this.namespace}/configmaps/${name}?fieldManager=nvidia-aicr&force=true`;
    await this.#admin.call('PATCH', path, body, 'application/apply-patch+yaml');
  }

  /** Makes a pod of a Job, with a status. @returns its uid */
  async pod(job: string, status: PodStatus): Promise<string> {
    const { template } = ((await this.#admin.find(this.#path('/apis/batch/v1', 'jobs', job))) as Any).spec;
    const name = `${job}-${randomUUID().slice(0, 5)}`;
    const labels = { ...template.metadata.labels, 'batch.kubernetes.io/job-name': job };
    // Nobody makes the ServiceAccount's token here, and nothing is mounted.
    const spec = { ...template.spec, serviceAccountName: undefined };
    const { metadata } = await this.#post('/api/v1', 'pods', { metadata: { name, labels }, spec });
    await this.#patchStatus('/api/v1', 'pods', name, status);
    return metadata.uid;
  }

  /** Ends a Job, or says that it is about to. */
  async condition(job: string, type: 'Complete' | 'Failed', reason = '', message = ''): Promise<void> {
    const now = `${new Date().toISOString().slice(0, 19)}Z`;
    const about = type === 'Complete' ? 'SuccessCriteriaMet' : 'FailureTarget';
    const conditions = [about, type].map((each) => ({
      ...{ type: each, status: 'True', reason, message, lastTransitionTime: now, lastProbeTime: now },
    }));
    const end = type === 'Complete' ? { completionTime: now } : {};
    await this.#patchStatus('/apis/batch/v1', 'jobs', job, { startTime: now, ...end, conditions });
  }

  /** Records an Event about an object. */
  async event(
    kind: 'Job' | 'Pod',
    name: string,
    uid: string,
    reason: string,
    message: string,
    secondsAgo = 0,
  ): Promise<void> {
    const at = new Date(Date.now() - secondsAgo * 1000);
    await this.#post('/api/v1', 'events', {
      metadata: { generateName: 'event-' },
      involvedObject: { kind, name, namespace: this.namespace, uid },
      lastTimestamp: `${at.toISOString().slice(0, 19)}Z`,
      ...{ type: 'Warning', reason, message },
    });
  }

  async suspend(job: string): Promise<void> {
    const body = { spec: { suspend: true } };
    await this.#admin.call(
      'PATCH',
      this.#path('/apis/batch/v1', 'jobs', job),
      body,
      'application/merge-patch+json',
    );
  }

  async deleteJob(name: string): Promise<void> {
    await this.#admin.call(
      'DELETE',
      `${this.#path('/apis/batch/v1', 'jobs', name)}?propagationPolicy=Background`,
    );
  }

  /** Runs `nvidia-aicr-chart status` in the namespace. */
  async status(...args: string[]): Promise<Outcome> {
    const { kubeconfig } = inject('apiServer');
    return await command(['status', '-n', this.namespace, '--kubeconfig', kubeconfig, ...args]);
  }

  /** Starts `nvidia-aicr-chart status --follow`. */
  async follow(release: string): Promise<Following> {
    const { kubeconfig } = inject('apiServer');
    const args = ['status', release, '--follow', '-n', this.namespace, '--kubeconfig', kubeconfig];
    const { folder, file, PATH } = await place();
    const child = execa(process.execPath, [file, ...args], {
      env: { PATH, HOME: folder },
      extendEnv: false,
      reject: false,
    });
    let output = '';
    child.stdout.on('data', (chunk: Buffer) => {
      output += chunk.toString();
    });
    return {
      until: async (pattern) => {
        await expect.poll(() => output, { timeout: 60_000 }).toMatch(pattern);
      },
      ended: child.then(({ exitCode = -1, stdout, stderr }) => ({ code: exitCode, stdout, stderr })),
    };
  }

  #path(api: string, kind: string, name = ''): string {
    return `${api}/namespaces/${this.namespace}/${kind}${name === '' ? '' : `/${name}`}`;
  }

  async #post(api: string, kind: string, object: Any): Promise<Any> {
    const metadata = { ...object.metadata, namespace: this.namespace };
    return await this.#admin.call('POST', this.#path(api, kind), { ...object, metadata });
  }

  async #patchStatus(api: string, kind: string, name: string, status: object): Promise<void> {
    const path = `${this.#path(api, kind, name)}/status`;
    await this.#admin.call('PATCH', path, { status }, 'application/merge-patch+json');
  }
}

let installed = '';
let tools = '';

/** The installed command, and a PATH with nothing but kubectl. */
async function place(): Promise<{ folder: string; file: string; PATH: string }> {
  installed ||= await installCommand();
  if (tools === '') {
    tools = scratchFolder('kubectl');
    symlinkSync(toolPath('kubectl'), path.join(tools, 'kubectl'));
  }
  return { folder: installed, file: path.join(installed, 'dist', 'cli.mjs'), PATH: tools };
}

/** Runs the installed command. @param otherPath instead of the PATH with kubectl */
export async function command(args: readonly string[], otherPath = ''): Promise<Outcome> {
  const { folder, PATH } = await place();
  return await runCommand(folder, args, { path: otherPath || PATH });
}

/** Asks a cluster where nobody listens. @param user its credentials */
export async function unreachable(user: object): Promise<Outcome> {
  const file = path.join(scratchFolder('kubeconfig'), 'config');
  const clusters = [{ name: 'c', cluster: { server: 'https://127.0.0.1:1' } }];
  const contexts = [{ name: 'c', context: { cluster: 'c', user: 'u' } }];
  const config = { apiVersion: 'v1', kind: 'Config', clusters, contexts, users: [{ name: 'u', user }] };
  writeFileSync(file, JSON.stringify({ ...config, 'current-context': 'c' }));
  return await command(['status', 'gpu', '--kubeconfig', file]);
}
