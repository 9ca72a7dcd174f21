import type { StepContext } from '../context.ts';
import type { ResultStore } from '../results/index.ts';
import type { StepOutcome } from './outcome.ts';
import type { VerdictOutcome } from './validate/verdict.ts';

/** What validation and publishing add to the status document. */
export interface ProofFacts {
  readonly validation: {
    /** Empty while there is none. */
    readonly outcome: VerdictOutcome | '';
    readonly exitCode: number | null;
    readonly tests: number;
    readonly passed: number;
    readonly failed: number;
    readonly skipped: number;
    readonly other: number;
  };
  readonly evidence: {
    /** sha256:<hex> of evidence.tgz; empty while there is none. */
    readonly sha256: string;
    /** Where it was published, and under which digest; empty until then. */
    readonly oci: string;
    readonly digest: string;
  };
}

/** The context of the steps that prove something. */
export interface ProofContext extends StepContext {
  readonly results: ResultStore;
  /** When the run stops itself; null: never. */
  readonly deadline: Date | null;
  /** Merges facts into the status document. */
  readonly prove: (facts: Partial<ProofFacts>) => void;
}

/** How a step ended whose failure does not keep the next ones from running. */
export interface ProofOutcome extends StepOutcome {
  /** What fails the run once all its steps were taken; absent: nothing does. */
  readonly failsRun?: LateFailure;
}

/** A failure that waits for the last step. */
export interface LateFailure {
  readonly code: 'ValidationFailed' | 'PublishFailed';
  readonly message: string;
  readonly hint: string;
  readonly tail: readonly string[];
}
