import { randomUUID } from 'node:crypto';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { execa } from 'execa';
import { inject } from 'vitest';
import { type ApiServerConnection, helmPath } from '../../hack/cluster/index.ts';
import { COMPONENTS_CONFIG_MAP, type RunStatus } from '../../src/contract/index.ts';
import type { StepContext } from '../../src/runner/context.ts';
import type { ReleasesStep } from '../../src/runner/planned.ts';
import { createClock, createCluster } from '../../src/runner/ports/index.ts';
import { runStep, type StepOutcome } from '../../src/runner/steps/index.ts';
import { claim, readClaims, settle } from '../../src/runner/steps/releases/index.ts';
import { type Recorded, testContext } from '../steps/context.ts';
import { type Admin, adminOf } from './admin.ts';

/** A claim that nothing binds: `helm --wait` waits for it. */
const NEVER_READY = `apiVersion: v1
kind: PersistentVolumeClaim
metadata:
  name: {{ .Release.Name }}
spec:
  accessModes: [ReadWriteOnce]
  storageClassName: ""
  resources:
    requests:
      storage: 1Mi
`;

/** One run of the releases step. */
export interface Look {
  readonly change?: Partial<ReleasesStep>;
  /** Minutes that the clock is ahead. */
  readonly minutesLater?: number;
  readonly job?: string;
  readonly earlier?: RunStatus;
}

/** A namespace of a real API server with a bundle of two releases in it, `alpha` and `beta`, and a real helm. */
export class HelmWorld {
  readonly namespace = `rel-${randomUUID().slice(0, 8)}`;
  readonly admin: Admin;
  readonly #folder = mkdtempSync(join(tmpdir(), 'releases-'));
  readonly #generation: 3 | 4;
  readonly #server: ApiServerConnection;
  recorded: Recorded = testContext().recorded;

  /** @param server the suite's when left out */
  constructor(generation: 3 | 4, server: ApiServerConnection = inject('apiServer')) {
    this.#generation = generation;
    this.#server = server;
    this.admin = adminOf(server);
  }

