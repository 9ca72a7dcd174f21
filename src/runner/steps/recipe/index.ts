import { createHash } from 'node:crypto';
import { readFile, rm, writeFile } from 'node:fs/promises';
import { dirname } from 'node:path';
import { RunError } from '../../../contract/index.ts';
import type { StepContext } from '../../context.ts';
import type { RecipeStep } from '../../planned.ts';
import { type AicrFailure, runAicr } from '../aicr/run.ts';
import type { StepOutcome } from '../outcome.ts';
import { captureRecipe } from './capture.ts';
import { readRecipe } from './document.ts';
import { summarise } from './summary.ts';

export { captureRecipe } from './capture.ts';

/** aicr's words for a data pack that it does not take (v0.20: exit code 2 for its layout, 8 for its files, 3 for its overlays). */
const PACK_FAULT = /data provider|external d|registry\.yaml|failed to parse header|inheritance chain/;

/** Resolves the recipe with aicr and writes down what came out, before anything is made of it. */
export async function resolveRecipe(step: RecipeStep, context: StepContext): Promise<StepOutcome> {
  const { file, summary: summaryFile } = step.recipe;
  await rm(file, { force: true });
  await runAicr(step.argv, dirname(file), context, (failure) => classify(step, failure));

  const text = await readWritten(step);
  const recipe = readRecipe(text);
  const { overlays, components } = recipe;
  const installed = components.filter(({ enabled }) => enabled);
  const digest = `sha256:${createHash('sha256').update(text).digest('hex')}`;
  context.status.note({ recipe: { overlays: [...overlays], componentCount: installed.length, digest } });
  for (const warning of recipe.warnings) context.status.warn(warning);
  const packDigest = step.packRef === '' ? '' : await readFile(step.packDigestFile, 'utf8').catch(() => '');
  const summary = summarise(step, recipe, packDigest);
  for (const line of summary.trimEnd().split('\n')) context.log.info(line);
  await writeFile(summaryFile, summary);
  await captureRecipe(step.target, step.recipe, null, context);
  const count = `${installed.length} ${installed.length === 1 ? 'component' : 'components'}`;
  return { message: `${count} from overlay ${overlays.at(-1) ?? '(none named)'}` };
}

function classify(
  step: RecipeStep,
  { exitCode, message }: AicrFailure,
): {
  code: 'CriteriaRefused' | 'PackInvalid' | 'RecipeFailed';
  hint: string;
} {
  if (step.packRef !== '' && PACK_FAULT.test(message)) {
    return {
      code: 'PackInvalid',
      hint: `aicr ${step.version} does not take the data pack ${step.packRef}: check its files and their apiVersion (v1.0.0 and later want aicr.run/v1beta1).`,
    };
  }
  if (exitCode === 2 && !/output format/.test(message)) {
    return { code: 'CriteriaRefused', hint: criteriaHint(step, message) };
  }
  return { code: 'RecipeFailed', hint: 'Check recipeFlags and recipeArgs; the log has all that aicr said.' };
}

function criteriaHint(step: RecipeStep, message: string): string {
  const unknown = /invalid (service|accelerator|intent|os|platform) type/.exec(message)?.[1];
  if (unknown !== undefined) {
    const pack =
      step.packRef === ''
        ? 'set dataPack if a data pack registers it'
        : `see whether ${step.packRef} registers it`;
    return `aicr ${step.version} does not know this ${unknown}: check its spelling and aicrVersion, or ${pack}.`;
  }
  const data = step.packRef === '' ? '' : ', with --data for those of the data pack';
  return `Change service, accelerator, intent, os or platform to a combination that has a recipe; \`aicr recipe list\` shows them${data}.`;
}

async function readWritten({ recipe: { file } }: RecipeStep): Promise<string> {
  try {
    return await readFile(file, 'utf8');
  } catch (error) {
    throw new RunError('RecipeFailed', `aicr recipe ended well but wrote no recipe to ${file}`, {
      hint: 'Take --output (-o) out of recipeFlags and recipeArgs: the runner needs the recipe in its own place.',
      cause: error,
    });
  }
}
