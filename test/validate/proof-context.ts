import type { ResultStore } from '../../src/runner/results/index.ts';
import type { ProofContext, ProofFacts } from '../../src/runner/steps/proof.ts';
import { type TestContext, testContext } from '../steps/context.ts';

/** A step's context that proves something. */
export interface ProofTest extends Omit<TestContext, 'context'> {
  readonly context: ProofContext;
  /** What was proven, as the status would have it. */
  readonly proven: Partial<ProofFacts>;
}

/** @param results where results are written */
export function proofContext(results: ResultStore): ProofTest {
  const test = testContext();
  const proven: Partial<ProofFacts> = {};
  const context = {
    ...test.context,
    results,
    deadline: null,
    prove: (facts: object) => void Object.assign(proven, facts),
  };
  return { ...test, context, proven };
}
