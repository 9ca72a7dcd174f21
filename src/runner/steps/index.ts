import type { StepContext } from '../context.ts';
import type { PlannedStep } from '../planned.ts';
import { bundle } from './bundle.ts';
import { deploy } from './deploy/index.ts';
import { download } from './download/index.ts';
import { keepEvidence } from './evidence/index.ts';
import type { StepOutcome } from './outcome.ts';
import { pull } from './pack/index.ts';
import { publish } from './publish/index.ts';
import { resolveRecipe } from './recipe/index.ts';
import { checkReleases } from './releases/index.ts';
import { upgradeCheck } from './upgradecheck/index.ts';
import { validate } from './validate/index.ts';
import { verify } from './verify.ts';

export { DISK_FULL_HINT, isDiskFull } from './disk.ts';
export { foresee } from './foresee.ts';
export type { LateFailure, StepOutcome } from './outcome.ts';

/**
 * Takes one step of the plan.
 * @returns what came of it
 * @throws RunError naming what went wrong; or the abort reason of the context's signal
 */
export function runStep(step: PlannedStep, context: StepContext): Promise<StepOutcome> {
  switch (step.name) {
    case 'download':
      return download(step, context);
    case 'pack':
      return pull(step, context);
    case 'recipe':
      return resolveRecipe(step, context);
    case 'bundle':
      return bundle(step, context);
    case 'verify':
      return verify(step, context);
    case 'releases':
      return checkReleases(step, context);
    case 'upgradeCheck':
      return upgradeCheck(step, context);
    case 'deploy':
      return deploy(step, context);
    case 'validate':
      return validate(step, context);
    case 'evidence':
      return keepEvidence(step, context);
    case 'publish':
      return publish(step, context);
  }
}
