/** How a step ended that did not fail. */
export interface StepOutcome {
  /** One sentence for the status. */
  readonly message: string;
  /** What did not succeed although the step as a whole is let pass (best effort): component names. Empty or absent: all well. */
  readonly failures?: readonly string[];
}
