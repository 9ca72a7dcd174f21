import { createHash } from 'node:crypto';
import { readFile, rm } from 'node:fs/promises';
import { dirname } from 'node:path';
import { RunError } from '../../../contract/index.ts';
import type { StepContext } from '../../context.ts';
import type { RecipeStep } from '../../planned.ts';
import { type AicrFailure, runAicr } from '../aicr/run.ts';
import type { StepOutcome } from '../outcome.ts';
import { captureRecipe } from './capture.ts';
import { readRecipe } from './document.ts';

/** Resolves the recipe with aicr and writes down what came out, before anything is made of it. */
export async function resolveRecipe(step: RecipeStep, context: StepContext): Promise<StepOutcome> {
  await rm(step.file, { force: true });
  await runAicr(step.argv, dirname(step.file), context, (failure) => classify(step, failure));

  const text = await readWritten(step);
  const recipe = readRecipe(text);
  const { overlays, components } = recipe;
  const installed = components.filter(({ enabled }) => enabled);
  const digest = `sha256:${createHash('sha256').update(text).digest('hex')}`;
  context.status.note({ recipe: { overlays: [...overlays], componentCount: installed.length, digest } });
  for (const warning of recipe.warnings) context.status.warn(warning);
  await captureRecipe(step, text, recipe, context);
  return { message: `${installed.length} components from overlay ${overlays.at(-1) ?? '(none named)'}` };
}

function classify(
  step: RecipeStep,
  { exitCode, message }: AicrFailure,
): {
  code: 'CriteriaRefused' | 'PackInvalid' | 'RecipeFailed';
  hint: string;
} {
  if (exitCode === 2 && /data provider|external data|registry\.yaml/.test(message)) {
    return {
      code: 'PackInvalid',
      hint: `aicr ${step.version} does not take the data pack ${step.packRef}: check its files and their apiVersion (v1.0.0 and later want aicr.run/v1beta1).`,
    };
  }
  if (exitCode === 2 && !/output format/.test(message)) {
    const accelerator = step.criteria['accelerator'];
    const list = `aicr recipe list${accelerator === undefined ? '' : ` --accelerator ${accelerator}`}`;
    return {
      code: 'CriteriaRefused',
      hint: `Change service, accelerator, intent, os or platform to a combination that has a recipe; \`${list}\` shows them.`,
    };
  }
  return { code: 'RecipeFailed', hint: 'Check recipeFlags and recipeArgs; the log has all that aicr said.' };
}

async function readWritten(step: RecipeStep): Promise<string> {
  try {
    return await readFile(step.file, 'utf8');
  } catch (error) {
    throw new RunError('RecipeFailed', `aicr recipe ended well but wrote no recipe to ${step.file}`, {
      hint: 'Take --output (-o) out of recipeFlags and recipeArgs: the runner needs the recipe in its own place.',
      cause: error,
    });
  }
}
