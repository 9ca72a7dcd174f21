/** What aicr's exit codes mean (pkg/errors and pkg/cli of aicr v1). */
const MEANINGS: Readonly<Record<number, string>> = {
  1: 'an unknown or missing flag, or an unclassified failure',
  2: 'the request is invalid',
  3: 'something it needs was not found',
  4: 'unauthorized, or an integrity check failed',
  5: 'a timeout',
  6: 'a service it needs is unavailable',
  7: 'rate limited',
  8: 'an internal failure',
  9: 'it was interrupted',
};

/**
 * Puts an exit code into words: `exit code 6: a service it needs is unavailable`.
 * @param exitCode null when a signal ended the process
 */
export function describeExit(exitCode: number | null, signal: string | null): string {
  if (exitCode === null)
    return signal === 'SIGKILL' ? 'killed (SIGKILL; out of memory?)' : `ended by ${signal}`;
  const meaning = MEANINGS[exitCode];
  return meaning === undefined ? `exit code ${exitCode}` : `exit code ${exitCode}: ${meaning}`;
}

/** How many lines the message may go over; aicr's longest lists of combinations stay on one. */
const MOST_LINES = 20;

/**
 * Finds aicr's own words for its failure in what it wrote: the final `command failed: error=… exitCode=N` record, as
 * text or as JSON (AICR_LOG_JSON), or the complaint about a flag, or else the last line.
 * @param lines stderr and stdout, oldest first
 * @returns the message; empty when aicr wrote nothing
 */
export function failureMessage(lines: readonly string[]): string {
  const written = lines.map((line) => stripColours(line).trimEnd()).filter((line) => line !== '');
  return (
    textRecord(written) ?? jsonRecord(written) ?? usageComplaint(written) ?? written.at(-1)?.trim() ?? ''
  );
}

function textRecord(lines: readonly string[]): string | undefined {
  const start = lines.findLastIndex((line) => /^\[[^\]]*\] command failed: /.test(line));
  if (start < 0) return undefined;
  const record = lines.slice(start, start + MOST_LINES).join('\n');
  return /(?<=command failed: error=)[\s\S]*?(?= exitCode=\d|$)/.exec(record)?.[0].trim();
}

function jsonRecord(lines: readonly string[]): string | undefined {
  for (const line of lines.toReversed()) {
    if (!line.startsWith('{')) continue;
    const error = errorOf(line);
    if (error !== undefined) return error;
  }
  return undefined;
}

/** @param line one that begins with a brace: it is an object, or no JSON */
function errorOf(line: string): string | undefined {
  let record: { readonly error?: unknown } = {};
  try {
    record = JSON.parse(line) as typeof record;
  } catch {
    // It only begins like JSON.
  }
  return typeof record.error === 'string' && record.error !== '' ? record.error : undefined;
}

const usageComplaint = (lines: readonly string[]): string | undefined =>
  lines.find((line) => /^Incorrect Usage: |flag provided but not defined|^Required flag/i.test(line))?.trim();

// biome-ignore lint/suspicious/noControlCharactersInRegex: that is how colours begin
const stripColours = (line: string): string => line.replace(/\u001b\[[0-9;]*[A-Za-z]/g, '');
