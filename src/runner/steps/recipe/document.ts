import { parse } from 'yaml';
import { RunError } from '../../../contract/index.ts';

/** What a recipe says, as far as people and the status need it. */
export interface Recipe {
  readonly criteria: Readonly<Record<string, string>>;
  /** Version of the aicr that wrote it; empty when not given. */
  readonly version: string;
  /** Names of the overlays, the base first and the most specific last. */
  readonly overlays: readonly string[];
  /** In the order of deployment. */
  readonly components: readonly RecipeComponent[];
  readonly constraints: readonly { readonly name: string; readonly value: string }[];
  /** Profile that was selected, `name=value`; empty without one. */
  readonly profile: string;
  /** Overlays that were left out because of a constraint, and why. */
  readonly warnings: readonly string[];
}

export interface RecipeComponent {
  readonly name: string;
  /** Empty for a component that is made of manifests only. */
  readonly version: string;
  readonly namespace: string;
  /** False when the recipe itself switches the component off. */
  readonly enabled: boolean;
}

/**
 * Reads a recipe as aicr wrote it, YAML or JSON. It goes by the fields, not by apiVersion: that changes from one aicr
 * release to the next.
 * @throws RunError `RecipeFailed` when it is not a recipe
 */
export function readRecipe(text: string): Recipe {
  const recipe = parseRecipe(text);
  const metadata = asObject(recipe['metadata']);
  const profile = asObject(metadata['selectedProfile']);
  return {
    criteria: texts(asObject(recipe['criteria'])),
    version: asText(metadata['version']),
    overlays: asList(metadata['appliedOverlays']).map(asText),
    components: inOrder(
      asList(recipe['componentRefs']).map(asObject).map(readComponent),
      asList(recipe['deploymentOrder']).map(asText),
    ),
    constraints: asList(recipe['constraints'])
      .map(asObject)
      .map(({ name, value }) => ({ name: asText(name), value: asText(value) })),
    profile: profile['name'] === undefined ? '' : `${asText(profile['name'])}=${asText(profile['value'])}`,
    warnings: asList(metadata['constraintWarnings']).map(asObject).map(describeWarning),
  };
}

type Json = Readonly<Record<string, unknown>>;

function parseRecipe(text: string): Json {
  let fault = 'it has no componentRefs';
  try {
    const value: unknown = parse(text, { logLevel: 'error' });
    const recipe = asObject(value);
    if (Array.isArray(recipe['componentRefs'])) return recipe;
  } catch (error) {
    fault = (error as Error).message.split('\n', 1)[0] ?? '';
  }
  throw new RunError('RecipeFailed', `what aicr wrote is not a recipe: ${fault}`, {
    hint: 'Take --format out of recipeFlags and recipeArgs, unless it is yaml or json.',
  });
}

function readComponent(component: Json): RecipeComponent {
  const { name, version, namespace, overrides } = component;
  const { enabled } = asObject(overrides);
  return {
    name: asText(name),
    version: asText(version),
    namespace: asText(namespace),
    enabled: enabled !== false && enabled !== 'false',
  };
}

/** Sorted by deployment order; components that it does not name come last, as they were. */
function inOrder(
  components: readonly RecipeComponent[],
  order: readonly string[],
): readonly RecipeComponent[] {
  const place = (component: RecipeComponent): number => {
    const index = order.indexOf(component.name);
    return index < 0 ? order.length : index;
  };
  return components.toSorted((a, b) => place(a) - place(b));
}

function describeWarning({ overlay, constraint, expected, actual, reason }: Json): string {
  const found = asText(actual) === '' ? '' : `, found ${asText(actual)}`;
  return `overlay ${asText(overlay)} was left out: ${asText(constraint)} must be ${asText(expected)}${found} (${asText(reason)})`;
}

const texts = (object: Json): Record<string, string> =>
  Object.fromEntries(Object.entries(object).map(([key, value]) => [key, asText(value)]));

const asObject = (value: unknown): Json =>
  typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as Json) : {};

const asList = (value: unknown): readonly unknown[] => (Array.isArray(value) ? value : []);

const asText = (value: unknown): string =>
  typeof value === 'string' ? value : value === undefined || value === null ? '' : JSON.stringify(value);
