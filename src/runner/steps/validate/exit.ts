/** How `aicr validate` ended. */
export interface Ending {
  /** Null when a signal ended it. */
  readonly exitCode: number | null;
  readonly signal: string | null;
}

/**
 * Meanings of the exit codes, by whether a report was written before: a check that fails and a fault of aicr share
 * code 8, a missed readiness constraint and refused evidence share code 2 (pkg/cli/validate.go of aicr).
 */
const WITHOUT_REPORT: Readonly<Record<number, string>> = {
  1: 'it does not know an argument, or failed without saying how',
  2: 'the cluster misses a readiness constraint, or an input was refused; no check ran',
  3: 'something it was told to use was not found',
  4: 'it was not let in, or an integrity check failed',
  5: 'a timeout',
  6: 'a service it needs did not answer',
  7: 'a service it needs limits the rate of requests',
  8: 'it failed before there was a verdict',
  9: 'it was interrupted',
  126: 'it does not start',
};
const WITH_REPORT: Readonly<Record<number, string>> = {
  ...WITHOUT_REPORT,
  2: 'the checks ran, but what came after them (the evidence bundle) was refused',
  8: 'checks failed or came to no conclusion',
};

/**
 * Puts the end of `aicr validate` into words: `exit code 8: checks failed or came to no conclusion`.
 * @param hasReport whether it left a report that can be read
 */
export function explainExit({ exitCode, signal }: Ending, hasReport: boolean): string {
  if (exitCode === null)
    return signal === 'SIGKILL' ? 'killed (SIGKILL; out of memory?)' : `ended by ${signal}`;
  const meaning = (hasReport ? WITH_REPORT : WITHOUT_REPORT)[exitCode];
  return meaning === undefined ? `exit code ${exitCode}` : `exit code ${exitCode}: ${meaning}`;
}
