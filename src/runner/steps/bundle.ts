import { readFile, rm, stat } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { RunError } from '../../contract/index.ts';
import type { StepContext } from '../context.ts';
import type { BundleStep } from '../planned.ts';
import { type AicrFailure, runAicr } from './aicr/run.ts';
import type { StepOutcome } from './outcome.ts';
import { captureRecipe } from './recipe/index.ts';

/** Renders the recipe into a bundle, and keeps upstream's notes on upgrades when the bundle has some. */
export async function bundle(step: BundleStep, context: StepContext): Promise<StepOutcome> {
  // aicr refuses a folder that holds anything but a former bundle.
  await rm(step.dir, { recursive: true, force: true });
  await runAicr(step.argv, dirname(step.dir), context, ({ exitCode }) => ({
    code: 'BundleFailed',
    hint: hintFor(exitCode),
  }));
  const script = join(step.dir, 'deploy.sh');
  if (!(await isFile(script))) {
    throw new RunError('BundleFailed', `aicr bundle ended well but there is no ${script}`, {
      hint: 'Take --deployer and --output out of bundleFlags and bundleArgs: the runner deploys the bundle of the helm deployer.',
    });
  }
  const upgrading = await readFile(join(step.dir, 'UPGRADING.md'), 'utf8').catch(() => null);
  if (upgrading === null) return { message: 'the bundle is rendered' };
  context.status.warn(
    `the bundle brings UPGRADING.md: some of its versions need care when they replace older ones${
      step.target.configMap === '' ? '' : ` (see it in ConfigMap ${step.target.configMap})`
    }`,
  );
  await captureRecipe(step.target, step.recipe, upgrading, context);
  return { message: 'the bundle is rendered, with notes on upgrades in UPGRADING.md' };
}

const hintFor = (exitCode: AicrFailure['exitCode']): string =>
  exitCode === 6
    ? 'With --vendor-charts or an oci:// output aicr needs the network (and helm): check bundleFlags and bundleArgs.'
    : 'Check bundleFlags, bundleArgs, storageClass and environment.preinstalledDriver; components in --set must be in the recipe.';

const isFile = (path: string): Promise<boolean> =>
  stat(path).then(
    (facts) => facts.isFile(),
    () => false,
  );
