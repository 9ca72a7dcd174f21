import { RunError, type RunSpec, rerunLine, type StepName } from '../contract/index.ts';
import type { RunEnd } from './status/index.ts';
import { DISK_FULL_HINT, isDiskFull, type StepOutcome } from './steps/index.ts';

/** What came of one step. */
export interface StepEnd {
  readonly step: StepName;
  readonly outcome: StepOutcome;
}

/** Steps that a run is about; the others are only on the way to them. With what their messages speak of. */
const TOLD: Partial<Record<StepName, string>> = {
  deploy: '',
  validate: 'validation: ',
  publish: '',
};

/**
 * How a run ends that took all its steps. Its message is that of the steps with failures, or else of those that the
 * run is about.
 * @param ends of the steps, in their order
 */
export function endOfSuccess(spec: RunSpec, ends: readonly StepEnd[]): RunEnd {
  const failing = ends.filter(({ outcome }) => (outcome.failures ?? []).length > 0);
  const partly = failing.length > 0;
  const aims = ends.filter(({ step }) => TOLD[step] !== undefined);
  const told = partly ? failing : aims.length > 0 ? aims : ends.slice(-1);
  return {
    phase: partly ? 'SucceededWithFailures' : 'Succeeded',
    reason: '',
    message: told.map(({ step, outcome }) => `${TOLD[step] ?? ''}${outcome.message}`).join('; '),
    hint: partly ? 'Look at what failed in the log; when its cause is gone, run it again.' : '',
    logTail: [],
    rerun: partly ? rerunLine(spec) : '',
  };
}

/** What was put off until all steps were taken, as one error; null: nothing was. */
export function lateFailure(ends: readonly StepEnd[]): RunError | null {
  const late = ends.flatMap(({ outcome }) => outcome.failsRun ?? []);
  const [first] = late;
  if (first === undefined) {
    return null;
  }
  const message = late.map((failure) => failure.message).join('; ');
  const hint = late.map((failure) => failure.hint).join(' ');
  return new RunError(first.code, message, { hint, tail: first.tail });
}

/**
 * How a run ends that did not.
 * @param lastLines of the child that ran last, for errors that carry none
 */
export function endOfFailure(spec: RunSpec, error: RunError, lastLines: readonly string[]): RunEnd {
  return {
    phase: error.code === 'Interrupted' || error.code === 'Superseded' ? 'Interrupted' : 'Failed',
    reason: error.code,
    message: error.message,
    hint: error.hint,
    logTail: error.tail.length > 0 ? error.tail : lastLines,
    // The newer run is the one that counts.
    rerun: error.code === 'Superseded' ? '' : rerunLine(spec),
  };
}

/**
 * Why a run ends in which something was thrown. Once the run is aborted, whatever a step makes of it, the reason is
 * the abort's; unless the step has put it into better words and names it as its cause.
 */
export function reasonOf(thrown: unknown, signal: AbortSignal): RunError {
  const worded = thrown instanceof RunError && thrown.cause === signal.reason;
  return asRunError(signal.aborted && !worded ? signal.reason : thrown);
}

/** Anything thrown as a RunError: what is none is a fault of the runner's own, unless the disk is full. */
export function asRunError(error: unknown): RunError {
  if (error instanceof RunError) {
    return error;
  }
  const message = error instanceof Error ? `${error.name}: ${error.message}` : String(error);
  if (isDiskFull(error)) {
    return new RunError('DiskFull', `a file could not be written: ${(error as Error).message}`, {
      hint: DISK_FULL_HINT,
      cause: error,
    });
  }
  return new RunError('Internal', `a fault of the installer itself: ${message.split('\n', 1)[0]}`, {
    hint: 'Run it again; report it with the log when it stays.',
    cause: error,
  });
}
