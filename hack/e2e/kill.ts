import { readdir, readFile } from 'node:fs/promises';
import type { Pod } from './job.ts';

/**
 * Kills every process of a pod with SIGKILL, as the kernel does without memory. Its processes are this machine's: the
 * node is no other one, with kind neither.
 * @throws Error when it has none
 */
export async function killHard(pod: Pod): Promise<void> {
  // systemd's control groups have underscores there.
  const names = [pod.metadata.uid, pod.metadata.uid.replaceAll('-', '_')];
  const found: number[] = [];
  for (const entry of await readdir('/proc')) {
    if (!/^\d+$/.test(entry)) continue;
    const groups = await readFile(`/proc/${entry}/cgroup`, 'utf8').catch(() => '');
    if (names.some((name) => groups.includes(name))) found.push(Number(entry));
  }
  let killed = 0;
  // All at once: one that outlived another could still say how that one ended.
  for (const pid of found) {
    try {
      process.kill(pid, 'SIGKILL');
      killed += 1;
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'ESRCH') throw error;
    }
  }
  if (killed === 0) throw new Error(`pod ${pod.metadata.name} has no process on this machine`);
}
