import { readdirSync, readFileSync } from 'node:fs';

/**
 * Tells whether a process group has a living member. Zombies do not count: as process 1 of the container Node is the
 * new parent of orphaned grandchildren and does not reap them, and kill(2) finds them for ever. They hold nothing but
 * a process number and go with the container.
 */
export function groupLives(group: number): boolean {
  for (const entry of readdirSync('/proc')) {
    if (/^\d+$/.test(entry) && isMember(entry, group)) {
      return true;
    }
  }
  return false;
}

function isMember(pid: string, group: number): boolean {
  let stat: string;
  try {
    stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
  } catch {
    return false;
  }
  // proc(5): pid (name) state parent group …; the name may hold blanks and brackets.
  const [state, , processGroup] = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
  return Number(processGroup) === group && state !== 'Z' && state !== 'X';
}

/** Sends a signal to a process group; one that is gone is no error. */
export function signalGroup(group: number, signal: NodeJS.Signals): void {
  try {
    process.kill(-group, signal);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ESRCH') {
      throw error;
    }
  }
}
