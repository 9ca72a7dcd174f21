import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import type { Cluster } from './cluster.ts';
import { Daemons } from './daemons.ts';
import { isAlive, killAll, type ProcessIdentity } from './processes.ts';

/** How long a program may take to end by itself. */
const STOP_MS = 20_000;

/**
 * Stops one of the long-running programs of a cluster of components, as its node's service manager would.
 * @param name of its log file: `kube-apiserver`, `kubelet`
 * @returns what starts it again, with the same arguments
 * @throws Error when it does not run
 */
export async function stopDaemon(
  { folder, netns }: Pick<Cluster, 'folder' | 'netns'>,
  name: string,
): Promise<() => Promise<void>> {
  const running = JSON.parse(readFileSync(join(folder, 'pids', name), 'utf8')) as ProcessIdentity;
  if (!isAlive(running)) throw new Error(`${name} does not run`);
  // Its own command line: what enters the network namespace has become it.
  const argv = readFileSync(`/proc/${running.pid}/cmdline`, 'utf8').split('\0').slice(0, -1);
  process.kill(running.pid, 'SIGTERM');
  const deadline = Date.now() + STOP_MS;
  while (isAlive(running) && Date.now() < deadline) await delay(100);
  killAll([running]);
  return async () => new Daemons(folder).start(name, argv, { netns });
}
