import { readdirSync, readFileSync } from 'node:fs';
import { setTimeout as wait } from 'node:timers/promises';

const POLL_MS = 50;

/**
 * Tells whether a process group has a living member. Zombies do not count: as process 1 of the container Node is the
 * new parent of orphaned grandchildren and does not reap them, and kill(2) finds them for ever. They hold nothing but
 * a process number and go with the container.
 */
function groupLives(group: number): boolean {
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
function signalGroup(group: number, signal: NodeJS.Signals): void {
  try {
    process.kill(-group, signal);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ESRCH') {
      throw error;
    }
  }
}

/**
 * Ends a process group when the signal aborts: SIGTERM, the grace, SIGKILL.
 * @param graceMs asked when the stop begins
 */
export function stopOnAbort(
  group: number,
  signal: AbortSignal,
  graceMs: () => number,
): {
  /**
   * To be called when the group's leader has ended; resolves when nothing of the group lives any more. What a program
   * leaves behind when it ends by itself is ended as well: nothing of a step may work on while the next one runs.
   */
  finish(leftoverGraceMs: number): Promise<void>;
} {
  let stopping: Promise<void> | null = null;
  const onAbort = (): void => {
    stopping ??= stop(group, graceMs());
  };
  signal.addEventListener('abort', onAbort, { once: true });
  if (signal.aborted) {
    onAbort();
  }
  return {
    finish: async (leftoverGraceMs) => {
      signal.removeEventListener('abort', onAbort);
      stopping ??= groupLives(group) ? stop(group, leftoverGraceMs) : Promise.resolve();
      await stopping;
    },
  };
}

async function stop(group: number, graceMs: number): Promise<void> {
  const until = performance.now() + graceMs;
  signalGroup(group, 'SIGTERM');
  while (groupLives(group)) {
    if (performance.now() >= until) {
      signalGroup(group, 'SIGKILL');
      return;
    }
    await wait(POLL_MS);
  }
}
