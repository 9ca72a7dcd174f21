import { chmod, cp, mkdir, mkdtemp, readFile, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { execa } from 'execa';
import { parseAllDocuments } from 'yaml';
import { type ApiServer, helmPath, serviceAccountToken, toolPath } from '../cluster/index.ts';
import type { Release } from '../standin/index.ts';
import { CRITERIA } from './script.ts';

const NAMESPACE = 'bench';
const RELEASE = 'aicr';

interface KubeObject {
  readonly kind: string;
  readonly metadata: { readonly name: string };
  readonly data?: Readonly<Record<string, string>>;
}

/** The chart's objects on an API server, and what a pod of its Job needs. */
export interface Installed {
  readonly api: ApiServer;
  readonly chart: string;
  readonly job: string;
  readonly runJson: string;
  readonly token: string;
}

/** Figures of one run. */
export interface Figures {
  /** Milliseconds from the start of the main container's program to the start of deploy.sh. */
  readonly untilDeploy: number;
  /** Most memory that node had, in MB (VmHWM). */
  readonly peakMB: number;
  /** Milliseconds of the init container that hands node and the program over. */
  readonly handover: number;
}

/** Puts the chart on the API server, where no kubelet starts its pod. */
export async function installChart(
  api: ApiServer,
  chart: string,
  mirrorUrl: string,
  release: Release,
): Promise<Installed> {
  const token = await serviceAccountToken(api, NAMESPACE, `${RELEASE}-installer`);
  const values = { ...CRITERIA, aicrVersion: release.version, aicrSource: { baseUrl: mirrorUrl } };
  const argv = ['template', RELEASE, chart, '--namespace', NAMESPACE, '--values', '-'];
  const { stdout } = await execa(helmPath(4), argv, { input: JSON.stringify(values) });
  await kubectl(api, ['apply', '--server-side', '--force-conflicts', '--filename', '-'], stdout);
  const objects = parseAllDocuments(stdout).map((document) => document.toJS() as KubeObject | null);
  const job = objects.find((object) => object?.kind === 'Job')?.metadata.name ?? '';
  const runJson = objects.flatMap((object) => object?.data?.['run.json'] ?? [])[0] ?? '';
  return { api, chart, job, runJson, token };
}

/**
 * Does once what the pod does: the init container's handover, then the main container's program, started with the
 * copied loader as in the pod. Only bash is another: it notes when deploy.sh is started, and starts nothing.
 * @param folder where the pod's root is made
 */
export async function runInstaller(folder: string, installed: Installed): Promise<Figures> {
  const { api, job } = installed;
  const root = await mkdtemp(join(folder, 'pod-'));
  await makeRoot(root, installed);
  await kubectl(api, ['delete', 'configmap', `${RELEASE}-status`, 'aicr-recipe', '--ignore-not-found']);

  const [runner, tmp] = [join(root, 'runner'), join(root, 'tmp')];
  const begun = Date.now();
  await execa(process.execPath, [join(root, 'program/handover.mjs'), 'node', `--root=${root}`]);
  const handover = Date.now() - begun;

  const { hostname, port } = new URL(api.url);
  const env = {
    PATH: `${join(root, 'bin')}:/usr/bin:/bin`,
    HOME: tmp,
    TMPDIR: tmp,
    NODE_EXTRA_CA_CERTS: api.caFile,
    JOB_NAME: job,
    POD_NAME: `${job}-bench`,
    POD_NAMESPACE: NAMESPACE,
    POD_UID: 'bench',
    NODE_NAME: 'bench',
    KUBERNETES_SERVICE_HOST: hostname,
    KUBERNETES_SERVICE_PORT: port,
  };
  const argv = ['--library-path', runner, join(runner, 'node'), join(runner, 'runner.mjs'), `--root=${root}`];
  const start = Date.now();
  const child = execa(join(runner, 'loader'), argv, {
    env,
    extendEnv: false,
    stdin: 'ignore',
    reject: false,
  });
  const peak = watchPeak(child.pid ?? 0);
  const { exitCode, stdout } = await child;
  // deploy.sh said nothing at all, which the installer lets pass with a warning.
  if (exitCode !== 0) throw new Error(`the installer ended with ${exitCode}:\n${stdout}`);
  const noted = await readFile(join(root, 'deploy-started'), 'utf8');
  return { untilDeploy: Number(noted) / 1e6 - start, peakMB: ((await peak) * 1024) / 1e6, handover };
}

/** The pod's files, below a folder. */
async function makeRoot(root: string, { api, chart, runJson, token }: Installed): Promise<void> {
  const account = join(root, 'var/run/secrets/kubernetes.io/serviceaccount');
  const folders = ['tmp', 'dev', 'run-spec', 'bin'].map((name) => join(root, name));
  for (const folder of [account, ...folders]) await mkdir(folder, { recursive: true });
  await cp(join(chart, 'program'), join(root, 'program'), { recursive: true });
  await writeFile(join(root, 'run-spec/run.json'), runJson);
  await writeFile(join(account, 'token'), token);
  await cp(api.caFile, join(account, 'ca.crt'));
  await symlink(toolPath('kubectl'), join(root, 'bin/kubectl'));
  await symlink(helmPath(4), join(root, 'bin/helm'));
  await writeFile(join(root, 'bin/bash'), `#!/bin/sh\nexec date +%s%N >'${join(root, 'deploy-started')}'\n`);
  await chmod(join(root, 'bin/bash'), 0o755);
}

/** Looks at a process until it ends. @returns its peak memory in KiB, which /proc writes kB */
async function watchPeak(pid: number): Promise<number> {
  let peak = 0;
  for (;;) {
    const status = await readFile(`/proc/${pid}/status`, 'utf8').catch(() => '');
    const now = Number(/^VmHWM:\s+(\d+) kB$/m.exec(status)?.[1] ?? 0);
    if (now === 0) return peak;
    peak = now;
    await delay(5);
  }
}

async function kubectl(api: ApiServer, args: readonly string[], input = ''): Promise<void> {
  await execa(toolPath('kubectl'), ['--kubeconfig', api.kubeconfig, '--namespace', NAMESPACE, ...args], {
    input,
  });
}
