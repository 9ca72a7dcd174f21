import {
  existsSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  realpathSync,
  rmdirSync,
  rmSync,
} from 'node:fs';
import { join } from 'node:path';
import { execaSync } from 'execa';
import { recordedProcesses } from './daemons.ts';
import { networkNames, pidsInside, removeNetwork } from './network.ts';
import {
  findByCommandLine,
  identify,
  isAlive,
  killAll,
  type ProcessIdentity,
  sleep,
  withDescendants,
} from './processes.ts';
import { caretaker, listClusters, readState } from './state.ts';
import { toolPath } from './tools.ts';

/**
 * Stops a cluster and removes everything it made on this machine, however far its start got. Synchronous, so that it
 * can run while Node exits; safe to call again.
 * @param folder the cluster's folder
 * @throws Error naming what could not be removed
 */
export function tearDown(folder: string): void {
  if (!existsSync(folder)) return;
  const { kind, id } = readState(folder);
  if (kind === 'kind')
    execaSync(toolPath('kind'), ['delete', 'cluster', '--name', kindName(id)], { reject: false });
  killProcesses(folder, networkNames(id).netns);
  if (kind === 'components') {
    unmountBelow(folder);
    removeNetwork(networkNames(id));
    removeControlGroups(controlGroup(id));
    removeTraces(folder);
  }
  rmSync(folder, { recursive: true, force: true, maxRetries: 5, retryDelay: 200 });
}

/** Stops every cluster whose owner ended without stopping it (killed, crashed). @returns their folders */
export function tearDownAbandoned(): string[] {
  const abandoned = listClusters().filter((folder) => caretaker(folder) === 'dead');
  for (const folder of abandoned) tearDown(folder);
  return abandoned;
}

/** Name of a cluster that kind runs. */
export const kindName = (id: string): string => `aicr-${id.toLowerCase()}`;

/** Path of a cluster's control group below each hierarchy, as the kubelet wants it. */
export const controlGroup = (id: string): string => `/aicr-${id}`;

/** Roots of the control group hierarchies of this machine: many with version 1, one with version 2. */
export function controlGroupHierarchies(): string[] {
  return mounts()
    .filter(({ type }) => type === 'cgroup' || type === 'cgroup2')
    .map(({ path }) => path);
}

/**
 * The programs by their recorded pids; then containers through their shims, which outlive containerd and have the
 * cluster's folder on their command line; then whatever else still runs in the namespace.
 */
function killProcesses(folder: string, netns: string): void {
  killTree(recordedProcesses(folder).filter(isAlive));
  const sockets = shimSockets(folder);
  killTree(running(findByCommandLine(`-address\0${folder}/`)));
  killTree(running(pidsInside(netns)));
  for (const socket of sockets) rmSync(socket, { force: true });
}

function killTree(roots: ProcessIdentity[]): void {
  const all = withDescendants(roots.map(({ pid }) => pid));
  const left = killAll(running(all.filter((pid) => pid > 1 && pid !== process.pid)));
  if (left.length > 0)
    throw new Error(`these processes did not end: ${left.map(({ pid }) => pid).join(', ')}`);
}

const running = (pids: number[]): ProcessIdentity[] =>
  pids.map(identify).filter((found) => found !== undefined);

/** Shims listen below /run/containerd whatever containerd's own folders are, and write down where. */
function shimSockets(folder: string): string[] {
  const tasks = join(folder, 'containerd/state/io.containerd.runtime.v2.task/k8s.io');
  if (!existsSync(tasks)) return [];
  const files = readdirSync(tasks).map((id) => join(tasks, id, 'address'));
  return files.filter(existsSync).map((file) =>
    readFileSync(file, 'utf8')
      .trim()
      .replace(/^unix:\/\//, ''),
  );
}

interface Mount {
  path: string;
  type: string;
}

/** This process's mounts, in the order in which they were made. */
function mounts(): Mount[] {
  const lines = readFileSync('/proc/self/mountinfo', 'utf8').split('\n').filter(Boolean);
  return lines.map((line) => {
    const [fields = '', filesystem = ''] = line.split(' - ');
    const path = (fields.split(' ')[4] ?? '').replace(/\\(\d{3})/g, (_, octal) =>
      String.fromCharCode(Number.parseInt(octal, 8)),
    );
    return { path, type: filesystem.split(' ')[0] ?? '' };
  });
}

function unmountBelow(folder: string): void {
  const real = realpathSync(folder);
  const below = mounts().filter(({ path }) => path.startsWith(`${real}/`));
  for (const { path } of below.reverse()) {
    const done = execaSync('umount', ['--lazy', path], { reject: false });
    if (done.exitCode !== 0 && mounts().some((mount) => mount.path === path)) {
      throw new Error(`${path} could not be unmounted: ${done.stderr}`);
    }
  }
}

function removeControlGroups(group: string): void {
  for (const root of controlGroupHierarchies()) removeControlGroup(join(root, group));
}

/** A control group's files cannot be deleted; its folders can, the innermost first, once nothing runs in them. */
function removeControlGroup(folder: string): void {
  if (!existsSync(folder)) return;
  for (const entry of readdirSync(folder, { withFileTypes: true })) {
    if (entry.isDirectory()) removeControlGroup(join(folder, entry.name));
  }
  for (let attempt = 0; attempt < 250 && existsSync(folder); attempt++) {
    try {
      rmdirSync(folder);
    } catch {
      // The kernel lets go of a killed process's group a moment later; on a busy machine that is a long one.
      sleep(20);
    }
  }
}

/** What the kubelet and the CNI library leave outside the cluster's folder. */
function removeTraces(folder: string): void {
  const links = '/var/log/containers';
  for (const name of entries(links)) {
    const link = join(links, name);
    if (targetOf(link).startsWith(`${folder}/`)) rmSync(link);
  }
  const results = '/var/lib/cni/results';
  const pods = entries(join(folder, 'containerd/root/io.containerd.grpc.v1.cri/sandboxes'));
  for (const name of entries(results)) {
    if (pods.some((id) => name.includes(id))) rmSync(join(results, name));
  }
  for (const shared of [links, results, '/var/lib/cni', '/run/containerd/s', '/run/containerd']) {
    try {
      rmdirSync(shared);
    } catch {
      // It is not there, or another cluster has something in it.
    }
  }
}

const entries = (folder: string): string[] => (existsSync(folder) ? readdirSync(folder) : []);

/** Where a link leads; nowhere when another cluster has just removed it. */
function targetOf(link: string): string {
  try {
    return readlinkSync(link);
  } catch {
    return '';
  }
}
