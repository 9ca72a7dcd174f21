import { EXIT_CODES } from '../../contract/index.ts';

/** What a container left as its termination message. */
export interface LastWords {
  /** What the installer said of its end; null when it said nothing, or was killed. */
  readonly end: { reason: string; message: string; hint: string; rerun: string } | null;
  /** What is neither that nor a log. */
  readonly text: string;
  /** The last lines of the child that failed, or the end of the log. */
  readonly logTail: readonly string[];
}

/** As many lines as the status document holds. */
const MOST_LINES = 40;

/** The parts of the installer's own termination message, behind its reason. */
const PARTS =
  /^([\s\S]*?)(?:\nWhat to do: ([\s\S]*?))?(?:\nRun again: ([^\n]*))?(?:\nLast lines:\n([\s\S]*))?$/;

/**
 * Takes a termination message apart. The installer begins its own with the reason that its exit code stands for; when
 * it was killed the kubelet takes the end of the log, and cuts that anywhere.
 */
export function lastWords(message: string, exitCode: number): LastWords {
  const said = message.trim();
  const [reason] = Object.entries(EXIT_CODES).find(([, code]) => code === exitCode) ?? [];
  if (reason !== undefined && said.startsWith(`${reason}: `)) {
    const [, what = '', hint = '', rerun = '', tail = ''] = PARTS.exec(said.slice(reason.length + 2)) ?? [];
    return { end: { reason, message: what, hint, rerun }, text: '', logTail: linesOf(tail) };
  }
  const lines = said.split('\n');
  const first = lines.findIndex((line) => /^\d\d:\d\d:\d\d /.test(line));
  if (first < 0) return { end: null, text: said, logTail: [] };
  return { end: null, text: '', logTail: lines.slice(first).slice(-MOST_LINES) };
}

const linesOf = (text: string): readonly string[] => (text === '' ? [] : text.split('\n').slice(-MOST_LINES));