  async open(): Promise<void> {
    await this.admin.call('POST', '/api/v1/namespaces', { metadata: { name: this.namespace } });
    for (const [index, name] of ['alpha', 'beta'].entries()) {
      const folder = join(this.#folder, 'bundle', `00${index + 1}-${name}`);
      mkdirSync(join(folder, 'templates'), { recursive: true });
      writeFileSync(join(folder, 'Chart.yaml'), `apiVersion: v2\nname: ${name}\nversion: 1.0.0\n`);
      writeFileSync(join(folder, 'values.yaml'), '{}\n');
      writeFileSync(join(folder, 'templates', 'claim.yaml'), NEVER_READY);
      const install = `helm upgrade --install ${name} ./ --namespace ${this.namespace}\n`;
      writeFileSync(join(folder, 'install.sh'), install);
    }
    mkdirSync(join(this.#folder, 'tools'));
    for (const tool of ['bash', 'kubectl', 'helm']) {
      writeFileSync(join(this.#folder, 'tools', tool), '#!/bin/sh\n', { mode: 0o755 });
    }
  }

  close(): void {
    rmSync(this.#folder, { recursive: true, force: true });
  }

  /** Starts helm in the namespace; `chart:alpha` in the arguments is the folder of that chart. */
  helm(...args: string[]) {
    const argv = args.map((arg) =>
      arg.startsWith('chart:') ? join(this.#folder, 'bundle', this.#chart(arg.slice(6))) : arg,
    );
    return execa(helmPath(this.#generation), [...argv, '--namespace', this.namespace], {
      env: { KUBECONFIG: this.#server.kubeconfig, HOME: this.#folder },
      reject: false,
    });
  }

  /** Runs helm on a release until it waits, then kills it the hard way. */
  async killedWhile(status: string, release: string, ...args: string[]): Promise<void> {
    const helm = this.helm(...args);
    for (;;) {
      if ((await this.newest(release))?.labels['status'] === status) break;
      if (helm.exitCode !== null) throw new Error(`helm ended: ${JSON.stringify(await helm)}`);
      await new Promise((resolve) => setTimeout(resolve, 50));
    }
    helm.kill('SIGKILL');
    await helm;
  }

  /** What `helm status` says of a release. */
  async status(release: string): Promise<{ status: string; description: string }> {
    const { stdout, stderr } = await this.helm('status', release, '--output', 'json');
    if (stdout === '') throw new Error(stderr);
    return (JSON.parse(stdout) as { info: { status: string; description: string } }).info;
  }

  /** Metadata of the Secret that holds the newest revision of a release. */
  async newest(
    release: string,
  ): Promise<
    { name: string; resourceVersion: string; labels: Readonly<Record<string, string>> } | undefined
  > {
    const selector = encodeURIComponent(`owner=helm,name=${release}`);
    const path = `/api/v1/namespaces/${this.namespace}/secrets?labelSelector=${selector}`;
    const { items } = (await this.admin.call('GET', path)) as unknown as {
      items: { metadata: { name: string; resourceVersion: string; labels: Record<string, string> } }[];
    };
    const version = (labels: Readonly<Record<string, string>>): number => Number(labels['version']);
    return items.map(({ metadata }) => metadata).sort((a, b) => version(b.labels) - version(a.labels))[0];
  }

  /** A context over the real API server, its clock ahead by some minutes. */
  context({ minutesLater = 0, job = 'gpu-install-2', earlier }: Look = {}): StepContext {
    const { url, caFile, adminToken } = this.#server;
    const identity = { release: 'gpu', namespace: this.namespace, job, pod: `${job}-x`, podUid: job };
    const ca = readFileSync(caFile, 'utf8');
    const clock = createClock();
    const cluster = createCluster({
      identity,
      clock,
      account: { server: url, credentials: () => ({ token: adminToken, ca }) },
      warn: () => {},
    });
    const { context, recorded } = testContext(cluster);
    this.recorded = recorded;
    const now = (): Date => new Date(Date.now() + minutesLater * 60_000);
    return { ...context, clock: { ...context.clock, now }, run: identity, earlier: earlier ?? null };
  }

  /** Takes the releases step, as the run of a Job. */
  async look(look: Look = {}): Promise<StepOutcome> {
    const step: ReleasesStep = {
      name: 'releases',
      does: 'look',
      dir: join(this.#folder, 'bundle'),
      access: { clusterRole: 'cluster-admin', required: true },
      version: 'v1.2.0',
      release: { name: 'gpu', namespace: this.namespace },
      existing: 'refuse',
      allowDowngrade: false,
      statusConfigMap: 'gpu-status',
      lockNamespace: this.namespace,
      claimsFile: this.#claimsFile,
      ...look.change,
    };
    const path = process.env['PATH'];
    process.env['PATH'] = join(this.#folder, 'tools');
    try {
      return await runStep(step, this.context(look));
    } finally {
      process.env['PATH'] = path;
    }
  }

  /** Takes the step, and deploys in its name what is given. */
  async deploy(look: Look, install: () => PromiseLike<unknown>): Promise<void> {
    await this.look(look);
    const context = this.context(look);
    const claims = await readClaims(this.#claimsFile);
    await claim(claims, context);
    await install();
    await settle(claims, context);
  }

  /** Takes the step and is killed in the middle of what it deploys. */
  async killed(look: Look, install: () => PromiseLike<unknown>): Promise<void> {
    await this.look(look);
    await claim(await readClaims(this.#claimsFile), this.context(look));
    await install();
  }

  /** The list of components, each entry read. */
  async ledger(): Promise<Readonly<Record<string, unknown>>> {
    const path = `/api/v1/namespaces/${this.namespace}/configmaps/${COMPONENTS_CONFIG_MAP}`;
    const found = (await this.admin.find(path))?.['data'] as Record<string, string> | undefined;
    return Object.fromEntries(Object.entries(found ?? {}).map(([key, text]) => [key, JSON.parse(text)]));
  }

  /** Writes the status document of an earlier run that was in the middle of one component. */
  async writeStatus(status: RunStatus): Promise<void> {
    const texts = { [`${status.job.name}.json`]: JSON.stringify(status) };
    const { cluster, signal } = this.context();
    await cluster.mergeTexts(this.namespace, 'gpu-status', texts, signal);
  }

  get #claimsFile(): string {
    return join(this.#folder, 'claims.json');
  }

  #chart = (name: string): string => (name === 'alpha' ? '001-alpha' : '002-beta');
}
