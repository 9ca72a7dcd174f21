import { parseDocument, visit } from 'yaml';

/** By far the largest part of a recipe, and of no use to a reader. */
const BULKY_KEY = 'healthCheckAsserts';

/**
 * Makes a recipe shorter and keeps it a recipe: the health checks go, and the first line says so.
 * @param text the recipe as aicr wrote it
 * @param fits tells whether a candidate is short enough
 * @returns null when it is too long even so: half a recipe could be taken for a whole one
 */
export function leanRecipe(text: string, fits: (candidate: string) => boolean): string | null {
  const mark = `# ${BULKY_KEY} of every component is left out: the whole recipe has ${Buffer.byteLength(text)} bytes and does not fit`;
  const lean = `${mark}\n${withoutKey(text, BULKY_KEY)}`;
  return fits(lean) ? lean : null;
}

function withoutKey(text: string, name: string): string {
  const document = parseDocument(text);
  visit(document, {
    Pair(_index, pair) {
      const key = pair.key;
      const isIt = typeof key === 'object' && key !== null && 'value' in key && key.value === name;
      return isIt ? visit.REMOVE : undefined;
    },
  });
  return document.toString();
}
