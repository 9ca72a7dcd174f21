/** The run's log: one line a fact, a prefix a step, secrets masked. */
export interface Log {
  info(message: string): void;
  warn(message: string): void;
  error(message: string): void;
  /** One line of a child's output, as it came. */
  child(line: string): void;
}
