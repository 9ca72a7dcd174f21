import { once } from 'node:events';
import { createWriteStream, type WriteStream } from 'node:fs';
import { setTimeout as wait } from 'node:timers/promises';
import { execa } from 'execa';
import { RunError } from '../../contract/index.ts';
import type { Command, CommandResult, Commands } from './commands.ts';
import { findExecutable } from './executable.ts';
import { stopOnAbort } from './group.ts';
import { createLineSplitter } from './lines.ts';

/** What no child inherits, wherever it came from (job.extraEnvFrom): the one that needs it is given it. */
const NOT_INHERITED: Readonly<Record<string, undefined>> = { COSIGN_IDENTITY_TOKEN: undefined };

/** Lines kept of a child's output. */
const TAIL_LINES = 40;

/** After a program has ended: how long its output may be silent before it counts as over, and leftovers may take to stop. */
const DRAIN_MS = 2000;

/** The same for an output that never falls silent: something in the background goes on writing. */
const LONGEST_DRAIN_MS = 10_000;

export interface ChildOptions {
  /** Hides secrets in output lines. */
  readonly mask: (text: string) => string;
  /** Asked after each piece of output: until what it gives resolves, no more is read, and the child has to wait. */
  readonly busy: () => Promise<void> | null;
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
  const env = { ...process.env, ...NOT_INHERITED, ...command.env };
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
  const outputs = (['stdout', 'stderr'] as const).map((name) =>
    readLines(child[name], options, (line) => {
      tail.push(line);
      if (tail.length > TAIL_LINES) {
        tail.shift();
      }
      command.onLine?.(line, name);
    }),
  );
  const ended =
    child.exitCode === null && child.signalCode === null ? once(child, 'exit') : Promise.resolve();
  const stop = stopOnAbort(group, signal, options.stopGraceMs);
  await ended;
  await Promise.all(outputs.map((output) => output.drained()));
  await stop.finish(DRAIN_MS);
  for (const output of outputs) {
    output.close();
  }
  signal.throwIfAborted();
  return { exitCode: child.exitCode, signal: child.signalCode, tail };
}

/** One of a child's outputs. */
interface Output {
  /** Resolves at its end, or after a while: a process in the background may hold it open, and write, for ever. */
  drained(): Promise<void>;
  /** Gives out a last line that has no end, and stops reading. */
  close(): void;
}

/** @param stream null when the output goes elsewhere */
function readLines(
  stream: (NodeJS.ReadableStream & { destroy?(): void }) | null,
  { mask, busy }: Pick<ChildOptions, 'mask' | 'busy'>,
  onLine: (line: string) => void,
): Output {
  if (stream === null) {
    return { drained: async () => {}, close: () => {} };
  }
  const splitter = createLineSplitter(mask, onLine);
  let pieces = 0;
  let held: Promise<void> | null = null;
  stream.on('data', (chunk: Uint8Array) => {
    pieces += 1;
    splitter.write(chunk);
    held = busy();
    if (held !== null) {
      stream.pause();
      void held.then(() => {
        held = null;
        stream.resume();
      });
    }
  });
  const end = new Promise<'end'>((resolve) => {
    for (const event of ['end', 'close', 'error']) {
      stream.once(event, () => resolve('end'));
    }
  });
  return {
    drained: async () => {
      const until = performance.now() + LONGEST_DRAIN_MS;
      for (let before = -1; before !== pieces && performance.now() < until; ) {
        // What is held up is not silent.
        await held;
        before = pieces;
        if ((await Promise.race([end, wait(DRAIN_MS, 'silent', { ref: false })])) === 'end') {
          return;
        }
      }
    },
    close: () => {
      stream.destroy?.();
      splitter.end();
    },
  };
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
