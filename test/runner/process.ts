import { type ChildProcess, spawn } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';

/** How the program's process is started. */
export interface StartOptions {
  /** The log goes nowhere. */
  readonly quiet?: boolean;
  /** The program is process 1 of a process namespace of its own, as in a container. */
  readonly asInit?: boolean;
}

/** One run of the bundled program. */
export interface StartedRun {
  readonly job: string;
  readonly child: ChildProcess;
  /** Folder that is the pod's root. */
  readonly root: string;
  output(): string;
  /** Resolves once the log matches; rejects when the program ends before. */
  until(pattern: RegExp): Promise<void>;
  /** Resolves once a file is there; rejects when the program ends before. */
  untilFile(file: string): Promise<void>;
  readonly ended: Promise<{ readonly code: number | null; readonly signal: NodeJS.Signals | null }>;
  termination(): string;
}

/** Somebody else than root needs a user namespace for it. */
const NEW_PID_NAMESPACE = [
  'unshare',
  ...(process.getuid?.() === 0 ? [] : ['--user', '--map-root-user']),
  ...['--pid', '--fork', '--mount-proc', '--kill-child'],
];

/** The process that `unshare --fork` has started. */
export function initOf({ child }: StartedRun): number {
  return Number(readFileSync(`/proc/${child.pid}/task/${child.pid}/children`, 'utf8').trim());
}

/**
 * Starts the program.
 * @param program the bundled runner
 * @param root folder that is the pod's root
 * @param job name of the run's Job
 */
export function startProgram(
  program: string,
  root: string,
  job: string,
  options: StartOptions,
  env: Readonly<Record<string, string | undefined>>,
): StartedRun {
  const command = [process.execPath, program, `--root=${root}`];
  const [file = '', ...args] = options.asInit === true ? [...NEW_PID_NAMESPACE, ...command] : command;
  const child = spawn(file, args, {
    env: env as NodeJS.ProcessEnv,
    stdio: ['ignore', options.quiet === true ? 'ignore' : 'pipe', 'pipe'],
  });
  let output = '';
  const waiting = new Set<() => void>();
  for (const stream of [child.stdout, child.stderr]) {
    stream?.setEncoding('utf8').on('data', (text: string) => {
      output += text;
      for (const look of waiting) {
        look();
      }
    });
  }
  const ended = new Promise<{ code: number | null; signal: NodeJS.Signals | null }>((resolve) => {
    child.on('close', (code, signal) => resolve({ code, signal }));
  });
  return {
    job,
    child,
    root,
    ended,
    output: () => output,
    until: (pattern) =>
      new Promise((resolve, reject) => {
        const look = (): void => {
          if (pattern.test(output)) {
            waiting.delete(look);
            resolve();
          }
        };
        waiting.add(look);
        void ended.then(() => reject(new Error(`the program ended without saying ${pattern}:\n${output}`)));
        look();
      }),
    untilFile: async (file) => {
      while (!existsSync(file)) {
        if (child.exitCode !== null || child.signalCode !== null) {
          throw new Error(`the program ended before there was ${file}:\n${output}`);
        }
        await sleep(50);
      }
    },
    termination: () => {
      const file = join(root, 'dev/termination-log');
      return existsSync(file) ? readFileSync(file, 'utf8') : '';
    },
  };
}
