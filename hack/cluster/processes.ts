import { readdirSync, readFileSync } from 'node:fs';

/** A process and the moment it started (clock ticks since boot): a pid alone may have been given to another. */
export interface ProcessIdentity {
  pid: number;
  started: string;
}

/** Identity of a running process, or undefined when there is none (a zombie counts as none). */
export function identify(pid: number): ProcessIdentity | undefined {
  const fields = statFields(pid);
  if (fields === undefined || fields[0] === 'Z' || fields[0] === 'X') return undefined;
  return { pid, started: fields[19] ?? '' };
}

/** Tells whether exactly this process still runs. */
export function isAlive(process: ProcessIdentity): boolean {
  return identify(process.pid)?.started === process.started;
}

/** Pids of running processes whose command line holds a text. */
export function findByCommandLine(text: string): number[] {
  return allPids().filter((pid) => {
    try {
      return readFileSync(`/proc/${pid}/cmdline`, 'utf8').includes(text);
    } catch {
      return false;
    }
  });
}

/** A process and everything below it, parents first. */
export function withDescendants(roots: number[]): number[] {
  const children = new Map<number, number[]>();
  for (const pid of allPids()) {
    const parent = Number(statFields(pid)?.[1] ?? 0);
    children.set(parent, [...(children.get(parent) ?? []), pid]);
  }
  const found: number[] = [];
  const walk = (pid: number): void => {
    if (found.includes(pid)) return;
    found.push(pid);
    for (const child of children.get(pid) ?? []) walk(child);
  };
  for (const pid of roots) walk(pid);
  return found;
}

/**
 * Kills processes at once and waits until they are gone. Synchronous, because it also runs while Node exits.
 * @param victims processes; those that ended meanwhile are left alone
 * @returns the ones that were still there after ten seconds
 */
export function killAll(victims: ProcessIdentity[]): ProcessIdentity[] {
  for (const victim of victims) {
    if (!isAlive(victim)) continue;
    try {
      process.kill(victim.pid, 'SIGKILL');
    } catch {
      // It ended between the look and the kill.
    }
  }
  const deadline = Date.now() + 10_000;
  let left = victims.filter(isAlive);
  while (left.length > 0 && Date.now() < deadline) {
    sleep(20);
    left = left.filter(isAlive);
  }
  return left;
}

/** Blocks this thread. @param milliseconds how long */
export function sleep(milliseconds: number): void {
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, milliseconds);
}

function allPids(): number[] {
  return readdirSync('/proc').map(Number).filter(Number.isInteger);
}

/** Fields of /proc/PID/stat from the third on; the second, the name, may hold spaces and brackets. */
function statFields(pid: number): string[] | undefined {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
    return stat.slice(stat.lastIndexOf(')') + 2).split(' ');
  } catch {
    return undefined;
  }
}
