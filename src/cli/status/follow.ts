import type { RunStatus } from '../../contract/index.ts';
import type { Seen } from './judge.ts';
import { ClusterFailure } from './kubectl.ts';
import { duration, timeOfDay } from './time.ts';

/** How often the cluster is asked. */
const POLL_MS = 2000;

/** How long the cluster may not answer while a run is followed: an API server that restarts. */
const LONGEST_SILENCE_MS = 120_000;

/** What following works with. */
export interface Following {
  /** Reads how the run stands. */
  readonly read: () => Promise<Seen>;
  readonly say: (line: string) => void;
  readonly sleep: (milliseconds: number) => Promise<void>;
  /** Milliseconds, of a clock that does not jump. */
  readonly now: () => number;
}

/**
 * Says what changes, line by line, until the run has ended.
 * @returns how it ended
 * @throws ClusterFailure when the cluster does not answer for two minutes, or at the first time
 */
export async function follow({ read, say, sleep, now }: Following): Promise<Seen> {
  let last: RunStatus | null = null;
  let silentSince: number | null = null;
  for (;;) {
    try {
      const seen = await read();
      silentSince = null;
      for (const line of changes(last, seen.status)) say(line);
      if (seen.exit !== 2) return seen;
      last = seen.status;
    } catch (error) {
      if (!(error instanceof ClusterFailure) || last === null) throw error;
      if (silentSince === null) say(`the cluster does not answer, which is tried again: ${error.message}`);
      silentSince ??= now();
      if (now() - silentSince > LONGEST_SILENCE_MS) throw error;
    }
    await sleep(POLL_MS);
  }
}

/** What has changed between two states of a release's newest run, a line each. */
export function changes(before: RunStatus | null, status: RunStatus): readonly string[] {
  const last = before?.job.name === status.job.name ? before : null;
  const at = timeOfDay(status.updatedAt);
  const lines: string[] = last === null ? [`run ${status.job.name}`] : [];
  for (const step of status.steps) {
    const was = last?.steps.find(({ name }) => name === step.name);
    if (step.state === 'Pending' || (was?.state === step.state && was.attempts === step.attempts)) continue;
    const took = step.finishedAt === '' ? '' : ` after ${duration(step.startedAt, step.finishedAt)}`;
    lines.push(`step ${step.name}: ${step.state}${took}: ${step.message || step.does}`);
  }
  for (const { index, of, name, state, attempts } of status.components) {
    const was = last?.components.find((each) => each.index === index);
    if (was?.state === state && was.attempts === attempts) continue;
    lines.push(
      `component ${index} of ${of}, ${name}: ${state}${attempts > 1 ? `, attempt ${attempts}` : ''}`,
    );
  }
  const known = last?.warnings ?? [];
  for (const warning of status.warnings.filter((each) => !known.includes(each)))
    lines.push(`warning: ${warning}`);
  if (last?.phase !== status.phase || lines.length === 0) {
    const reason = status.reason === '' ? '' : ` (${status.reason})`;
    if (last?.phase !== status.phase || last.message !== status.message) {
      lines.push(`${status.phase}${reason}: ${status.message}`);
    }
  }
  return lines.map((line) => `${at} ${line}`);
}
