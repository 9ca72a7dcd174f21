import { type ChildProcess, spawn } from 'node:child_process';
import { closeSync, mkdirSync, openSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { identify, type ProcessIdentity } from './processes.ts';

/** How one long-running program of a cluster is started. */
export interface DaemonOptions {
  env?: Record<string, string>;
  /** Name of the network namespace it runs in; this process's own when left out. */
  netns?: string | undefined;
}

/**
 * Starts the long-running programs of a cluster. Each gets a log file and leaves its pid in the cluster's folder, so
 * that another process can stop the cluster, and none of them ends with the process that started it.
 */
export class Daemons {
  readonly #folder: string;
  readonly #running = new Map<string, ChildProcess>();

  /** @param folder the cluster's folder */
  constructor(folder: string) {
    this.#folder = folder;
    mkdirSync(join(folder, 'pids'), { recursive: true });
    mkdirSync(join(folder, 'logs'), { recursive: true });
  }

  /**
   * Starts a program in the background.
   * @param name names its log file, unique in the cluster
   * @param argv absolute path of the program, and its arguments
   */
  start(name: string, argv: string[], options: DaemonOptions = {}): void {
    const [file = '', ...args] = inNamespace(argv, options.netns);
    const log = openSync(this.logFile(name), 'a');
    const child = spawn(file, args, {
      detached: true,
      stdio: ['ignore', log, log],
      env: { ...process.env, ...options.env },
      cwd: this.#folder,
    });
    closeSync(log);
    // A missing program is told by `ready`, with the log.
    child.on('error', (error) => writeFileSync(this.logFile(name), `${error.message}\n`, { flag: 'a' }));
    child.unref();
    this.#running.set(name, child);
    const identity = child.pid === undefined ? undefined : identify(child.pid);
    if (identity) writeFileSync(join(this.#folder, 'pids', name), JSON.stringify(identity));
  }

  /** Path of a program's log. */
  logFile(name: string): string {
    return join(this.#folder, 'logs', `${name}.log`);
  }

  /**
   * Waits until a program answers.
   * @param name the program
   * @param probe resolves to true once it is ready; what it throws counts as "not yet"
   * @param seconds how long to wait at most
   * @throws Error with the end of the program's log when it ended or never got ready
   */
  async ready(name: string, probe: () => Promise<boolean> | boolean, seconds = 60): Promise<void> {
    const deadline = Date.now() + seconds * 1000;
    let last = '';
    while (Date.now() < deadline) {
      const child = this.#running.get(name);
      if (!child || child.pid === undefined || child.exitCode !== null || child.signalCode !== null) {
        throw new Error(`${name} ended while starting:\n${this.#logTail(name)}`);
      }
      try {
        if (await probe()) return;
      } catch (error) {
        last = error instanceof Error ? error.message : String(error);
      }
      await delay(50);
    }
    throw new Error(
      `${name} was not ready after ${seconds} s (${last || 'no answer'}):\n${this.#logTail(name)}`,
    );
  }

  #logTail(name: string): string {
    return readFileSync(this.logFile(name), 'utf8').split('\n').slice(-25).join('\n');
  }
}

/** Processes that a cluster's folder has on record. @param folder the cluster's folder */
export function recordedProcesses(folder: string): ProcessIdentity[] {
  try {
    const pids = join(folder, 'pids');
    return readdirSync(pids).map(
      (name) => JSON.parse(readFileSync(join(pids, name), 'utf8')) as ProcessIdentity,
    );
  } catch {
    return [];
  }
}

/**
 * The argv that runs a command in a network namespace. Not `ip netns exec`: that mounts a /sys of its own, and the
 * kubelet then finds no cgroups.
 * @param argv program and arguments
 * @param netns name of the namespace; without one the argv comes back as it is
 */
export function inNamespace(argv: string[], netns: string | undefined): string[] {
  return netns === undefined ? argv : ['nsenter', `--net=/run/netns/${netns}`, '--', ...argv];
}
