import type { RecipeStep } from '../../planned.ts';
import type { Recipe, RecipeComponent } from './document.ts';

/**
 * Writes the recipe down for people: criteria asked and resolved, overlays, components, constraints, data pack.
 * @param packDigest manifest digest of the data pack; empty without one
 * @returns text that ends with a line end
 */
export function summarise(step: RecipeStep, recipe: Recipe, packDigest: string): string {
  const { release, namespace } = step.target;
  const on = recipe.components.filter(({ enabled }) => enabled);
  const off = recipe.components.filter(({ enabled }) => !enabled);
  const sections: readonly (readonly string[])[] = [
    [
      `Recipe of release ${release} in namespace ${namespace}`,
      `aicr ${step.version}${recipe.version === '' ? '' : ` (recipe written by ${recipe.version})`}`,
    ],
    thinCriteria(step).map((warning) => `WARNING: ${warning}`),
    recipe.warnings.map((warning) => `WARNING: ${warning}`),
    ['Criteria', ...indent(criteriaTable(step, recipe))],
    [`Overlays: ${recipe.overlays.join(', ') || 'none named'}`],
    recipe.profile === '' ? [] : [`Profile: ${recipe.profile}`],
    [`Data pack: ${step.packRef === '' ? 'none' : `${step.packRef} ${packDigest}`.trim()}`],
    [`Components: ${on.length}, in the order of deployment`, ...indent(componentTable(on))],
    off.length === 0 ? [] : [`Switched off by the recipe: ${off.map(({ name }) => name).join(', ')}`],
    recipe.constraints.length === 0
      ? ['Constraints: none']
      : ['Constraints', ...indent(recipe.constraints.map(({ name, value }) => `${name} ${value}`))],
  ];
  const text = sections.filter((section) => section.length > 0).map((section) => section.join('\n'));
  return `${text.join('\n\n')}\n`;
}

/**
 * Tells when so few criteria were stated that aicr may have resolved a thinner stack than was meant, which it does
 * without a word. A data pack owns its criteria. The status has this warning from the chart already.
 * @returns one warning, or none
 */
function thinCriteria({ criteria, packRef }: RecipeStep): readonly string[] {
  if (packRef !== '') return [];
  const { service = 'any', intent, os } = criteria;
  const missing = [
    ...(service === 'any' ? ['service is any'] : []),
    ...(intent === undefined ? ['no intent'] : []),
    ...(os === undefined ? ['no os'] : []),
  ];
  if (missing.length === 0) return [];
  return [
    `thin criteria (${missing.join(', ')}): fewer criteria resolve a thinner stack; check that the components below are all you expect`,
  ];
}

function criteriaTable(step: RecipeStep, recipe: Recipe): readonly string[] {
  const names = [...new Set([...Object.keys(step.criteria), ...Object.keys(recipe.criteria)])];
  return table([
    ['', 'asked', 'resolved'],
    ...names.map((name) => [name, step.criteria[name] ?? '-', recipe.criteria[name] ?? '-']),
  ]);
}

const componentTable = (components: readonly RecipeComponent[]): readonly string[] =>
  table(
    components.map(({ name, version, namespace }) => [
      name,
      version === '' ? 'manifests' : version,
      namespace === '' ? '' : `namespace ${namespace}`,
    ]),
  );

/** Columns of equal width. */
function table(rows: readonly (readonly string[])[]): readonly string[] {
  const widths = (rows[0] ?? []).map((_, column) =>
    Math.max(...rows.map((row) => (row[column] ?? '').length)),
  );
  return rows.map((row) =>
    row
      .map((cell, column) => cell.padEnd(widths[column] ?? 0))
      .join('  ')
      .trimEnd(),
  );
}

const indent = (lines: readonly string[]): readonly string[] => lines.map((line) => `  ${line}`);
