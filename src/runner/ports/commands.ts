/** One child process. There is no shell: argv reaches the program as it is. */
export interface Command {
  /** Program (a path, or a name looked up in PATH) and its arguments. */
  readonly argv: readonly [string, ...string[]];
  readonly cwd?: string;
  /** Added to the runner's own environment; undefined removes a variable. An identity token is never inherited. */
  readonly env?: Readonly<Record<string, string | undefined>>;
  /** Called for each whole output line, already masked, without its line end. Output is streamed, never collected. */
  readonly onLine?: (line: string, stream: 'stdout' | 'stderr') => void;
  /** Stdout goes into this file, byte for byte, instead of to onLine. */
  readonly stdoutFile?: string;
}

export interface CommandResult {
  /** Null when a signal ended the process. */
  readonly exitCode: number | null;
  /** Null when the process exited by itself. */
  readonly signal: NodeJS.Signals | null;
  /** Last 40 lines of stdout and stderr together, masked, oldest first. */
  readonly tail: readonly string[];
}

/** Starts child processes, each in a process group of its own. */
export interface Commands {
  /**
   * Runs a command to its end. When the signal aborts, the whole process group gets SIGTERM, is waited for, and gets
   * SIGKILL when it has not ended within the stop grace; then the promise rejects with the abort reason.
   * A program that cannot be started rejects with RunError `ToolMissing` or, for the CPU kind, a noexec
   * mount or a broken file, `BinaryNotRunnable`.
   */
  run(command: Command, signal: AbortSignal): Promise<CommandResult>;
}
