/** The run's log: one line a fact, a prefix a step, secrets masked. */
export interface Log {
  info(message: string): void;
  warn(message: string): void;
  error(message: string): void;
  /** One line of a child's output, as it came. */
  child(line: string): void;
}

/** Makes the logs of a run: one for the run itself, one for each step. */
export type LogFor = (prefix: string) => Log;

/**
 * A log for people: `02:43:12 deploy     text`; a child's lines stand behind a bar, so that one sees who speaks.
 * @param write takes a whole line with its line end
 * @param mask hides secrets
 * @param now for the time of day, in UTC
 */
export function createLog(
  write: (line: string) => void,
  mask: (text: string) => string,
  now: () => Date,
): LogFor {
  let second = 0;
  let time = '';
  /** Time of day; made anew once a second, as a child may print a million lines in one. */
  const timeOf = (date: Date): string => {
    const current = Math.floor(date.getTime() / 1000);
    if (current !== second) {
      second = current;
      time = date.toISOString().slice(11, 19);
    }
    return time;
  };
  return (prefix) => {
    const put = (mark: string, text: string): void => {
      const at = timeOf(now());
      for (const line of mask(text).split('\n')) {
        write(`${at} ${prefix.padEnd(8)} ${mark}${line}\n`);
      }
    };
    return {
      info: (message) => put('', message),
      warn: (message) => put('WARN: ', message),
      error: (message) => put('ERROR: ', message),
      child: (line) => put('| ', line),
    };
  };
}
