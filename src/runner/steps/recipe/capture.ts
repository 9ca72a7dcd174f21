import { readFile } from 'node:fs/promises';
import { RECIPE_KEYS } from '../../../contract/index.ts';
import type { StepContext } from '../../context.ts';
import type { RecipeFiles, ResultTarget } from '../../planned.ts';
import { keepResult } from '../keep.ts';
import { leanRecipe } from './lean.ts';

/**
 * Writes the resolved recipe and its summary into the recipe's ConfigMap, and the bundle's notes on upgrades once
 * there are some. All are stated each time: server-side apply drops what a manager leaves out, and so a former run's
 * notes go with the first write.
 * @param upgrading content of UPGRADING.md; null: none
 */
export async function captureRecipe(
  target: ResultTarget,
  files: RecipeFiles,
  upgrading: string | null,
  context: StepContext,
): Promise<void> {
  if (target.configMap === '') return;
  const again = 'The same aicr, criteria and data pack give it again.';
  const [recipe, summary] = await Promise.all([
    readFile(files.file, 'utf8'),
    readFile(files.summary, 'utf8'),
  ]);
  const entries = [
    { key: RECIPE_KEYS.summary, text: summary, wholeAt: 'The whole is in the log.' },
    ...(upgrading === null ? [] : [{ key: RECIPE_KEYS.upgrading, text: upgrading, wholeAt: again }]),
    { key: RECIPE_KEYS.recipe, text: recipe, shorten: leanRecipe, wholeAt: again },
  ];
  await keepResult(
    target,
    {
      entries,
      keys: Object.values(RECIPE_KEYS),
      value: 'recipeConfigMap',
      what: 'the recipe',
      holds: 'the resolved recipe and its summary',
    },
    context,
  );
}
