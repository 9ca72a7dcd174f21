import { readFile } from 'node:fs/promises';
import { FIELD_MANAGER, RECIPE_KEYS, RELEASE_LABEL, RunError } from '../../../contract/index.ts';
import type { StepContext } from '../../context.ts';
import type { RecipeStep, RecipeTarget } from '../../planned.ts';
import type { Recipe } from './document.ts';
import { cutText, fitRecipe, SUMMARY_BYTES, UPGRADING_BYTES } from './size.ts';
import { summarise } from './summary.ts';

/**
 * Writes the resolved recipe and its summary into the recipe's ConfigMap. What goes wrong here is warned of: a record
 * that cannot be written is no reason not to install.
 * @param text the recipe as aicr wrote it
 */
export async function captureRecipe(
  step: RecipeStep,
  text: string,
  recipe: Recipe,
  context: StepContext,
): Promise<void> {
  const fitted = fitRecipe(text);
  const packDigest = step.packRef === '' ? '' : await readFile(step.packDigestFile, 'utf8').catch(() => '');
  const summary = summarise(step, recipe, { packDigest, cuts: fitted.cuts });
  for (const line of summary.trimEnd().split('\n')) context.log.info(line);
  for (const cut of fitted.cuts) context.status.warn(`ConfigMap ${step.target.configMap}: ${cut}`);
  await write(step.target, context, async () => {
    await warnOfOtherRelease(step.target, context);
    return { [RECIPE_KEYS.recipe]: fitted.text, [RECIPE_KEYS.summary]: cutText(summary, SUMMARY_BYTES) };
  });
}

/**
 * Adds the bundle's UPGRADING.md to the recipe's ConfigMap. The recipe step has written the ConfigMap without it, so a
 * former run's is gone already.
 * @param upgrading content of the file
 */
export async function captureUpgrading(
  target: RecipeTarget,
  upgrading: string,
  context: StepContext,
): Promise<void> {
  await write(target, context, async () => {
    const there = await context.cluster.readConfigMap(target.configMap, context.signal);
    const ours = [RECIPE_KEYS.recipe, RECIPE_KEYS.summary].flatMap((key) => {
      const value = there?.data[key];
      // Applying takes over keys, and drops our own that are left out: so all of ours are stated again.
      return value === undefined ? [] : [[key, value] as const];
    });
    return { ...Object.fromEntries(ours), [RECIPE_KEYS.upgrading]: cutText(upgrading, UPGRADING_BYTES) };
  });
}

async function write(
  target: RecipeTarget,
  context: StepContext,
  content: () => Promise<Readonly<Record<string, string>>>,
): Promise<void> {
  const { configMap: name, namespace } = target;
  if (name === '') return;
  try {
    const data = await content();
    await context.cluster.applyConfigMap({ name, namespace, data }, FIELD_MANAGER, context.signal);
    context.status.result({ configMap: name, holds: 'the resolved recipe and its summary' });
  } catch (error) {
    if (context.signal.aborted) throw error;
    if (!(error instanceof RunError)) throw error;
    context.status.warn(`the recipe could not be written to ConfigMap ${name}: ${error.message}`);
  }
}

async function warnOfOtherRelease(target: RecipeTarget, context: StepContext): Promise<void> {
  const there = await context.cluster.readConfigMap(target.configMap, context.signal);
  const owner = there?.labels[RELEASE_LABEL];
  if (owner === undefined || owner === target.release) return;
  context.status.warn(
    `ConfigMap ${target.configMap} held the recipe of release ${owner} and is overwritten; give each release its own recipeConfigMap`,
  );
}
