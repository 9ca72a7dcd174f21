import { RunError } from '../../contract/index.ts';
import type { StepContext } from '../context.ts';
import type { PlannedStep } from '../planned.ts';
import { inspectToken } from './publish/index.ts';
import { foreseeDowngrade } from './releases/index.ts';

/**
 * Looks, before the first step, at what can be seen to fail a later one: an older aicr than the one that was deployed; an
 * identity token that has expired, or will have.
 * @throws RunError `DowngradeRefused`, `ClusterUnreachable`; `IdentityTokenExpired` where publish.failOnError would fail
 *   the run for it in the end
 */
export async function foresee(steps: readonly PlannedStep[], context: StepContext): Promise<void> {
  const releases = steps.find((step) => step.name === 'releases');
  if (releases !== undefined) await foreseeDowngrade(releases, context);
  const publish = steps.find((step) => step.name === 'publish');
  if (publish === undefined || publish.identityToken === null) return;
  const { warning, fatal } = await inspectToken(publish.identityToken, context);
  if (fatal && publish.failOnError) {
    throw new RunError('IdentityTokenExpired', warning, {
      hint: 'Write a fresh token into the Secret, then run it again.',
    });
  }
  if (warning !== '') context.status.warn(warning);
}
