import type { JobFacts } from './ports/index.ts';

/** Kept of a stop's time for writing down what happened, but at most half of it. */
const RESERVE_MS = 20_000;

/** The longest delay Node's timers take. */
const LONGEST_TIMER_MS = 2 ** 31 - 1;

/** The last point in time that a Date can be; a Job may have a later deadline. */
const LATEST_DATE_MS = 8.64e15;

/** The run's own deadline: it ends itself, and says where it was, before Kubernetes ends it without a word. */
export interface Deadline {
  readonly at: Date;
  /** What is left then before Kubernetes ends the pod, in milliseconds. */
  readonly marginMs: number;
}

/**
 * Job.status.startTime + activeDeadlineSeconds - min(grace, activeDeadlineSeconds / 4); null for a Job without one.
 * @param began counts as the Job's start while its controller has not written one
 */
export function deadlineOf(job: JobFacts, began: Date): Deadline | null {
  if (job.activeDeadlineSeconds === null) {
    return null;
  }
  const start = job.startTime === null ? began.getTime() : Date.parse(job.startTime);
  const marginMs = Math.min(job.graceSeconds, job.activeDeadlineSeconds / 4) * 1000;
  const at = Math.min(start + job.activeDeadlineSeconds * 1000 - marginMs, LATEST_DATE_MS);
  return { at: new Date(at), marginMs };
}

/**
 * How long children may take to stop, of the time that is left at all: the rest is for writing.
 * @param availableMs time until the pod is killed
 */
export const stopGraceMs = (availableMs: number): number =>
  Math.max(availableMs - RESERVE_MS, availableMs / 2);

/**
 * How long a step may take to come back once its child has had its time: validation then still writes its verdict.
 * What remains is for the run's own last writes.
 * @param availableMs time until the pod is killed
 */
export const returnMs = (availableMs: number): number => (availableMs - stopGraceMs(availableMs)) / 2;

/**
 * Calls back when a point in time comes, at once when it has passed.
 * @returns takes the alarm back
 */
export function alarmAt(at: Date, now: () => Date, ring: () => void): () => void {
  let timer: NodeJS.Timeout;
  const wait = (): void => {
    const left = Math.max(0, at.getTime() - now().getTime());
    // A longer delay would ring at once.
    timer = left > LONGEST_TIMER_MS ? setTimeout(wait, LONGEST_TIMER_MS) : setTimeout(ring, left);
  };
  wait();
  return () => clearTimeout(timer);
}
