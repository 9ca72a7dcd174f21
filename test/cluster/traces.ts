import { existsSync, readdirSync, readFileSync, readlinkSync } from 'node:fs';
import { basename, join } from 'node:path';
import { execaSync } from 'execa';

/**
 * Everything on this machine that belongs to a cluster.
 * @param folder the cluster's folder
 * @returns a line a thing
 */
export function findTraces(folder: string): string[] {
  const name = basename(folder).replace('aicr-cluster-', 'aicr-');
  const traces = existsSync(folder) ? [`folder ${folder}`] : [];
  for (const [what, argv] of [
    ['network namespace', ['netns', 'list']],
    ['network interface', ['-brief', 'link']],
    ['route', ['route']],
  ] as const) {
    const lines = execaSync('ip', argv).stdout.split('\n');
    traces.push(...lines.filter((line) => line.includes(name)).map((line) => `${what} ${line}`));
  }
  const mounts = readFileSync('/proc/self/mountinfo', 'utf8').split('\n');
  traces.push(...mounts.filter((line) => line.includes(folder)).map((line) => `mount ${line}`));
  traces.push(...controlGroups(name), ...processes(folder), ...others(folder));
  return traces;
}

function controlGroups(name: string): string[] {
  const roots = readFileSync('/proc/self/mountinfo', 'utf8')
    .split('\n')
    .filter((line) => / - cgroup2? /.test(line))
    .map((line) => line.split(' ')[4] ?? '');
  return roots
    .map((root) => join(root, name))
    .filter((path) => existsSync(path))
    .map((path) => `control group ${path}`);
}

function processes(folder: string): string[] {
  return readdirSync('/proc')
    .filter((pid) => /^\d+$/.test(pid) && Number(pid) !== process.pid)
    .flatMap((pid) => {
      try {
        const command = readFileSync(`/proc/${pid}/cmdline`, 'utf8').replaceAll('\0', ' ');
        return command.includes(folder) ? [`process ${pid} ${command}`] : [];
      } catch {
        return [];
      }
    });
}

function others(folder: string): string[] {
  const list = (path: string): string[] => (existsSync(path) ? readdirSync(path) : []);
  // What another cluster has just removed is no trace of this one.
  const has = (look: () => boolean): boolean => {
    try {
      return look();
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code === 'ENOENT') return false;
      throw error;
    }
  };
  const cache = '/var/lib/cni/results';
  const results = list(cache).filter((file) =>
    has(() => readFileSync(join(cache, file), 'utf8').includes(folder)),
  );
  const logs = '/var/log/containers';
  const links = list(logs).filter((file) => has(() => readlinkSync(join(logs, file)).startsWith(folder)));
  return [...results, ...links].map((file) => `left file ${file}`);
}
