import { RunError, type RunSpec } from '../contract/index.ts';
import { rerunLine } from './rerun.ts';
import type { RunEnd } from './status/index.ts';
import type { StepOutcome } from './steps/index.ts';

/**
 * How a run ends that took all its steps.
 * @param outcomes of the steps, in their order; the last one's message is the run's
 */
export function endOfSuccess(spec: RunSpec, outcomes: readonly StepOutcome[]): RunEnd {
  const failures = outcomes.flatMap((outcome) => outcome.failures ?? []);
  const message = outcomes.at(-1)?.message ?? 'nothing was to be done';
  const partly = failures.length > 0;
  return {
    phase: partly ? 'SucceededWithFailures' : 'Succeeded',
    reason: '',
    message,
    hint: partly ? 'Look at what failed in the log; when its cause is gone, run it again.' : '',
    logTail: [],
    rerun: partly ? rerunLine(spec) : '',
  };
}

/**
 * How a run ends that did not.
 * @param lastLines of the child that ran last, for errors that carry none
 */
export function endOfFailure(spec: RunSpec, error: RunError, lastLines: readonly string[]): RunEnd {
  return {
    phase: error.code === 'Interrupted' ? 'Interrupted' : 'Failed',
    reason: error.code,
    message: error.message,
    hint: error.hint,
    logTail: error.tail.length > 0 ? error.tail : lastLines,
    rerun: rerunLine(spec),
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

/** Anything thrown as a RunError: what is none is a fault of the runner's own. */
export function asRunError(error: unknown): RunError {
  if (error instanceof RunError) {
    return error;
  }
  const message = error instanceof Error ? `${error.name}: ${error.message}` : String(error);
  return new RunError('Internal', `a fault of the installer itself: ${message.split('\n', 1)[0]}`, {
    hint: 'Run it again; report it with the log when it stays.',
    cause: error,
  });
}
