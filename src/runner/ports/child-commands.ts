import { once } from 'node:events';
import { createWriteStream, type WriteStream } from 'node:fs';
import { setTimeout as wait } from 'node:timers/promises';
import { execa } from 'execa';
import { RunError } from '../../contract/index.ts';
import type { Command, CommandResult, Commands } from './commands.ts';
import { findExecutable } from './executable.ts';
import { groupLives, signalGroup } from './group.ts';
import { createLineSplitter } from './lines.ts';

/** Lines kept of a child's output. */
const TAIL_LINES = 40;

/** How long output may still come after the program itself has ended, and its leftovers may live. */
const DRAIN_MS = 2000;

const POLL_MS = 50;

export interface ChildOptions {
  /** Hides secrets in output lines. */
  readonly mask: (text: string) => string;
  /** Milliseconds between SIGTERM and SIGKILL; asked when a stop begins. */
  readonly stopGraceMs: () => number;
}

/** Child processes of this process, each leader of a process group. */
export function createCommands(options: ChildOptions): Commands {
  return { run: (command, signal) => run(command, signal, options) };
}

async function run(command: Command, signal: AbortSignal, options: ChildOptions): Promise<CommandResult> {
  signal.throwIfAborted();
  const [name, ...args] = command.argv;
  const env = { ...process.env, ...command.env };
  const file = await findExecutable(name, env['PATH'] ?? '', command.cwd ?? process.cwd());
  signal.throwIfAborted();

  const stdoutFile = command.stdoutFile === undefined ? null : await openForWriting(command.stdoutFile);
  try {
    const child = execa(file, args, {
      cwd: command.cwd ?? process.cwd(),
      env,
      extendEnv: false,
      // A group of its own: one signal reaches all that it starts, and a signal to the runner does not.
      detached: true,
      cleanup: false,
      // Streamed, never collected: output may be hundreds of megabytes.
      buffer: false,
      reject: false,
      stdin: 'ignore',
      // The child writes into the file itself.
      stdout: stdoutFile ?? 'pipe',
      stderr: 'pipe',
    });
    if (child.pid === undefined) {
      throw cannotStart(file, await child);
    }
    return await follow(child as Started, child.pid, command, signal, options);
  } finally {
    stdoutFile?.destroy();
  }
}

/** A stream whose file descriptor a child can take over. */
async function openForWriting(file: string): Promise<WriteStream> {
  const stream = createWriteStream(file);
  await once(stream, 'open');
  return stream;
}

/** The part of execa's subprocess that is used. */
interface Started extends NodeJS.EventEmitter {
  readonly stdout: NodeJS.ReadableStream | null;
  readonly stderr: NodeJS.ReadableStream | null;
  readonly exitCode: number | null;
  readonly signalCode: NodeJS.Signals | null;
}

/** Reads the output and waits for the end, or brings it about when the signal aborts. */
async function follow(
  child: Started,
  group: number,
  command: Command,
  signal: AbortSignal,
  options: ChildOptions,
): Promise<CommandResult> {
  const tail: string[] = [];
  const streams = (['stdout', 'stderr'] as const).map((name) => {
    const stream = child[name];
    const splitter = createLineSplitter(options.mask, (line) => {
      tail.push(line);
      if (tail.length > TAIL_LINES) {
        tail.shift();
      }
      command.onLine?.(line, name);
    });
    const read = stream === null ? Promise.resolve() : readAll(stream, splitter.write);
    return { stream, splitter, read };
  });
  const ended =
    child.exitCode === null && child.signalCode === null ? once(child, 'exit') : Promise.resolve();

  const stopped = stopOnAbort(group, ended, signal, options.stopGraceMs);
  try {
    await ended;
    // A grandchild that was put in the background may hold the pipes open for ever.
    await Promise.race([
      Promise.all(streams.map((each) => each.read)),
      wait(DRAIN_MS, undefined, { ref: false }),
    ]);
  } finally {
    await stopped.finish();
    for (const { stream, splitter } of streams) {
      (stream as { destroy?: () => void } | null)?.destroy?.();
      splitter.end();
    }
  }
  signal.throwIfAborted();
  return { exitCode: child.exitCode, signal: child.signalCode, tail };
}

async function readAll(stream: NodeJS.ReadableStream, take: (chunk: Uint8Array) => void): Promise<void> {
  stream.on('data', take);
  await new Promise<void>((resolve) => {
    stream.once('end', resolve);
    stream.once('close', resolve);
    stream.once('error', () => resolve());
  });
}

/**
 * Ends the process group when the signal aborts: SIGTERM, the grace, SIGKILL. `finish` resolves when nothing of the
 * group lives any more; what a program leaves behind when it ends by itself is ended as well, as nothing of a step
 * may work on while the next one runs.
 */
function stopOnAbort(
  group: number,
  ended: Promise<unknown>,
  signal: AbortSignal,
  stopGraceMs: () => number,
): { finish(): Promise<void> } {
  let stopping: Promise<void> | null = null;
  const onAbort = (): void => {
    stopping ??= stopGroup(group, stopGraceMs());
  };
  signal.addEventListener('abort', onAbort, { once: true });
  if (signal.aborted) {
    onAbort();
  }
  return {
    finish: async () => {
      await ended;
      signal.removeEventListener('abort', onAbort);
      stopping ??= groupLives(group) ? stopGroup(group, DRAIN_MS) : Promise.resolve();
      await stopping;
    },
  };
}

async function stopGroup(group: number, graceMs: number): Promise<void> {
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

/** Turns the reason why the kernel did not start a program into an error of ours. */
function cannotStart(
  file: string,
  failure: { code?: string | undefined; originalMessage?: string | undefined },
): RunError {
  const code = failure.code ?? failure.originalMessage ?? 'unknown reason';
  switch (failure.code) {
    case 'ENOENT':
      // The file is there: findExecutable has seen it. What is absent is what starts it.
      return new RunError(
        'ToolMissing',
        `${file} does not start: the interpreter or loader it names is not in the image`,
        {
          hint: 'Use a runtimeImage that has it (bash for scripts, a C library for programs that are not static).',
          cause: failure,
        },
      );
    case 'EACCES':
    case 'ENOEXEC':
    case 'EPERM':
      return new RunError('BinaryNotRunnable', `${file} does not start: ${code}`, {
        hint: 'Check that the folder is not mounted noexec, that the file is executable, and that it is built for this CPU.',
        cause: failure,
      });
    case 'E2BIG':
      return new RunError(
        'RunSpecInvalid',
        `${file} does not start: its arguments and environment are too long`,
        {
          hint: 'Shorten the *Args and *Flags values and job.extraEnv.',
          cause: failure,
        },
      );
    default:
      return new RunError('Internal', `${file} does not start: ${code}`, {
        hint: 'Run it again; report it when it stays.',
        cause: failure,
      });
  }
}
