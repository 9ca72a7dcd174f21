import type { RunStatus } from '../contract/index.ts';
import { cutBytes } from './ports/index.ts';

/** The kubelet keeps no more of a container's termination message (https://kubernetes.io/docs/tasks/debug/debug-application/determine-reason-pod-failure/). */
export const LONGEST_MESSAGE = 4096;

/** What hint and rerun line may take of it. */
const LONGEST_ADVICE = 700;

/**
 * The termination message of a run: what `kubectl describe pod` shows. On failure the reason first, then what to do,
 * how to run again, and the last output lines as far as they fit; on success one line, and what was warned of.
 * @param status as shown, that is masked
 * @returns at most 4096 bytes of UTF-8
 */
export function terminationMessage(status: RunStatus): string {
  return status.reason === '' ? successMessage(status) : failureMessage(status);
}

function successMessage(status: RunStatus): string {
  const overlay = status.recipe.overlays.at(-1);
  const what = `aicr ${status.aicr.version}${overlay === undefined ? '' : `, recipe ${overlay}`}`;
  const warnings = status.warnings.map((warning) => `Warning: ${warning}`);
  const lines = [`${status.phase}: ${status.message} (${what})`, ...warnings];
  return cutBytes(lines.join('\n'), LONGEST_MESSAGE);
}

function failureMessage(status: RunStatus): string {
  const advice = [
    ...(status.hint === '' ? [] : [`What to do: ${cutBytes(status.hint, LONGEST_ADVICE)}`]),
    ...(status.rerun === '' ? [] : [`Run again: ${cutBytes(status.rerun, LONGEST_ADVICE)}`]),
  ];
  const adviceBytes = advice.reduce((sum, line) => sum + bytes(line) + 1, 0);
  const first = cutBytes(`${status.reason}: ${status.message}`, LONGEST_MESSAGE - adviceBytes);
  const lines = [first, ...advice];
  const room = LONGEST_MESSAGE - bytes(lines.join('\n')) - bytes('\nLast lines:');
  const tail = lastThatFit(status.logTail, room);
  return [...lines, ...(tail.length === 0 ? [] : ['Last lines:', ...tail])].join('\n');
}

/** The last lines that fit into a number of bytes, each with its line end. */
function lastThatFit(lines: readonly string[], room: number): string[] {
  const fitting: string[] = [];
  let left = room;
  for (const line of [...lines].reverse()) {
    left -= bytes(line) + 1;
    if (left < 0) {
      break;
    }
    fitting.unshift(line);
  }
  return fitting;
}

const bytes = (text: string): number => Buffer.byteLength(text);
