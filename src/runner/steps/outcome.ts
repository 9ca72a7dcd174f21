import type { ReasonCode } from '../../contract/index.ts';

/** How a step ended that does not keep the next ones from running. */
export interface StepOutcome {
  /** One sentence for the status. */
  readonly message: string;
  /** What did not succeed although the step as a whole is let pass (best effort): component names. Empty or absent: all well. */
  readonly failures?: readonly string[];
  /** What fails the run once all its steps were taken; absent: nothing does. */
  readonly failsRun?: LateFailure;
}

/** A failure that waits for the last step. */
export interface LateFailure {
  readonly code: ReasonCode;
  readonly message: string;
  readonly hint: string;
  readonly tail: readonly string[];
}
