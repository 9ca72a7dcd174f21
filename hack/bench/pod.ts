import { chmod, cp, mkdir, mkdtemp, readFile, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { execa } from 'execa';
import { helmPath, toolPath } from '../cluster/index.ts';
import { type Installed, NAMESPACE } from './chart.ts';

/** How much of a program's output is kept for the message when it ends otherwise than expected. */
const KEPT_OUTPUT = 4000;

/** A folder that stands for the root of the installer's pod, after its init container. */
export interface Pod {
  readonly root: string;
  /** Milliseconds of the init container that hands node and the program over. */
  readonly handover: number;
  readonly env: Readonly<Record<string, string>>;
}

/** The main container of a pod, running. */
export interface Started {
  readonly pid: number;
  /** Milliseconds since the epoch. */
  readonly startedAt: number;
  readonly ended: Promise<Ended>;
}

export interface Ended {
  readonly exitCode: number | undefined;
  /** Milliseconds since the epoch. */
  readonly endedAt: number;
  /** Most memory that node had, in MB (VmHWM). */
  readonly peakMB: number;
  /** The last of its output. */
  readonly output: string;
}

/**
 * Lays out a pod and does what its init container does. Only bash is another: a script of the bench's, in place of
 * deploy.sh, which begins by noting when it is started.
 * @param folder where the pod's root is made
 * @param script what it does after that
 */
export async function makePod(folder: string, installed: Installed, script: string): Promise<Pod> {
  const root = await mkdtemp(join(folder, 'pod-'));
  await layOut(root, installed, script);
  const begun = Date.now();
  await execa(process.execPath, [join(root, 'program/handover.mjs'), 'node', `--root=${root}`]);
  const handover = Date.now() - begun;
  const { api, job } = installed;
  const { hostname, port } = new URL(api.url);
  const tmp = join(root, 'tmp');
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
  return { root, handover, env };
}

/**
 * Starts a program as the main container does, with the copied loader.
 * @param program name of a file in the pod's /runner
 */
export function startProgram({ root, env }: Pod, program: string): Started {
  const runner = join(root, 'runner');
  const argv = ['--library-path', runner, join(runner, 'node'), join(runner, program), `--root=${root}`];
  const startedAt = Date.now();
  const child = execa(join(runner, 'loader'), argv, {
    env,
    extendEnv: false,
    stdin: 'ignore',
    reject: false,
    buffer: false,
  });
  let output = '';
  for (const stream of [child.stdout, child.stderr]) {
    stream.on('data', (chunk: Buffer) => {
      output = (output + chunk.toString('utf8')).slice(-KEPT_OUTPUT);
    });
  }
  const pid = child.pid ?? 0;
  const peak = watchPeak(pid);
  const ended = child.then(async ({ exitCode }) => {
    const endedAt = Date.now();
    return { exitCode, endedAt, peakMB: ((await peak) * 1024) / 1e6, output };
  });
  return { pid, startedAt, ended };
}

/** @throws Error with the end of the output when a program ended otherwise than it should */
export function expectExit({ exitCode, output }: Ended, wanted: number): void {
  if (exitCode !== wanted) {
    throw new Error(`the installer ended with ${exitCode} instead of ${wanted}:\n${output}`);
  }
}

/** When the script in place of deploy.sh was started, in milliseconds since the epoch; null: not yet. */
export async function deployStart({ root }: Pod): Promise<number | null> {
  const noted = await readFile(join(root, NOTE), 'utf8').catch(() => '');
  return noted === '' ? null : Number(noted) / 1e6;
}

const NOTE = 'deploy-started';

/** The pod's files, below a folder. */
async function layOut(
  root: string,
  { api, chart, runJson, token }: Installed,
  script: string,
): Promise<void> {
  const account = join(root, 'var/run/secrets/kubernetes.io/serviceaccount');
  const folders = ['tmp/.kube', 'dev', 'run-spec', 'bin'].map((name) => join(root, name));
  for (const folder of [account, ...folders]) await mkdir(folder, { recursive: true });
  await cp(join(chart, 'program'), join(root, 'program'), { recursive: true });
  await writeFile(join(root, 'run-spec/run.json'), runJson);
  await writeFile(join(account, 'token'), token);
  await cp(api.caFile, join(account, 'ca.crt'));
  // In a pod kubectl finds the cluster by the ServiceAccount's folder, which cannot lie below another root.
  await cp(api.kubeconfig, join(root, 'tmp/.kube/config'));
  await symlink(toolPath('kubectl'), join(root, 'bin/kubectl'));
  await symlink(helmPath(4), join(root, 'bin/helm'));
  const note = join(root, NOTE);
  // In one move, so that nobody reads half of it.
  await writeFile(
    join(root, 'bin/bash'),
    `#!/bin/sh\ndate +%s%N >'${note}.new' && mv '${note}.new' '${note}'\n${script}\n`,
  );
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
