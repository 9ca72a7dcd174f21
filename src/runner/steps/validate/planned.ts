/** Run `aicr validate` and write its verdict down. */
export interface ValidateStep {
  readonly name: 'validate';
  /** What the step does, for people: `validate the phases deployment, performance`. */
  readonly does: string;
  readonly argv: readonly [string, ...string[]];
  readonly phases: readonly string[];
  /** Where aicr writes its CTRF report. */
  readonly reportFile: string;
  /** Where aicr puts the evidence; empty: none is wanted. */
  readonly evidenceDir: string;
  /** A failed verdict fails the Job, after everything that is to be kept is kept. */
  readonly failOnError: boolean;
  readonly target: VerdictTarget;
  /** Release tag of aicr, for the summary. */
  readonly version: string;
}

/** What a step needs to know of the ConfigMap that receives the verdict. */
export interface VerdictTarget {
  readonly configMap: string;
  readonly release: string;
  readonly namespace: string;
}
